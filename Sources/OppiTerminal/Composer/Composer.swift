// SPDX-License-Identifier: MIT

/// A multi-line text editor with the keys of a shell.
///
/// Up and Down move between lines and, beyond the first and the last line, through earlier
/// messages. Ctrl-R searches these messages.
package struct Composer: Sendable {
  private(set) var buffer = EditBuffer()
  private var history: MessageHistory
  private var undo = UndoStack()
  package private(set) var search: HistorySearch?
  /// Whether the text stays on one line: a line end in a paste becomes a space.
  package var isOneLine = false
  /// The text that Ctrl-Y inserts.
  private var killed = ""
  /// Whether the last key removed text for Ctrl-Y; the next such key extends it.
  private var isKilling = false
  /// Whether a paste of several lines is shown as a placeholder.
  private let foldsPastes: Bool
  private(set) var pastes = PastedTexts()

  /// Creates an empty composer with the earlier messages, oldest first.
  ///
  /// With `foldsPastes`, a paste of several lines is shown as a placeholder until Ctrl-O.
  package init(history: [String] = [], foldsPastes: Bool = false) {
    self.history = MessageHistory(history)
    self.foldsPastes = foldsPastes
  }

  /// An empty field for one line.
  package static var oneLine: Composer {
    var field = Composer()
    field.isOneLine = true
    return field
  }

  /// The text, with pastes in full.
  package var text: String { pastes.expanded(buffer.characters) }

  /// Whether a placeholder is shown.
  package var hasFoldedPaste: Bool {
    buffer.characters.contains { pastes.label(of: $0) != nil }
  }

  package var isEmpty: Bool { buffer.isEmpty }

  /// Replaces the text and moves the cursor to its end.
  package mutating func replace(_ text: String) {
    undo.keep(buffer, typing: false)
    buffer = EditBuffer(text)
  }

  /// Replaces the last characters before the cursor.
  package mutating func complete(last count: Int, with text: String) {
    undo.keep(buffer, typing: false)
    buffer.replace(last: count, with: text)
  }

  /// Adds a text to the history as if it had been sent; returns false for blank text.
  package mutating func keep(_ text: String) -> Bool {
    guard !text.allSatisfy(\.isWhitespace) else { return false }
    history.remember(text)
    return true
  }

  /// Clears the text; Up and Ctrl-_ restore it.
  package mutating func clear() {
    _ = keep(text)
    replace("")
  }

  /// Applies a key and returns the action that remains for the owner.
  package mutating func apply(_ key: Key) -> ComposerAction? {
    if search != nil, look(by: key) { return nil }
    let before = buffer
    let action = perform(key)
    if buffer.characters != before.characters, key != .undo {
      undo.keep(before, typing: key.isTyping)
    } else if !key.isTyping {
      undo.endTyping()
    }
    return action
  }

  private mutating func perform(_ key: Key) -> ComposerAction? {
    let wasKilling = isKilling
    isKilling = false
    switch key {
    case .text(let text): buffer.insert(text)
    case .paste(let text): paste(text)
    case .newline: if !isOneLine { buffer.insert("\n") }
    case .enter: return send()
    case .backspace: buffer.remove(before(buffer.cursor))
    case .delete: buffer.remove(after(buffer.cursor))
    case .deleteWord:
      let end = buffer.wordEnd(where: Self.isInName)
      kill(buffer.cursor..<end, extends: wasKilling)
    case .left: buffer.move(to: buffer.cursor - 1)
    case .right: buffer.move(to: buffer.cursor + 1)
    case .up: moveUp()
    case .down: moveDown()
    case .home: buffer.move(to: buffer.lineStart)
    case .end: buffer.move(to: buffer.lineEnd)
    case .wordLeft: buffer.move(to: buffer.wordStart(where: Self.isInName))
    case .wordRight: buffer.move(to: buffer.wordEnd(where: Self.isInName))
    case .undo: if let earlier = undo.take() { buffer = earlier }
    case .control(let letter): return control(letter, wasKilling: wasKilling)
    case .pageUp, .pageDown, .tab, .escape, .focus, .modified: return .key(key)
    }
    return nil
  }

  private static let moves: [Character: Key] = [
    "a": .home, "b": .left, "e": .end, "f": .right, "n": .down, "p": .up,
  ]

  private mutating func control(_ letter: Character, wasKilling: Bool) -> ComposerAction? {
    if let key = Self.moves[letter] { return perform(key) }
    switch letter {
    case "c": return .interrupt
    case "d":
      if buffer.isEmpty { return .endOfInput }
      return perform(.delete)
    case "g": return .openEditor
    case "k": kill(lineEndRange, extends: wasKilling)
    case "l": return .redraw
    case "o": unfoldPastes()
    case "r": search = HistorySearch(in: history.messages, leaving: buffer)
    case "u": kill(lineStartRange, extends: wasKilling)
    case "w":
      let start = buffer.wordStart { !$0.isWhitespace }
      kill(start..<buffer.cursor, extends: wasKilling)
    case "y": buffer.insert(killed)
    case "z": return .suspend
    default: return .key(.control(letter))
    }
    return nil
  }

  private mutating func paste(_ text: String) {
    if isOneLine {
      buffer.insert(text.split(whereSeparator: \.isNewline).joined(separator: " "))
    } else if foldsPastes, let mark = pastes.keep(text.editable()) {
      buffer.insert(mark)
    } else {
      buffer.insert(text)
    }
  }

  private mutating func unfoldPastes() {
    guard hasFoldedPaste else { return }
    let cursor = EditBuffer(pastes.expanded(buffer.characters[..<buffer.cursor])).cursor
    buffer = EditBuffer(text)
    buffer.move(to: cursor)
  }

  private mutating func send() -> ComposerAction? {
    let text = text
    guard !text.allSatisfy(\.isWhitespace) else { return nil }
    history.remember(text)
    buffer = EditBuffer()
    return .send(text)
  }

  private mutating func moveUp() {
    guard !buffer.moveUp(), let message = history.older(leaving: text) else { return }
    buffer = EditBuffer(message)
  }

  private mutating func moveDown() {
    guard !buffer.moveDown(), let message = history.newer() else { return }
    buffer = EditBuffer(message)
  }

  // MARK: - Searching

  /// Applies a key to the search; returns false for a key that ends the search and keeps its usual
  /// meaning.
  ///
  /// Enter only accepts the match; a second Enter sends it.
  private mutating func look(by key: Key) -> Bool {
    switch key {
    case .text(let text), .paste(let text): search?.extend(by: text)
    case .backspace: search?.shorten()
    case .control("r"): search?.goOn()
    case .enter: search = nil
    case .escape, .control("c"), .control("g"):
      if let draft = search?.draft { buffer = draft }
      search = nil
    default:
      search = nil
      return false
    }
    if let search { buffer = search.match.map { EditBuffer($0) } ?? search.draft }
    return true
  }

  // MARK: - Removing

  private mutating func kill(_ range: Range<Int>, extends: Bool) {
    let part = pastes.expanded(buffer.characters[range])
    let isBefore = range.lowerBound < buffer.cursor
    killed = !extends ? part : isBefore ? part + killed : killed + part
    isKilling = true
    buffer.remove(range)
  }

  /// The text from the start of the line to the cursor; at the start, the preceding line break.
  private var lineStartRange: Range<Int> {
    let start = buffer.lineStart
    return start < buffer.cursor ? start..<buffer.cursor : before(start)
  }

  /// The text from the cursor to the end of the line; at the end, the line break.
  private var lineEndRange: Range<Int> {
    let end = buffer.lineEnd
    return end > buffer.cursor ? buffer.cursor..<end : after(end)
  }

  private func before(_ position: Int) -> Range<Int> { max(0, position - 1)..<position }

  private func after(_ position: Int) -> Range<Int> {
    position..<min(buffer.characters.count, position + 1)
  }

  private static func isInName(_ character: Character) -> Bool {
    character.isLetter || character.isNumber
  }
}

package enum ComposerAction: Sendable, Equatable {
  /// Enter: send the text, which is not blank; the composer is now empty and the history has the
  /// text.
  case send(String)
  /// Ctrl-G: edit the text in an editor and return it with ``Composer/replace(_:)``.
  case openEditor
  /// Ctrl-C.
  case interrupt
  /// Ctrl-D on an empty text.
  case endOfInput
  /// Ctrl-Z.
  case suspend
  /// Ctrl-L: redraw the screen.
  case redraw
  /// A key that the composer does not use.
  case key(Key)
}

extension Key {
  fileprivate var isTyping: Bool {
    if case .text = self { true } else { false }
  }
}

extension Composer {
  /// Lays out the text after a prompt; later rows are indented to the width of the prompt.
  ///
  /// A prompt wider than half of `width` is truncated. If there are more than `maxRows` rows, those
  /// around the cursor are returned. There is at least one line.
  package func layout(
    width: Int,
    prompt: StyledText,
    maxRows: Int
  ) -> ScreenBlock {
    let prompt = prompt.truncated(to: width / 2)
    let indent = DisplayWidth.of(prompt.plain)
    let maxRows = max(1, maxRows)
    let range = nearbyLines(maxRows)
    let grid = ComposerGrid(buffer, range, pastes, width: max(1, width - indent))
    let top = max(0, min(grid.cursor.row - maxRows / 2, grid.rows.count - maxRows))
    let lines = grid.rows.enumerated().dropFirst(top).prefix(maxRows).map { row, text in
      let isFirst = row == 0 && range.lowerBound == 0
      var line = isFirst ? prompt : StyledText(String(repeating: " ", count: indent))
      line.append(text)
      return line
    }
    let cursor = Cursor(row: grid.cursor.row - top, column: indent + grid.cursor.column)
    return ScreenBlock(lines: lines, cursor: cursor)
  }

  /// The lines around the cursor that can be visible at most, so that a long text costs no more.
  private func nearbyLines(_ count: Int) -> Range<Int> {
    let characters = buffer.characters
    var (start, end) = (buffer.lineStart, buffer.lineEnd)
    for _ in 1..<max(2, count) {
      if start > 0 { start = buffer.start(ofLineAt: start - 1) }
      if end < characters.count {
        end = characters[(end + 1)...].firstIndex(of: "\n") ?? characters.count
      }
    }
    return start..<end
  }
}

private struct ComposerGrid {
  private let width: Int
  private let pastes: PastedTexts
  private(set) var rows = [""]
  private(set) var cursor = (row: 0, column: 0)
  private var column = 0

  init(_ buffer: EditBuffer, _ range: Range<Int>, _ pastes: PastedTexts, width: Int) {
    (self.width, self.pastes) = (width, pastes)
    for position in range {
      let character = buffer.characters[position]
      if position == buffer.cursor { placeCursor(before: character) }
      append(character)
    }
    if range.upperBound == buffer.cursor { placeCursor(before: "\n") }
  }

  /// Moves the cursor to the next row if the character does not fit in this one.
  private mutating func placeCursor(before character: Character) {
    makeRoom(for: max(1, cells(of: character).columns))
    cursor = (rows.count - 1, column)
  }

  private mutating func append(_ character: Character) {
    if character == "\n" { return beginRow() }
    let (text, columns) = cells(of: character)
    makeRoom(for: columns)
    rows[rows.count - 1] += text
    column += columns
  }

  private func cells(of character: Character) -> (text: String, columns: Int) {
    if let label = pastes.label(of: character) {
      let fits = DisplayWidth.prefix(of: label, width: width)
      return (fits, DisplayWidth.of(fits))
    }
    let columns = character.columns
    return columns > width ? ("…", 1) : (character.cells, columns)
  }

  private mutating func makeRoom(for columns: Int) {
    if column + columns > width { beginRow() }
  }

  private mutating func beginRow() {
    rows.append("")
    column = 0
  }
}
