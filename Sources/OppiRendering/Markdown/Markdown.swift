// SPDX-License-Identifier: MIT

import OppiModel

/// Markdown as rows of styled text.
///
/// Supports what agents write: headings, lists, code, emphasis, links, quotes, rules and tables.
/// Other syntax is shown as written. Only marks are omitted, never words. Time and output are
/// linear in the text.
package enum Markdown {
  /// Enough for the widest character.
  static let minimumWidth = 2

  /// Returns the text in rows that are safe to show; empty if there is nothing to show.
  ///
  /// No row exceeds `width` columns; widths below 2 count as 2.
  package static func rows(of text: String, width: Int) -> [StyledText] {
    var reader = MarkdownReader(width: max(minimumWidth, width))
    reader.read(lines(of: text)[...])
    return reader.finish()
  }

  /// The lines of a text, made safe; tabs become four spaces.
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

  /// The text with line feeds as the only line breaks.
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
