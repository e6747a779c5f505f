// SPDX-License-Identifier: MIT

import OppiModel

/// A line for a status bar.
///
/// All markup is the program's own. Other text is made safe to show on one line and then escaped
/// for the bar as a whole, so that separate pieces of text cannot form markup together.
package struct BarLine: Sendable, Equatable {
  package let text: String

  /// Longer than any bar.
  private static let limit = 1000

  /// Adds markup around a text, which is escaped.
  init(
    _ content: String,
    escape: (Unicode.Scalar, _ before: Unicode.Scalar?) -> String? = { _, _ in nil },
    before: String = "",
    after: String = ""
  ) {
    text = before + Self.escaped(content, escape) + after
  }

  /// Encodes a JSON object; the encoder escapes all control characters.
  init(json: JSONValue) {
    text = json.text()
  }

  /// Makes a text safe to show on one line and replaces some of its scalars.
  ///
  /// `escape` returns the replacement of a scalar after another one; `nil` keeps it. It works on
  /// scalars because bars read bytes: a combining mark after `<` forms another character only for
  /// the reader.
  static func escaped(
    _ text: String,
    _ escape: (Unicode.Scalar, _ before: Unicode.Scalar?) -> String?
  ) -> String {
    var line = String.UnicodeScalarView()
    var before: Unicode.Scalar?
    for scalar in text.safeLine(limit: limit).unicodeScalars {
      if let escape = escape(scalar, before) {
        line += escape.unicodeScalars
      } else {
        line.append(scalar)
      }
      before = scalar
    }
    return String(line)
  }
}
