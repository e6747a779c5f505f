// SPDX-License-Identifier: MIT

struct MarkdownReader {
  /// Deeper lists and quotes, or those that leave less room, are shown as written.
  private static let depthLimit = 8
  private static let leastRoom = 12
  /// The maximum width of rules and tables.
  static let blockWidth = 200

  let width: Int
  private(set) var rows: [StyledText] = []
  /// The start of the rows of the current list or quote.
  private var margin = StyledText()
  /// The start of the next row if it differs: the mark of an item.
  private var mark: StyledText?
  private var depth = 0
  private var room: Int

  init(width: Int) {
    self.width = width
    room = width
  }

  func finish() -> [StyledText] {
    let start = rows.firstIndex { !$0.isEmpty } ?? rows.endIndex
    let end = rows.lastIndex { !$0.isEmpty } ?? start
    return start < rows.endIndex ? Array(rows[start...end]) : []
  }

  mutating func read(_ lines: ArraySlice<MarkdownLine>) {
    var rest = lines
    while let line = rest.first {
      if line.isBlank {
        rest = rest.drop(while: \.isBlank)
        addBlank()
      } else if let fence = line.fence {
        readCode(&rest, fence)
      } else if line.heading != nil {
        add(InlineText.pieces(of: line.text, style: .heading))
        rest.removeFirst()
      } else if line.isRule {
        add(StyledText(String(repeating: "─", count: min(room, Self.blockWidth)), .dim))
        rest.removeFirst()
      } else if line.quoted != nil, canNest(2) {
        readQuote(&rest)
      } else if let item = line.item, canNest(item.mark.count + 1) {
        readItem(&rest, item)
      } else if line.isCode {
        readIndentedCode(&rest)
      } else {
        readParagraph(&rest)
      }
    }
  }

  private func canNest(_ columns: Int) -> Bool {
    depth < Self.depthLimit && room - columns >= Self.leastRoom
  }

  // MARK: - Code

  /// Keeps the fences, so that code is recognizable without colours.
  private mutating func readCode(
    _ rest: inout ArraySlice<MarkdownLine>,
    _ fence: MarkdownLine.Fence
  ) {
    let opening = rest.removeFirst().dropping(indent: fence.indent)
    addCode(opening, .dim)
    while let line = rest.popFirst() {
      guard !line.closes(fence) else {
        addCode(line.dropping(indent: line.indent), .dim)
        break
      }
      addCode(line.dropping(indent: fence.indent), .code)
    }
  }

  private mutating func readIndentedCode(_ rest: inout ArraySlice<MarkdownLine>) {
    while let line = rest.first, line.isCode {
      addCode(line, .code)
      rest.removeFirst()
    }
  }

  /// Adds a line with its spaces; cuts it if it is too wide.
  private mutating func addCode(_ line: MarkdownLine, _ style: Style) {
    let goesOn = room > Markdown.minimumWidth * 2 ? StyledText("↪ ", .dim) : StyledText()
    for row in StyledText(line.text, style).cut(to: room, rest: goesOn) { add(row) }
  }

  // MARK: - Lists and quotes

  private mutating func readQuote(_ rest: inout ArraySlice<MarkdownLine>) {
    var quoted: [MarkdownLine] = []
    while let line = rest.first?.quoted {
      quoted.append(line)
      rest.removeFirst()
    }
    let bar = StyledText("│ ", .dim)
    nest(quoted[...], behind: bar, bar)
  }

  private mutating func readItem(
    _ rest: inout ArraySlice<MarkdownLine>,
    _ item: MarkdownLine.Item
  ) {
    let first = rest.removeFirst()
    var lines = [MarkdownLine(first.bytes.dropFirst(item.textIndent))]
    var mark = StyledText(item.mark + " ")
    if let task = lines[0].task, canNest(item.mark.count + 5) {
      lines[0] = task.rest
      mark = StyledText(task.box, task.isDone ? .success : .plain).with(" ")
    }
    // Agents indent lists below numbers less than the numbers' text.
    let leastIndent = min(item.textIndent, item.markIndent + 2)
    while let line = rest.first(where: { !$0.isBlank }), line.indent >= leastIndent {
      while let blank = rest.first, blank.isBlank {
        lines.append(blank)
        rest.removeFirst()
      }
      lines.append(line.dropping(indent: item.textIndent))
      rest.removeFirst()
    }
    let space = String(repeating: " ", count: DisplayWidth.of(mark.plain))
    nest(lines[...], behind: mark, StyledText(space))
  }

  private mutating func nest(
    _ lines: ArraySlice<MarkdownLine>,
    behind mark: StyledText,
    _ margin: StyledText
  ) {
    let outside = (margin: self.margin, room: room)
    let start = rows.count
    self.mark = (self.mark ?? self.margin).with(mark)
    self.margin = self.margin.with(margin)
    room -= DisplayWidth.of(margin.plain)
    depth += 1
    read(lines)
    if rows.count == start { add(StyledText()) }
    depth -= 1
    (self.margin, room) = outside
  }

  // MARK: - Text

  private mutating func readParagraph(_ rest: inout ArraySlice<MarkdownLine>) {
    if let table = MarkdownTable(&rest, width: min(room, Self.blockWidth)) {
      for row in table.rows { add(row) }
      return
    }
    var lines = [rest.removeFirst()]
    while let line = rest.first, !line.opensBlock, !MarkdownTable.begins(rest) {
      lines.append(line)
      rest.removeFirst()
    }
    add(InlineText.pieces(of: lines.map(\.text).joined(separator: "\n"), style: .plain))
  }

  /// Adds text wrapped at words.
  private mutating func add(_ pieces: [StyledText.Piece]) {
    var filler = RowFiller(width: room)
    for piece in pieces { filler.add(piece) }
    for row in filler.finish() { add(row) }
  }

  /// Adds an empty row unless the last row is empty.
  private mutating func addBlank() {
    if mark != nil || rows.last?.plain != margin.trimmed.plain { add(StyledText()) }
  }

  private mutating func add(_ row: StyledText) {
    let start = mark ?? margin
    rows.append(row.isEmpty ? start.trimmed : start.with(row))
    mark = nil
  }
}

extension StyledText {
  fileprivate var trimmed: StyledText {
    var line = StyledText()
    for (index, piece) in pieces.enumerated() {
      let isLast = pieces[(index + 1)...].allSatisfy { $0.text.allSatisfy { $0 == " " } }
      guard isLast else {
        line.append(piece.text, piece.style)
        continue
      }
      let end = piece.text.lastIndex { $0 != " " }
      if let end { line.append(String(piece.text[...end]), piece.style) }
      break
    }
    return line
  }
}
