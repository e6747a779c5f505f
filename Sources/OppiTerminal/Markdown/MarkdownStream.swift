// SPDX-License-Identifier: MIT

import OppiText

/// Markdown as rows of styled text.
///
/// Supports what agents write: headings, lists, tasks, code, emphasis, deleted text, links, quotes,
/// rules and tables.
/// Other syntax is shown as written. Only marks are omitted, never words, except the name of a
/// language for which there is no room. Time and output are linear in the text.
package enum Markdown {
  /// Enough for the widest character.
  static let minimumWidth = 2

  /// Returns the text in rows that are safe to show; empty if there is nothing to show.
  ///
  /// No row exceeds `width` columns; widths below 2 count as 2.
  package static func rows(
    of text: String,
    width: Int,
    look: MarkdownLook = .styled
  ) -> [StyledText] { layout(of: text, width: width, look: look).rows }

  /// Returns the rows of a text, and its fenced blocks of code.
  package static func layout(
    of text: String,
    width: Int,
    look: MarkdownLook = .styled
  ) -> (rows: [StyledText], code: [CodeBlock]) {
    var (reader, blocks) = (MarkdownReader(width: width, look), CodeBlocks())
    var splitter = LineSplitter()
    splitter.append(text)
    while let line = splitter.next() ?? splitter.takeRest() {
      let row = reader.layout.shownCount
      reader.read(line)
      blocks.take(line, readBy: reader, from: row)
    }
    reader.close()
    return (reader.layout.takeRows(), blocks.all)
  }
}

/// What a terminal can show instead of the marks of Markdown.
package enum MarkdownLook: Sendable {
  /// There are no styles, so the marks of headings and code stay.
  case marked
  /// As ``marked``, for listeners: tables are records.
  case spoken
  /// There are styles; each link's whole address is shown.
  case styled
  /// There are styles, and links that the terminal opens.
  case linked

  var keepsMarks: Bool { self == .marked || self == .spoken }
}

/// Markdown that arrives in pieces: finished blocks are returned once, the unfinished one is live.
///
/// The rows do not depend on the pieces, and together equal those of ``Markdown``. Of a long block,
/// the first lines are returned before its end, so that memory is bounded and the live rows show
/// every line that is not returned. Only paragraphs and tables always wait for their end.
package struct MarkdownStream: Sendable {
  /// The complete lines of an unfinished block take about this many live rows at most.
  private static let liveRows = 6

  private var splitter = LineSplitter()
  /// The complete lines of the unfinished block.
  private var held: [LineSplitter.Line] = []
  /// About how many rows the reader has not returned, because a paragraph or table is open.
  private var openRows = 0
  /// After the returned lines.
  private var reader: MarkdownReader
  /// After the held lines; it makes no rows.
  private var scout: MarkdownReader
  private var returned = TextPrefix()
  private var last: LineSplitter.Line?

  package init(width: Int, look: MarkdownLook = .styled) {
    reader = MarkdownReader(width: width, look)
    scout = reader
    scout.layout.isSilent = true
  }

  /// Whether nothing is live.
  package var isEmpty: Bool { live(rows: 1).isEmpty }

  /// In columns; affects rows that are not returned yet.
  package var width: Int {
    get { reader.layout.width }
    set {
      reader.layout.width = max(Markdown.minimumWidth, newValue)
      scout.layout.width = reader.layout.width
    }
  }

  /// Adds a piece and returns the rows of the blocks that it finishes.
  package mutating func append(_ piece: String) -> [StyledText] {
    splitter.append(piece)
    return takeLines()
  }

  /// Ends the unfinished block and returns its rows; further text begins another block.
  package mutating func flush() -> [StyledText] {
    while let line = splitter.takeRest() { take(line) }
    release(held.count)
    reader.close()
    scout.close()
    openRows = 0
    return reader.layout.takeRows()
  }

  /// Returns the last rows of the unfinished block.
  package func live(rows limit: Int) -> [StyledText] {
    guard limit > 0 else { return [] }
    var (reader, splitter) = (reader, splitter)
    for line in held { reader.read(line) }
    if let line = splitter.takeRest() { reader.read(line) }
    reader.close()
    return reader.layout.takeRows().suffix(limit)
  }

  /// Replaces the whole text, and returns the finished rows that are new.
  ///
  /// If the returned rows are those of a prefix of the new text, only the rest is new; otherwise
  /// the text begins again, and `differs` is true.
  package mutating func replace(with answer: String) -> (rows: [StyledText], differs: Bool) {
    var whole = LineSplitter()
    whole.append(answer)
    let text = whole.bytes
    let differs = !returned.isPrefix(of: text)
    if differs {
      self = MarkdownStream(width: width, look: reader.layout.look)
    } else {
      // Discards what is not returned yet.
      whole.restart(after: returned.count, continues: last?.isCut ?? false)
      held = []
      scout = reader
      scout.layout.isSilent = true
    }
    splitter = whole
    return (takeLines(), differs)
  }

  private mutating func takeLines() -> [StyledText] {
    while let line = splitter.next() { take(line) }
    return reader.layout.takeRows()
  }

  private mutating func take(_ line: LineSplitter.Line) {
    scout.read(line)
    held.append(line)
    release(held.count - scout.openLines)
    while !held.isEmpty, held.reduce(openRows, { $0 + rows(of: $1) }) > Self.liveRows { release(1) }
  }

  /// An estimate, without the layout.
  private func rows(of line: LineSplitter.Line) -> Int { 1 + max(0, line.bytes.count - 1) / width }

  /// Lays out the first held lines.
  private mutating func release(_ count: Int) {
    guard count > 0 else { return }
    for line in held.prefix(count) {
      let rowCount = reader.layout.rowCount
      reader.read(line)
      // The line itself may be open.
      openRows = (reader.layout.rowCount == rowCount ? openRows : 0) + rows(of: line)
      returned.append(line.bytes)
      last = line
    }
    held.removeFirst(min(count, held.count))
  }
}

/// The length and a hash of a text's start, to recognize it without keeping it.
private struct TextPrefix: Sendable {
  private(set) var count = 0
  /// FNV-1a with 64 bits.
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func append(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
      count += 1
    }
  }

  func isPrefix(of text: ArraySlice<UInt8>) -> Bool {
    guard text.count >= count else { return false }
    var other = TextPrefix()
    other.append(text.prefix(count))
    return other.hash == hash
  }
}

/// Splits text that arrives in pieces into lines; LF, CR LF and CR end a line, and become LF.
///
/// The result does not depend on the pieces. A very long line is returned in parts.
struct LineSplitter: Sendable {
  /// A longer line, in bytes, is returned in parts.
  private static let lineLimit = 16 << 10

  struct Line: Sendable {
    /// With the line break.
    var bytes: ArraySlice<UInt8>
    /// Whether it continues the previous part.
    var continues: Bool
    /// Whether another part continues it.
    var isCut: Bool

    /// The line made safe, without the line break; tabs become four spaces.
    var markdown: MarkdownLine {
      let text = bytes.last == LineSplitter.lineFeed ? bytes.dropLast() : bytes
      let safe = String(decoding: text, as: UTF8.self).safeBlock()
      let (sign, spaces) = (UInt8(ascii: "\t"), Array("    ".utf8))
      guard safe.utf8.contains(sign) else { return MarkdownLine(Array(safe.utf8)[...]) }
      return MarkdownLine(safe.utf8.flatMap { $0 == sign ? spaces : [$0] }[...])
    }
  }

  private static let lineFeed = UInt8(ascii: "\n")

  /// The rest of the text, in which all lines end with LF.
  private(set) var bytes: ArraySlice<UInt8> = []
  /// The number of bytes that contain no line break.
  private var searched = 0
  /// Whether a line feed belongs to the carriage return before it.
  private var isAfterReturn = false
  private var continues = false

  mutating func append(_ piece: String) {
    for byte in piece.utf8 {
      let isReturn = byte == UInt8(ascii: "\r")
      if byte != Self.lineFeed || !isAfterReturn { bytes.append(isReturn ? Self.lineFeed : byte) }
      isAfterReturn = isReturn
    }
  }

  /// Returns the next complete line or part; `nil` if more text is needed.
  mutating func next() -> Line? {
    let start = bytes.startIndex
    if let end = bytes[(start + searched)...].firstIndex(of: Self.lineFeed),
      end - start <= Self.lineLimit
    {
      return take(upTo: end + 1, isCut: false)
    }
    guard bytes.count > Self.lineLimit else {
      searched = bytes.count
      return nil
    }
    return take(upTo: Self.cut(bytes[start..<(start + Self.lineLimit)]), isCut: true)
  }

  /// Returns the text after the last complete line and removes it; `nil` if there is none.
  mutating func takeRest() -> Line? {
    bytes.isEmpty ? nil : take(upTo: bytes.endIndex, isCut: false)
  }

  /// Skips the first bytes, which end with a line, or within one that is continued.
  mutating func restart(after count: Int, continues: Bool) {
    bytes = bytes.dropFirst(count)
    self.continues = continues
  }

  private mutating func take(upTo end: Int, isCut: Bool) -> Line {
    let line = Line(bytes: bytes[..<end], continues: continues, isCut: isCut)
    bytes = bytes[end...]
    // Releases the memory of earlier lines now and then.
    if bytes.startIndex > bytes.count + (1 << 16) { bytes = ArraySlice(Array(bytes)) }
    (searched, continues) = (0, isCut)
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
