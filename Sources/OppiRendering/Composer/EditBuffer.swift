// SPDX-License-Identifier: MIT

import OppiModel

/// A text of several lines with a cursor in it, which is always between two characters.
struct EditBuffer: Sendable {
  /// The text by characters as a reader sees them; lines end with a line feed.
  private(set) var characters: [Character] = []
  /// How many characters are before the cursor.
  private(set) var cursor = 0
  /// The column that moves up and down keep to, also through shorter lines.
  private var goal: Int?

  init(_ text: String = "") {
    insert(text)
  }

  var text: String { String(characters) }

  var isEmpty: Bool { characters.isEmpty }

  // MARK: - Changes

  /// Inserts a text at the cursor; controls do not get in.
  mutating func insert(_ text: String) {
    replace(cursor..<cursor, with: text.editable())
  }

  /// Removes a part of the text and leaves the cursor there.
  mutating func remove(_ range: Range<Int>) {
    replace(range, with: "")
  }

  /// A mark that comes to stand beside a letter becomes one character with it, so that the
  /// neighbours are cut into characters again, too.
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

  /// Moves to the line above; `false` where there is none.
  mutating func moveUp() -> Bool {
    guard lineStart > 0 else { return false }
    moveInLine(startingAt: start(ofLineAt: lineStart - 1))
    return true
  }

  /// Moves to the line below; `false` where there is none.
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

  /// Where the word before the cursor begins; words are made of what is given.
  func wordStart(where isWord: (Character) -> Bool) -> Int {
    let end = characters[..<cursor].lastIndex(where: isWord) ?? 0
    return characters[..<end].lastIndex { !isWord($0) }.map { $0 + 1 } ?? 0
  }

  /// Where the word after the cursor ends.
  func wordEnd(where isWord: (Character) -> Bool) -> Int {
    let start = characters[cursor...].firstIndex(where: isWord) ?? characters.count
    return characters[start...].firstIndex { !isWord($0) } ?? characters.count
  }
}

extension String {
  /// The text as it may stand in the composer: printable characters, tabs, and line feeds for line
  /// breaks of every kind.
  func editable() -> String {
    String(map { $0.isNewline ? "\n" : $0 }).safeBlock()
  }
}
