// SPDX-License-Identifier: MIT

import OppiModel

/// Splits text that arrives in pieces into lines; LF, CR LF and CR end a line.
///
/// The result does not depend on the pieces. A very long line is returned in parts.
struct LineSplitter: Sendable {
  /// A longer line, in bytes, is returned in parts.
  private static let lineLimit = 16 << 10

  struct Line: Sendable {
    /// As received, with the line break.
    var bytes: ArraySlice<UInt8>
    /// Without the line break.
    fileprivate var text: ArraySlice<UInt8>
    /// Whether it continues the previous part.
    var continues: Bool
    /// Whether another part continues it.
    var isCut: Bool

    /// The line made safe; tabs become four spaces.
    var markdown: MarkdownLine {
      let safe = String(decoding: text, as: UTF8.self).safeBlock()
      let (sign, spaces) = (UInt8(ascii: "\t"), Array("    ".utf8))
      guard safe.utf8.contains(sign) else { return MarkdownLine(Array(safe.utf8)[...]) }
      return MarkdownLine(safe.utf8.flatMap { $0 == sign ? spaces : [$0] }[...])
    }
  }

  private var bytes: ArraySlice<UInt8> = []
  /// The number of bytes that contain no line break.
  private var searched = 0
  private var isAfterReturn = false
  private var continues = false

  mutating func append(_ piece: String) {
    var piece = piece
    piece.withUTF8 { bytes += $0 }
  }

  /// Returns the next complete line or part; `nil` if more text is needed.
  mutating func next() -> Line? {
    let skipped = skipsLineFeed ? 1 : 0
    let start = bytes.startIndex + skipped
    let from = max(start, bytes.startIndex + searched)
    let breaks = bytes[from...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    if let end = breaks, end - start <= Self.lineLimit {
      isAfterReturn = bytes[end] == UInt8(ascii: "\r")
      return take(upTo: end + 1, text: start..<end, isEnd: true)
    }
    guard bytes.endIndex - start > Self.lineLimit else {
      searched = bytes.count
      return nil
    }
    let end = Self.cut(bytes[start..<(start + Self.lineLimit)])
    isAfterReturn = false
    return take(upTo: end, text: start..<end, isEnd: false)
  }

  /// Returns the text after the last complete line and removes it; `nil` if there is none.
  mutating func takeRest() -> Line? {
    let start = bytes.startIndex + (skipsLineFeed ? 1 : 0)
    guard !bytes.isEmpty else { return nil }
    isAfterReturn = false
    let rest = start..<bytes.endIndex
    guard !rest.isEmpty else {
      _ = take(upTo: bytes.endIndex, text: rest, isEnd: true)
      return nil
    }
    return take(upTo: bytes.endIndex, text: rest, isEnd: true)
  }

  /// Discards the incomplete line, and continues after a complete one, or after part of a line.
  mutating func restart(after last: Line?) {
    (bytes, searched) = ([], 0)
    isAfterReturn = last?.bytes.last == UInt8(ascii: "\r")
    continues = last?.isCut ?? false
  }

  /// A line feed after a carriage return belongs to the previous line.
  private var skipsLineFeed: Bool { isAfterReturn && bytes.first == UInt8(ascii: "\n") }

  private mutating func take(upTo end: Int, text: Range<Int>, isEnd: Bool) -> Line {
    let line = Line(bytes: bytes[..<end], text: bytes[text], continues: continues, isCut: !isEnd)
    bytes = bytes[end...]
    // Releases the memory of earlier lines now and then.
    if bytes.startIndex > bytes.count + (1 << 16) { bytes = ArraySlice(Array(bytes)) }
    (searched, continues) = (0, !isEnd)
    return line
  }

  /// Where to cut a long line: after a space, else between two characters.
  private static func cut(_ part: ArraySlice<UInt8>) -> Int {
    let middle = part.startIndex + part.count / 2
    if let space = part[middle...].lastIndex(of: UInt8(ascii: " ")) { return space + 1 }
    // The last scalar may be incomplete, and the last character may continue.
    let last = part.lastIndex { $0 & 0xC0 != 0x80 } ?? part.endIndex
    let text = String(decoding: part[..<last], as: UTF8.self)
    let whole = part.startIndex + text.dropLast().utf8.count
    return whole >= middle ? whole : last
  }
}
