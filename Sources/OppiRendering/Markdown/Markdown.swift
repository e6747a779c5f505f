// SPDX-License-Identifier: MIT

import OppiModel

/// An answer's Markdown as rows for a person's eyes.
///
/// It knows what agents write: headings, lists, code, stress, links, quotes, rules and tables. What it
/// does not know is shown as it is written, line by line: only marks are ever left out, no word. Time
/// and output are linear in the text.
package enum Markdown {
  /// A row has room for the widest character.
  static let minimumWidth = 2

  /// Returns the text in rows that are safe to show.
  ///
  /// - Parameters:
  ///   - text: The text, as it came from the server.
  ///   - width: The columns that no row exceeds; taken as 2 where it is less.
  /// - Returns: The rows; none for a text without anything to show.
  package static func rows(of text: String, width: Int) -> [StyledText] {
    var reader = MarkdownReader(width: max(minimumWidth, width))
    reader.read(lines(of: text)[...])
    return reader.finish()
  }

  /// The lines of a text, made safe; tabs are four spaces everywhere.
  private static func lines(of text: String) -> [MarkdownLine] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in unixLines(text).safeBlock().utf8 {
      if byte == UInt8(ascii: "\t") {
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 4))
      } else {
        bytes.append(byte)
      }
    }
    return bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map(MarkdownLine.init)
  }

  /// The text with line feeds in place of all that ends lines.
  private static func unixLines(_ text: String) -> String {
    let carriageReturn = UInt8(ascii: "\r")
    guard text.utf8.contains(carriageReturn) else { return text }
    var bytes: [UInt8] = []
    var isAfterReturn = false
    for byte in text.utf8 {
      let isPair = isAfterReturn && byte == UInt8(ascii: "\n")
      isAfterReturn = byte == carriageReturn
      if !isPair { bytes.append(isAfterReturn ? UInt8(ascii: "\n") : byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
