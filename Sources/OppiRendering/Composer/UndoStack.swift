// SPDX-License-Identifier: MIT

/// Texts as they were before they were changed, so that changes can be taken back.
struct UndoStack: Sendable {
  private static let limit = 100

  private var buffers: [EditBuffer] = []
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
    if buffers.count > Self.limit { buffers.removeFirst() }
  }

  /// Takes it that something else was done than typing.
  mutating func endTyping() { isTyping = false }

  /// Returns the text before the last change; `nil` where there is none.
  mutating func take() -> EditBuffer? {
    isTyping = false
    return buffers.popLast()
  }
}
