// SPDX-License-Identifier: MIT

/// Lays out Markdown line by line: a row is returned as soon as no later line can change it.
///
/// A paragraph and a table wait for their end, up to a limit; everything else is laid out at once.
struct MarkdownReader: Sendable {
  /// The maximum width of tables.
  static let blockWidth = 200
  /// A longer paragraph, in bytes or lines, is laid out in parts.
  private static let paragraphLimit = 16 << 10
  private static let paragraphLines = 100

  enum Leaf: Sendable {
    case none
    case paragraph([MarkdownLine], bytes: Int)
    case code(MarkdownCode)
    case table(MarkdownTable)
  }

  var layout: MarkdownLayout
  var leaf = Leaf.none
  private var nests: [MarkdownNest] { layout.nests }
  /// The blank lines since the last line, if they may be outside of the innermost items.
  private var pendingBlanks = 0
  /// The least level of the pending blank lines.
  private var pendingFloor = 0
  /// The level of the last line if it was blank.
  private var blankLevel: Int?
  /// The number of lines of the open top-level block, including blank lines.
  ///
  /// It is 0 between blocks. The items of a list are one block.
  private(set) var openLines = 0
  /// The number of fenced blocks of code so far.
  private(set) var codeCount = 0

  init(width: Int, _ look: MarkdownLook) {
    layout = MarkdownLayout(width: max(Markdown.minimumWidth, width), look)
  }

  mutating func read(_ line: LineSplitter.Line) {
    openLines += 1
    if line.continues {
      readRest(line.markdown)
    } else {
      readLine(line.markdown)
    }
    if nests.isEmpty, case .none = leaf { openLines = 0 }
  }

  /// Ends all open blocks.
  mutating func close() {
    resolveBlanks(matched: 0)
    close(to: 0)
    finishLeaf()
    openLines = 0
  }

  private mutating func readLine(_ line: MarkdownLine) {
    let (matched, rest) = nests.match(line)
    if rest.isBlank, matched == nests.count { return readBlank(rest) }
    let isInList = nests.first?.isQuote == false
    resolveBlanks(matched: matched)
    close(to: matched)
    guard !rest.isBlank else { return readBlank(rest) }
    blankLevel = nil
    if !extendLeaf(by: rest) { open(rest, isInList: isInList) }
  }

  private mutating func readRest(_ line: MarkdownLine) {
    guard !line.isBlank else { return }
    if case .code(var code) = leaf {
      code.takeRest(line, in: &layout)
      leaf = .code(code)
      return
    }
    finishLeaf()
    leaf = .paragraph([line], bytes: line.bytes.count)
    if nests.isEmpty { openLines = 1 }
  }

  // MARK: - Blank lines

  /// Whether a blank line belongs to an item depends on the next line.
  private mutating func readBlank(_ line: MarkdownLine) {
    switch leaf {
    case .paragraph, .table: finishLeaf()
    case .none, .code: break
    }
    if nests.floor < nests.count {
      pendingBlanks += 1
      pendingFloor = nests.floor
    } else if case .code = leaf {
      _ = extendLeaf(by: line)
    } else {
      addBlank()
    }
  }

  /// Adds the pending blank lines at the level where they belong.
  private mutating func resolveBlanks(matched: Int) {
    guard pendingBlanks > 0 else { return }
    let level = max(matched, pendingFloor)
    if level >= nests.count, case .code = leaf {
      for _ in 0..<pendingBlanks { _ = extendLeaf(by: MarkdownLine([])) }
    } else {
      close(to: level)
      addBlank()
    }
    pendingBlanks = 0
  }

  /// Adds an empty row unless the last row is empty.
  private mutating func addBlank() {
    guard blankLevel != nests.count else { return }
    blankLevel = nests.count
    layout.addBlank()
  }

  // MARK: - Blocks

  /// Adds a line to the open block; returns false if it begins another one.
  private mutating func extendLeaf(by line: MarkdownLine) -> Bool {
    switch leaf {
    case .none: return false
    case .code(var code):
      leaf = .none
      if code.take(line, in: &layout) { leaf = .code(code) }
      return true
    case .table(var table):
      guard line.isRow else { break }
      leaf = .none
      layout.add(table.take(line, in: layout))
      leaf = .table(table)
      return true
    case .paragraph(var lines, let bytes):
      if let head = lines.last, MarkdownTable.begins(head, line) {
        lines.removeLast()
        layout.addParagraph(lines)
        leaf = .table(MarkdownTable(head: head, rule: line))
        if nests.isEmpty { openLines = 2 }
        return true
      }
      guard !line.opensBlock else { break }
      guard bytes + line.bytes.count <= Self.paragraphLimit, lines.count < Self.paragraphLines
      else { break }
      leaf = .none
      lines.append(line)
      leaf = .paragraph(lines, bytes: bytes + line.bytes.count)
      return true
    }
    finishLeaf()
    return false
  }

  /// Begins the block that a line opens, after the containers that it opens.
  private mutating func open(_ line: MarkdownLine, isInList: Bool) {
    var line = line
    if nests.isEmpty, !(isInList && line.opensItem) { openLines = 1 }
    while true {
      if line.isBlank { return addBlank() }
      if let fence = line.fence {
        codeCount += 1
        leaf = .code(MarkdownCode(fence, line, in: &layout))
        return
      }
      if let heading = line.heading { return layout.addHeading(heading, line) }
      if line.isRule { return layout.addRule() }
      if let quoted = line.quoted, layout.canNest(2) {
        layout.push(.quote, mark: MarkdownNest.bar, margin: MarkdownNest.bar)
        line = quoted
      } else if let item = line.item, layout.canNest(item.mark.count + 1) {
        line = push(item, line)
      } else if line.isCode {
        return layout.addIndentedCode(line)
      } else {
        leaf = .paragraph([line], bytes: line.bytes.count)
        return
      }
    }
  }

  /// Opens an item and returns the rest of its first line.
  private mutating func push(_ item: MarkdownLine.Item, _ line: MarkdownLine) -> MarkdownLine {
    var rest = MarkdownLine(line.bytes.dropFirst(item.textIndent))
    var mark = StyledText(item.mark + " ")
    if let task = rest.task, layout.canNest(item.mark.count + 5) {
      rest = task.rest
      mark = StyledText(task.box, task.isDone ? .success : .plain).with(" ")
    }
    let space = String(repeating: " ", count: DisplayWidth.of(mark.plain))
    // Agents indent lists below numbers less than the numbers' text.
    let leastIndent = min(item.textIndent, item.markIndent + 2)
    let kind = MarkdownNest.Kind.item(text: item.textIndent, least: leastIndent)
    layout.push(kind, mark: mark, margin: StyledText(space))
    return rest
  }

  private mutating func finishLeaf() {
    let ended = leaf
    leaf = .none
    switch ended {
    case .none, .code: break
    case .paragraph(let lines, _): layout.addParagraph(lines)
    case .table(var table): layout.add(table.finish(in: layout))
    }
  }

  private mutating func close(to level: Int) {
    guard nests.count > level else { return }
    finishLeaf()
    while nests.count > level { layout.pop() }
  }
}
