// SPDX-License-Identifier: MIT

/// Texts as they were before they were changed, so that changes can be taken back.
struct UndoStack: Sendable {
  private static let limit = 100
  /// The most characters of all texts together.
  private static let sizeLimit = 500_000

  private var buffers: [EditBuffer] = []
  private var size = 0
  /// Whether the last change was typing, which is taken back as a whole.
  private var isTyping = false

  /// Keeps a text that is about to change, or has just changed.
  ///
  /// - Parameters:
  ///   - buffer: The text before the change.
  ///   - typing: Whether the change is one of several that are taken back together.
  mutating func keep(_ buffer: EditBuffer, typing: Bool) {
    defer { isTyping = typing }
    guard !(typing && isTyping) else { return }
    buffers.append(buffer)
    size += buffer.characters.count
    while buffers.count > Self.limit || (size > Self.sizeLimit && buffers.count > 1) {
      size -= buffers.removeFirst().characters.count
    }
  }

  /// Takes it that something else was done than typing.
  mutating func endTyping() { isTyping = false }

  /// Returns the text before the last change; `nil` where there is none.
  mutating func take() -> EditBuffer? {
    isTyping = false
    let buffer = buffers.popLast()
    size -= buffer?.characters.count ?? 0
    return buffer
  }
}
