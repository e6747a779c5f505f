// SPDX-License-Identifier: MIT

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

  package init(width: Int, links: Bool = false) {
    reader = MarkdownReader(width: width, links: links)
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
    while let line = splitter.next() { take(line) }
    return reader.layout.takeRows()
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
    for line in held { reader.read(line.markdown, continues: line.continues) }
    if let line = splitter.takeRest() { reader.read(line.markdown, continues: line.continues) }
    reader.close()
    return reader.layout.takeRows().suffix(limit)
  }

  /// Replaces the whole text, and returns the finished rows that are new.
  ///
  /// If the returned rows are those of a prefix of the new text, only the rest is new; otherwise
  /// the text begins again, and `differs` is true.
  package mutating func replace(with text: String) -> (rows: [StyledText], differs: Bool) {
    let differs = !returned.isPrefix(of: text)
    guard !differs else {
      var fresh = MarkdownStream(width: width, links: reader.layout.links)
      let rows = fresh.append(text)
      self = fresh
      return (rows, true)
    }
    restart()
    return (append(String(text.utf8.dropFirst(returned.count)) ?? ""), false)
  }

  /// Discards what is not returned yet.
  private mutating func restart() {
    splitter.restart(after: last)
    held = []
    scout = reader
    scout.layout.isSilent = true
  }

  private mutating func take(_ line: LineSplitter.Line) {
    scout.read(line.markdown, continues: line.continues)
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
      reader.read(line.markdown, continues: line.continues)
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

  func isPrefix(of text: String) -> Bool {
    guard text.utf8.count >= count else { return false }
    var other = TextPrefix()
    other.append(text.utf8.prefix(count))
    return other.hash == hash
  }
}
