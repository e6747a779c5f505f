// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport

/// A region and its terminal, with the expected content of the screen.
struct RegionOnScreen {
  var region = LiveRegion(in: .standard)
  var terminal: TerminalEmulator
  private var printed = ["before"]
  private var block: [String] = []
  private var cursor: Cursor?
  private var isDrawn = false

  init(width: Int, height: Int, reflows: Bool = true) {
    terminal = TerminalEmulator(width: width, height: height, reflows: reflows)
    terminal.feed(Array("before\r\n".utf8))
  }

  var size: ScreenSize { ScreenSize(columns: terminal.width, rows: terminal.height) }

  mutating func draw(
    _ lines: [StyledText],
    cursor: Cursor?,
    above: [StyledText] = []
  ) {
    let picture = Canvas(lines, width: terminal.width)
    terminal.feed(region.draw(picture, cursor: cursor, on: size, above: above))
    printed += above.map(\.plain)
    let hidden = max(0, lines.count - terminal.height + 1)
    block = lines.dropFirst(hidden).map(\.plain)
    self.cursor = cursor.map { Cursor(row: $0.row - hidden, column: $0.column) }
    if let row = self.cursor?.row, row < 0 { self.cursor = nil }
    isDrawn = true
  }

  mutating func drawRandomly(_ lines: [StyledText], _ generator: inout SeededGenerator) {
    let row = lines.indices.randomElement(using: &generator)
    let cursor = row.map { row in
      let columns = min(DisplayWidth.of(lines[row].plain), terminal.width - 1)
      return Cursor(row: row, column: Int.random(in: 0...columns, using: &generator))
    }
    let above = Bool.random(using: &generator) ? [] : generator.lines(0...3, width: 60)
    draw(lines, cursor: Bool.random(using: &generator) ? cursor : nil, above: above)
  }

  mutating func print(_ lines: [StyledText]) {
    terminal.feed(region.printAbove(lines))
    printed += lines.map(\.plain)
  }

  mutating func finish() {
    terminal.feed(region.finish())
    printed += block
    (block, cursor, isDrawn) = ([], nil, false)
  }

  mutating func erase() {
    terminal.feed(region.erase())
    (block, cursor, isDrawn) = ([], nil, false)
  }

  /// Whether all printed text is on the screen or in the scrollback, in order, above the block.
  var hasAllText: Bool {
    var rest = terminal.lines.joined(separator: "\n")[...]
    for text in printed + block where !text.isEmpty {
      guard let range = rest.firstRange(of: text) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }

  /// Differences between the screen and the expected content.
  var defects: [String] {
    var defects = terminal.unknown.map { "unknown sequence \($0)" }
    var lines = printed + block
    while lines.last == "" { lines.removeLast() }
    if terminal.lines != lines { defects.append("\(terminal.lines) and not \(lines)") }
    if !terminal.wraps { defects.append("wrapping is off") }
    if terminal.isUpdating { defects.append("the update has no end") }
    if terminal.isCursorShown != (cursor != nil || !isDrawn) { defects.append("cursor shown") }
    let place = cursor ?? Cursor(row: 0, column: 0)
    if terminal.cursor != (printed.count + place.row, place.column) {
      defects.append(
        "cursor in \(terminal.cursor), not line \(printed.count) and \(place.row), \(place.column)"
      )
    }
    return defects
  }
}
