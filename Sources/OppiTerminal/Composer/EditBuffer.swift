// SPDX-License-Identifier: MIT

import OppiText

/// A multi-line text with a cursor between two characters.
struct EditBuffer: Sendable {
  /// The text as grapheme clusters; lines end with a line feed.
  private(set) var characters: [Character] = []
  /// The number of characters before the cursor.
  private(set) var cursor = 0
  /// The column for vertical moves, kept across shorter lines.
  private var goal: Int?

  init(_ text: String = "") {
    insert(text)
  }

  var isEmpty: Bool { characters.isEmpty }

  // MARK: - Changes

  /// Inserts a text at the cursor, without control characters.
  mutating func insert(_ text: String) {
    replace(cursor..<cursor, with: text.editable())
  }

  /// Inserts a character as it is.
  mutating func insert(_ mark: Character) {
    replace(cursor..<cursor, with: String(mark))
  }

  mutating func remove(_ range: Range<Int>) {
    replace(range, with: "")
  }

  /// Replaces the last characters before the cursor, without control characters.
  mutating func replace(last count: Int, with text: String) {
    replace(max(0, cursor - count)..<cursor, with: text.editable())
  }

  /// Replaces a range together with its neighbours: a combining mark joins the adjacent letter.
  private mutating func replace(_ range: Range<Int>, with text: String) {
    let outer = max(0, range.lowerBound - 1)..<min(characters.count, range.upperBound + 1)
    let head = String(characters[outer.lowerBound..<range.lowerBound]) + text
    let joined = head + String(characters[range.upperBound..<outer.upperBound])
    characters.replaceSubrange(outer, with: joined)
    move(to: outer.lowerBound + head.count)
  }

  // MARK: - Moves

  mutating func move(to position: Int) {
    cursor = min(max(0, position), characters.count)
    goal = nil
  }

  /// Moves to the line above; returns false on the first line.
  mutating func moveUp() -> Bool {
    guard lineStart > 0 else { return false }
    moveInLine(startingAt: start(ofLineAt: lineStart - 1))
    return true
  }

  /// Moves to the line below; returns false on the last line.
  mutating func moveDown() -> Bool {
    guard lineEnd < characters.count else { return false }
    moveInLine(startingAt: lineEnd + 1)
    return true
  }

  private mutating func moveInLine(startingAt start: Int) {
    let wanted = goal ?? characters[lineStart..<cursor].reduce(0) { $0 + $1.columns }
    var (position, column) = (start, 0)
    while position < characters.count, characters[position] != "\n" {
      column += characters[position].columns
      if column > wanted { break }
      position += 1
    }
    cursor = position
    goal = wanted
  }

  // MARK: - Places

  var lineStart: Int { start(ofLineAt: cursor) }

  var lineEnd: Int { characters[cursor...].firstIndex(of: "\n") ?? characters.count }

  func start(ofLineAt position: Int) -> Int {
    characters[..<position].lastIndex(of: "\n").map { $0 + 1 } ?? 0
  }

  func wordStart(where isWord: (Character) -> Bool) -> Int {
    let end = characters[..<cursor].lastIndex(where: isWord) ?? 0
    return characters[..<end].lastIndex { !isWord($0) }.map { $0 + 1 } ?? 0
  }

  func wordEnd(where isWord: (Character) -> Bool) -> Int {
    let start = characters[cursor...].firstIndex(where: isWord) ?? characters.count
    return characters[start...].firstIndex { !isWord($0) } ?? characters.count
  }
}

extension String {
  /// The text with printable characters, tabs and line feeds only; other line breaks are converted.
  func editable() -> String {
    String(map { $0.isNewline ? "\n" : $0 }).safeBlock()
  }
}

struct UndoStack: Sendable {
  private static let limit = 100
  /// The maximum total number of characters.
  private static let sizeLimit = 500_000

  private var buffers: [EditBuffer] = []
  private var size = 0
  /// Whether the last change was typing; consecutive typing is undone as a whole.
  private var isTyping = false

  /// Stores the text before a change.
  ///
  /// Consecutive changes with `typing` are undone together.
  mutating func keep(_ buffer: EditBuffer, typing: Bool) {
    defer { isTyping = typing }
    guard !(typing && isTyping) else { return }
    buffers.append(buffer)
    size += buffer.characters.count
    while buffers.count > Self.limit || (size > Self.sizeLimit && buffers.count > 1) {
      size -= buffers.removeFirst().characters.count
    }
  }

  mutating func endTyping() { isTyping = false }

  /// Returns the text before the last change; `nil` if there is none.
  mutating func take() -> EditBuffer? {
    isTyping = false
    let buffer = buffers.popLast()
    size -= buffer?.characters.count ?? 0
    return buffer
  }
}

/// Pasted texts of several lines; in the editor, each is one character that is shown as a
/// placeholder.
///
/// The characters are private ones, which typed and pasted text never contains.
struct PastedTexts: Sendable {
  /// Further texts are inserted as they are.
  private static let limit = 64
  private static let first: UInt32 = 0xF0000

  private var texts: [String] = []

  /// Returns the character that stands for a text; `nil` for a single line.
  mutating func keep(_ text: String) -> Character? {
    guard texts.count < Self.limit, text.lineCount > 1,
      let mark = Unicode.Scalar(Self.first + UInt32(texts.count))
    else { return nil }
    texts.append(text)
    return Character(mark)
  }

  /// The text of characters, with each placeholder replaced by its text.
  func expanded(_ characters: some Sequence<Character>) -> String {
    var text = String.UnicodeScalarView()
    for scalar in characters.lazy.flatMap(\.unicodeScalars) {
      if let pasted = pasted(scalar) {
        text.append(contentsOf: pasted.unicodeScalars)
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }

  /// What is shown for a character that contains a placeholder.
  func label(of character: Character) -> String? {
    character.unicodeScalars.lazy.compactMap(pasted).first
      .map { "[pasted: \($0.lineCount) lines]" }
  }

  private func pasted(_ scalar: Unicode.Scalar) -> String? {
    guard scalar.value >= Self.first else { return nil }
    let index = Int(scalar.value - Self.first)
    return texts.indices.contains(index) ? texts[index] : nil
  }
}
