// SPDX-License-Identifier: MIT

import OppiModel

/// A line for a bar, which takes it as it is.
///
/// The markup in it is the program's own. Everything else was made safe to show on one line and then
/// escaped for that bar, in one piece, so that no two pieces of text make markup together.
package struct BarLine: Sendable, Equatable {
  /// What the bar reads, without a line break.
  package let text: String

  /// No bar is so long.
  private static let limit = 1000

  /// Puts markup around a text, which the bar is to take for text and nothing else.
  init(
    _ content: String,
    escape: (Unicode.Scalar, _ before: Unicode.Scalar?) -> String? = { _, _ in nil },
    before: String = "",
    after: String = ""
  ) {
    text = before + Self.escaped(content, escape) + after
  }

  /// Writes an object of JSON, in which all that could steer a terminal is escaped by its writer.
  init(json: JSONValue) {
    text = json.text()
  }

  /// Makes a text safe to show on one line, with something else in place of some of its scalars.
  ///
  /// Bars read bytes: a mark drawn over `<` makes another character of it for people alone.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - escape: Returns what stands for a scalar behind another one; `nil` for the scalar itself.
  /// - Returns: The line.
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
