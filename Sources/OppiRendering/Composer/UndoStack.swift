// SPDX-License-Identifier: MIT

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
