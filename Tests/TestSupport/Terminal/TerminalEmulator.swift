// SPDX-License-Identifier: MIT

import OppiTerminal

/// A terminal with a scrollback and an alternate screen, limited to the sequences of frames.
package struct TerminalEmulator: Sendable {
  private struct Row: Sendable, Equatable {
    /// One cell per column; the second cell of a wide character is empty.
    var cells: [String] = []
    /// Whether the line continues in the next row.
    var isWrapped = false
  }

  package private(set) var width: Int
  package private(set) var height: Int
  package private(set) var isCursorShown = true
  package private(set) var wraps = true
  package private(set) var isUpdating = false
  /// Whether the terminal reports the focus of its window.
  package private(set) var reportsFocus = false
  /// The text that a program has copied, in base64.
  package private(set) var copied: String?
  /// The notifications of a program.
  package private(set) var calls: [String] = []
  /// The reported program statuses, in order.
  package private(set) var statuses: [String] = []
  /// Whether the wheel is sent as keys on the alternate screen, and what a program has saved.
  package private(set) var sendsWheel = false
  private var savedWheel: Bool?
  /// The modes of the mouse that are set.
  package private(set) var mouseModes: Set<String> = []
  /// The selected colours and attributes.
  package private(set) var styles: Set<String> = []
  /// Whether pasted text is marked.
  package private(set) var marksPastes = false
  /// The title of the window; `nil` unless a program has set one.
  package private(set) var title: String?
  /// The number of titles that a program has saved and not restored.
  package private(set) var savedTitles = 0
  /// What a program has asked and was not answered, in order.
  private var questions: [Question] = []
  /// Whether a program has asked for the background.
  package private(set) var isAsked = false
  /// Sequences that frames must not use.
  package private(set) var unknown: [String] = []

  private enum Question {
    case background
    case attributes
    case status
  }

  /// Whether a resize wraps the lines to the new width, as most terminals do, and xterm does not.
  private let reflows: Bool
  /// The widths of characters; `nil` if they are those that the program counts.
  private let widths: TerminalWidths?
  private var rows = [Row()]
  private var top = 0
  private var row = 0
  private var column = 0
  /// The last column is full; the next character goes to the next row.
  private var isPastEdge = false
  /// The main screen while the alternate screen is shown.
  private var main: (rows: [Row], top: Int, row: Int, column: Int)?

  package init(width: Int, height: Int, reflows: Bool = true, widths: TerminalWidths? = nil) {
    (self.width, self.height, self.reflows, self.widths) = (width, height, reflows, widths)
  }

  package var isAlternate: Bool { main != nil }

  /// All lines, including the scrollback, without trailing blanks; those of the alternate screen
  /// while it is shown.
  package var lines: [String] {
    var lines = logicalLines.map { trimmed($0.joined()) }
    while lines.last == "" { lines.removeLast() }
    return lines
  }

  /// The text of a row of the screen from a column on, both from 0.
  package func text(row: Int, from column: Int) -> String {
    let cells = rows.dropFirst(top + row).first?.cells ?? []
    return trimmed(cells.dropFirst(column).joined())
  }

  /// The cursor's line and its column in that line.
  package var cursor: (line: Int, column: Int) {
    let start = rows[..<row].lastIndex { !$0.isWrapped }.map { $0 + 1 } ?? 0
    let line = rows[..<row].count { !$0.isWrapped }
    return (line, rows[start..<row].reduce(0) { $0 + $1.cells.count } + column)
  }

  package mutating func feed(_ bytes: [UInt8]) {
    var rest = String(decoding: bytes, as: UTF8.self)[...]
    while let character = rest.popFirst() {
      switch character {
      case "\u{1B}": control(&rest)
      case "\r\n":
        column = 0
        lineFeed()
      case "\n": lineFeed()
      case "\u{07}", "\0": break
      case "\r": (column, isPastEdge) = (0, false)
      default: put(character)
      }
    }
  }

  // MARK: - Sequences

  private mutating func control(_ rest: inout Substring) {
    var sequence = String(rest.popFirst() ?? "?")
    if sequence == "]" { return operatingSystemCommand(&rest) }
    while let next = rest.popFirst() {
      sequence.append(next)
      if ("@"..."~").contains(next), sequence.count > 1 { break }
    }
    let number = Int(sequence.dropFirst().dropLast()) ?? 1
    switch (sequence, sequence.last) {
    case ("[?25h", _): isCursorShown = true
    case ("[?25l", _): isCursorShown = false
    case ("[?7h", _): wraps = true
    case ("[?7l", _): wraps = false
    case ("[?2026h", _): isUpdating = true
    case ("[?2026l", _): isUpdating = false
    case ("[?1004h", _): reportsFocus = true
    case ("[?1004l", _): reportsFocus = false
    case ("[?2004h", _): marksPastes = true
    case ("[?2004l", _): marksPastes = false
    case ("[?1000h", _), ("[?1006h", _): mouseModes.insert(String(sequence.dropLast()))
    case ("[?1000l", _), ("[?1006l", _): mouseModes.remove(String(sequence.dropLast()))
    case ("[?1007s", _): savedWheel = sendsWheel
    case ("[?1007r", _): sendsWheel = savedWheel ?? sendsWheel
    case ("[?1007h", _): sendsWheel = true
    case ("[?1007l", _): sendsWheel = false
    case ("[?1049h", _): enterAlternate()
    case ("[?1049l", _): leaveAlternate()
    case ("[22;2t", _): savedTitles += 1
    case ("[23;2t", _): (savedTitles, title) = (savedTitles - 1, nil)
    case ("[c", _): questions.append(.attributes)
    case ("[5n", _): questions.append(.status)
    case ("[K", _): eraseRow()
    case ("[J", _) where row == top && column == 0:
      // Like tmux, which keeps the rows of a screen that is cleared whole.
      top = rows.count
      move(to: top, 0)
    case ("[J", _):
      eraseRow()
      rows.removeSubrange((row + 1)...)
    case (_, "m"): styles.insert(String(sequence.dropFirst().dropLast()))
    case (_, "G"): move(to: row, min(width, number) - 1)
    case (_, "H"):
      let place = sequence.dropFirst().dropLast().split(separator: ";").compactMap { Int($0) }
      guard place.count == 2 else { return unknown.append(sequence) }
      move(to: min(top + height, top + place[0]) - 1, min(width, place[1]) - 1)
    case (_, "A"): move(to: max(top, row - number), column)
    case (_, "B"): move(to: min(top + height - 1, row + number), column)
    case (_, "C"): move(to: row, min(width - 1, column + number))
    default: unknown.append(sequence)
    }
  }

  /// Reads a title, a notification or a copied text, which a bell ends.
  private mutating func operatingSystemCommand(_ rest: inout Substring) {
    var text = ""
    while let next = rest.popFirst(), next != "\u{07}" { text.append(next) }
    switch text.prefix(2) {
    case "11" where text == "11;?": (questions, isAsked) = (questions + [.background], true)
    case "2;": title = String(text.dropFirst(2))
    case "9;": calls.append(String(text.dropFirst(2)))
    case "75" where text.hasPrefix("7501;"): statuses.append(String(text.dropFirst(5)))
    case "52" where text.hasPrefix("52;c;"): copied = String(text.dropFirst(5))
    default: unknown.append("]\(text)")
    }
  }

  /// Takes the questions of a program, and returns the answers of a terminal with a background, which
  /// is written as in `ffff/ffff/ffff`; one without a background answers its attributes only.
  package mutating func answers(background: String?) -> String {
    defer { questions = [] }
    return questions.map { question in
      switch question {
      case .background: background.map { "\u{1B}]11;rgb:\($0)\u{1B}\\" } ?? ""
      case .attributes: "\u{1B}[?62;22c"
      case .status: "\u{1B}[0n"
      }
    }
    .joined()
  }

  private mutating func enterAlternate() {
    if main == nil { main = (rows, top, row, column) }
    (rows, top) = ([Row()], 0)
    move(to: 0, 0)
  }

  private mutating func leaveAlternate() {
    guard let main else { return }
    (rows, top, row, column) = main
    (self.main, isPastEdge) = (nil, false)
  }

  private mutating func move(to row: Int, _ column: Int) {
    (self.row, self.column, isPastEdge) = (row, column, false)
    while rows.count <= row { rows.append(Row()) }
  }

  private mutating func eraseRow() {
    rows[row].cells.removeSubrange(min(column, rows[row].cells.count)...)
    rows[row].isWrapped = false
  }

  private mutating func lineFeed() {
    move(to: row + 1, column)
    top = max(top, row - height + 1)
  }

  private mutating func put(_ character: Character) {
    let text = String(character)
    guard let widths else { return put(text, DisplayWidth.of(text)) }
    for (scalar, columns) in widths.of(text) { put(scalar, columns) }
  }

  private mutating func put(_ text: String, _ columns: Int) {
    guard columns > 0 else { return join(text) }
    if isPastEdge || column + columns > width {
      if wraps {
        rows[row].isWrapped = true
        column = 0
        lineFeed()
      } else {
        column = max(0, width - columns)
      }
    }
    let end = column + columns
    while rows[row].cells.count < end { rows[row].cells.append(" ") }
    // The other half of a wide character that is overwritten in part is blank.
    if rows[row].cells[column].isEmpty, column > 0 { rows[row].cells[column - 1] = " " }
    if rows[row].cells.indices.contains(end), rows[row].cells[end].isEmpty {
      rows[row].cells[end] = " "
    }
    rows[row].cells[column] = text
    for second in (column + 1)..<end { rows[row].cells[second] = "" }
    isPastEdge = end >= width
    column = min(end, width - 1)
  }

  /// Draws a text without columns over the character before it.
  private mutating func join(_ text: String) {
    var last = isPastEdge ? column : column - 1
    while last > 0, rows[row].cells.indices.contains(last), rows[row].cells[last].isEmpty {
      last -= 1
    }
    if rows[row].cells.indices.contains(last) { rows[row].cells[last] += text }
  }

  // MARK: - Size

  private var logicalLines: [[String]] {
    var lines: [[String]] = [[]]
    for row in rows {
      lines[lines.count - 1] += row.cells
      if !row.isWrapped { lines.append([]) }
    }
    return lines
  }

  /// Changes the size; the cursor keeps its position in its line.
  package mutating func resize(width: Int, height: Int) {
    guard reflows, !isAlternate else { return cut(width: width, height: height) }
    let cursor = cursor
    let (oldTop, lines) = (rows[..<top].count { !$0.isWrapped }, logicalLines.dropLast())
    (self.width, self.height, isPastEdge) = (width, height, false)
    rows = []
    top = 0
    for (index, line) in lines.enumerated() {
      if index == oldTop { top = rows.count }
      let first = rows.count
      var rest = line[...]
      repeat {
        // A wide character does not cross the edge.
        let fits = rest.count > width && rest.dropFirst(width).first == "" ? width - 1 : width
        rows.append(Row(cells: Array(rest.prefix(fits)), isWrapped: rest.count > fits))
        rest = rest.dropFirst(fits)
      } while !rest.isEmpty
      guard index == cursor.line else { continue }
      (row, column) = (first, cursor.column)
      while rows[row].isWrapped, column >= rows[row].cells.count {
        column -= rows[row].cells.count
        row += 1
      }
      column = min(column, width - 1)
    }
    top = max(top, row - height + 1)
  }

  /// Changes the size of a screen whose lines the terminal cuts instead of wrapping them; the main
  /// screen keeps its scrollback.
  private mutating func cut(width: Int, height: Int) {
    (self.width, self.height, isPastEdge) = (width, height, false)
    if !isAlternate { top = max(top, row - height + 1) }
    rows = rows.prefix(top + height).map { Row(cells: Array($0.cells.prefix(width))) }
    (row, column) = (min(row, rows.count - 1), min(column, width - 1))
  }

  private func trimmed(_ line: String) -> String {
    var line = line[...]
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}
