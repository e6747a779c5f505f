// SPDX-License-Identifier: MIT

/// A text of several lines that is edited by keys, as in a good shell, and sent.
///
/// Up and down move between lines and, past the first and the last, through earlier messages; Ctrl-R
/// searches these.
package struct Composer: Sendable {
  private(set) var buffer = EditBuffer()
  private var history: MessageHistory
  private var undo = UndoStack()
  /// What is being looked for among the earlier messages; `nil` while nothing is.
  package private(set) var search: HistorySearch?
  /// What Ctrl-Y brings back.
  private var killed = ""
  /// Whether the last key removed text for Ctrl-Y, so that the next one adds to it.
  private var isKilling = false

  /// Makes an empty composer with the messages sent before, oldest first.
  package init(history: [String] = []) {
    self.history = MessageHistory(history)
  }

  package var text: String { buffer.text }

  package var isEmpty: Bool { buffer.isEmpty }

  /// Puts a text in place of what is there, with the cursor at its end.
  package mutating func replace(_ text: String) {
    undo.keep(buffer, typing: false)
    buffer = EditBuffer(text)
  }

  /// Keeps a text as if it had been sent, so that Up brings it back; false for a blank one.
  package mutating func keep(_ text: String) -> Bool {
    guard !text.allSatisfy(\.isWhitespace) else { return false }
    history.remember(text)
    return true
  }

  /// Takes the text away; Up brings it back as if it had been sent, and so does Ctrl-_.
  package mutating func clear() {
    _ = keep(buffer.text)
    replace("")
  }

  /// Does what a key means, and returns what is left for the owner to do.
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
    case .text(let text), .paste(let text): buffer.insert(text)
    case .newline: buffer.insert("\n")
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
    case .pageUp, .pageDown, .tab, .escape: return .key(key)
    }
    return nil
  }

  private mutating func control(_ letter: Character, wasKilling: Bool) -> ComposerAction? {
    switch letter {
    case "a": return perform(.home)
    case "b": return perform(.left)
    case "c": return .interrupt
    case "d":
      if buffer.isEmpty { return .endOfInput }
      return perform(.delete)
    case "e": return perform(.end)
    case "f": return perform(.right)
    case "g": return .openEditor
    case "k": kill(lineEndRange, extends: wasKilling)
    case "l": return .redraw
    case "n": return perform(.down)
    case "p": return perform(.up)
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

  private mutating func send() -> ComposerAction? {
    let text = buffer.text
    guard !text.allSatisfy(\.isWhitespace) else { return nil }
    history.remember(text)
    buffer = EditBuffer()
    return .send(text)
  }

  private mutating func moveUp() {
    guard !buffer.moveUp(), let message = history.older(leaving: buffer.text) else { return }
    buffer = EditBuffer(message)
  }

  private mutating func moveDown() {
    guard !buffer.moveDown(), let message = history.newer() else { return }
    buffer = EditBuffer(message)
  }

  // MARK: - Searching

  /// Takes a key of a search; false where it ends the search and means what it always does.
  ///
  /// Enter only takes what was found: it is sent by the next.
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
    let part = String(buffer.characters[range])
    let isBefore = range.lowerBound < buffer.cursor
    killed = !extends ? part : isBefore ? part + killed : killed + part
    isKilling = true
    buffer.remove(range)
  }

  /// The line before the cursor; at its start the line break before it.
  private var lineStartRange: Range<Int> {
    let start = buffer.lineStart
    return start < buffer.cursor ? start..<buffer.cursor : before(start)
  }

  /// The line after the cursor; at its end the line break.
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

/// What a ``Composer`` asks of its owner after a key.
package enum ComposerAction: Sendable, Equatable {
  /// Enter: a text that is not blank; the composer is empty now and remembers it.
  case send(String)
  /// Ctrl-G: the text is to be edited elsewhere and given back by ``Composer/replace(_:)``.
  case openEditor
  /// Ctrl-C.
  case interrupt
  /// Ctrl-D while there is no text.
  case endOfInput
  /// Ctrl-Z.
  case suspend
  /// Ctrl-L: the screen is to be drawn anew.
  case redraw
  /// A key that the composer has no use for.
  case key(Key)
}

extension Key {
  /// Whether it adds to a text character by character.
  fileprivate var isTyping: Bool {
    if case .text = self { true } else { false }
  }
}
