// SPDX-License-Identifier: MIT

import OppiText

/// The rows of Markdown blocks for a width.
///
/// Empty rows at the start and at the end are omitted.
struct MarkdownLayout: Sendable {
  /// Lists and quotes that leave less room are shown as written.
  private static let leastRoom = 12
  /// Deeper lists and quotes are shown as written.
  private static let depthLimit = 8
  /// Longer rows of text are hard to read.
  static let proseWidth = 100
  private static let codeIndent = 2

  /// In columns, at least 2.
  var width: Int
  let look: MarkdownLook
  /// Only the structure is read; no rows are made.
  var isSilent = false
  /// The open quotes and list items, from the outermost.
  private(set) var nests: [MarkdownNest] = []
  private var rows: [StyledText] = []
  /// The mark of an item or quote that has no row yet.
  private var mark: StyledText?
  /// The number of rows so far, also without a layout.
  private(set) var rowCount = 0
  private var hasOutput = false
  /// The empty rows after the last row, used only if more follows.
  private var emptyRows = 0
  /// Whether the last row is code.
  private var isAfterCode = false
  private var last: String?

  init(width: Int, _ look: MarkdownLook) {
    (self.width, self.look) = (width, look)
  }

  /// The number of rows that were not taken yet.
  var shownCount: Int { rows.count }

  mutating func takeRows() -> [StyledText] {
    defer { rows = [] }
    return rows
  }

  // MARK: - Nests

  private var margin: StyledText { nests.last?.margin ?? StyledText() }

  var room: Int { room(ofWidth: width) }

  /// The room of text, and of what stands with it.
  private var proseRoom: Int { room(ofWidth: min(width, Self.proseWidth)) }

  private func room(ofWidth width: Int) -> Int {
    max(Markdown.minimumWidth, width - DisplayWidth.of(margin.plain))
  }

  func canNest(_ columns: Int) -> Bool {
    nests.count < Self.depthLimit && room - columns >= Self.leastRoom
  }

  mutating func push(_ kind: MarkdownNest.Kind, mark: StyledText, margin: StyledText) {
    self.mark = (self.mark ?? self.margin).with(mark)
    nests.append(MarkdownNest(kind: kind, margin: self.margin.with(margin), start: rowCount))
  }

  /// Closes the innermost nest; one without rows gets a row with its mark.
  mutating func pop() {
    let margin = margin
    if nests.removeLast().start == rowCount { add(StyledText(), margin) }
  }

  // MARK: - Blocks

  mutating func addParagraph(_ lines: [MarkdownLine]) {
    guard !lines.isEmpty else { return }
    add(text: lines.map(\.text).joined(separator: "\n"), .plain)
  }

  /// Adds a heading without its mark; one without text is shown as written.
  mutating func addHeading(_ heading: MarkdownLine.Heading, _ line: MarkdownLine) {
    let isWritten = look.keepsMarks || heading.text.isBlank
    add(text: isWritten ? line.text : heading.text.text, heading.level == 1 ? .title : .heading)
  }

  mutating func addRule() {
    add([StyledText(String(repeating: "─", count: proseRoom), .dim)])
  }

  /// Adds the mark of a code block.
  mutating func addFence(_ line: MarkdownLine) {
    addCut(StyledText(line.text, .dim), indent: 0)
  }

  /// Adds a line of code with its spaces, and a label at the right if there is room.
  ///
  /// Only spaces are at its left, so that it can be copied.
  mutating func addCode(_ line: StyledText, label: String = "") {
    let isIndented = !look.keepsMarks && room > Self.codeIndent * 2
    if isIndented, mark != nil, nests.last?.isQuote == false { add([StyledText()]) }
    let indent = isIndented ? Self.codeIndent : 0
    addCut(line.labelled(label, width: proseRoom - indent), indent: indent)
    isAfterCode = true
  }

  /// Adds a line of code that its spaces alone mark.
  mutating func addIndentedCode(_ line: MarkdownLine) {
    let code = look.keepsMarks ? line : line.dropping(indent: MarkdownLine.indentLimit + 1)
    addCode(StyledText(code.text))
  }

  /// Adds an empty row after another block of code, which would seem to go on.
  mutating func separateCode() {
    if isAfterCode { addBlank() }
  }

  /// Adds a line, cut if it is too wide, with continuation marks in its indent.
  private mutating func addCut(_ line: StyledText, indent: Int) {
    guard !isSilent else { return add([StyledText()]) }
    let space = StyledText(line.isEmpty ? "" : String(repeating: " ", count: indent))
    let goesOn = room > Markdown.minimumWidth * 2 ? StyledText("↪ ", .dim) : StyledText()
    add(line.cut(to: room, first: space, rest: goesOn))
  }

  mutating func addBlank() {
    if mark != nil || last != margin.trimmed.plain { add([StyledText()]) }
  }

  mutating func add(_ rows: [StyledText]) {
    for row in rows { add(row, margin) }
  }

  /// Adds text wrapped at words.
  mutating func add(text: String, _ style: Style) {
    guard !isSilent else { return add([StyledText()]) }
    var filler = RowFiller(width: proseRoom)
    filler.add(InlineText.styled(text, style, look))
    add(filler.finish())
  }

  private mutating func add(_ row: StyledText, _ margin: StyledText) {
    let start = mark ?? margin
    (mark, isAfterCode) = (nil, false)
    rowCount += 1
    guard !isSilent else { return }
    let row = row.isEmpty ? start.trimmed : start.with(row)
    last = row.plain
    guard !row.isEmpty else {
      if hasOutput { emptyRows += 1 }
      return
    }
    rows += repeatElement(StyledText(), count: emptyRows)
    rows.append(row)
    (emptyRows, hasOutput) = (0, true)
  }
}

extension StyledText {
  /// The line with a label at the right; without it if there is no room.
  fileprivate func labelled(_ label: String, width: Int) -> StyledText {
    guard !label.isEmpty else { return self }
    let space = width - DisplayWidth.of(plain) - DisplayWidth.of(label)
    guard space >= 2 else { return self }
    return with(StyledText(String(repeating: " ", count: space))).with(StyledText(label, .dim))
  }
}

/// Wraps text at words into rows.
///
/// A word wider than a row is cut at its end. Text can be cut between any wide characters, as in
/// Chinese and Japanese.
package struct RowFiller {
  private let width: Int
  private var rows: [StyledText] = []
  private var row = Run()
  /// The spaces after the row, used only if more text follows in it.
  private var gap = Run()
  private var word = Run()

  private struct Run {
    var text = StyledText()
    var columns = 0

    mutating func add(_ part: String, _ piece: StyledText.Piece, columns: Int) {
      text.append(joining: part, piece.style, link: piece.link)
      self.columns += columns
    }

    mutating func add(_ other: Run) {
      for piece in other.text.pieces {
        text.append(joining: piece.text, piece.style, link: piece.link)
      }
      columns += other.columns
    }
  }

  /// Creates a filler for rows of at least two columns.
  init(width: Int) {
    self.width = width
  }

  /// Returns a text in rows that are safe to show, with its own line breaks.
  package static func rows(of text: String, _ style: Style, width: Int) -> [StyledText] {
    var filler = RowFiller(width: max(2, width))
    let text = text.safeBlock().split(separator: "\t", omittingEmptySubsequences: false)
      .joined(separator: "    ")
    filler.add(StyledText(text, style))
    return filler.finish()
  }

  mutating func add(_ text: StyledText) { for piece in text.pieces { add(piece) } }

  private mutating func add(_ piece: StyledText.Piece) {
    for part in piece.text.parts(within: width) {
      let part = String(part)
      let columns = DisplayWidth.of(part)
      switch part {
      case "\n":
        endWord()
        endRow()
      case " ":
        endWord()
        gap.add(part, piece, columns: columns)
      default: add(part, piece, columns: columns)
      }
    }
  }

  mutating func finish() -> [StyledText] {
    endWord()
    endRow()
    return rows
  }

  private mutating func add(_ part: String, _ piece: StyledText.Piece, columns: Int) {
    let isWide = columns > 1
    if isWide || word.columns + columns > width { endWord() }
    word.add(part, piece, columns: columns)
    if isWide { endWord() }
  }

  private mutating func endWord() {
    guard !word.text.isEmpty else { return }
    if row.columns + gap.columns + word.columns > width, row.columns > 0 { endRow() }
    // Spaces that leave no room for the word are dropped.
    if gap.columns + word.columns <= width { row.add(gap) }
    row.add(word)
    gap = Run()
    word = Run()
  }

  private mutating func endRow() {
    rows.append(row.text)
    row = Run()
    gap = Run()
  }
}
