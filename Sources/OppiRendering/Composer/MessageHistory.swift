// SPDX-License-Identifier: MIT

/// The messages sent before, with a place in them and the draft that waits at their end.
struct MessageHistory: Sendable {
  /// Oldest first.
  private(set) var messages: [String]
  /// The message that is looked at; past the last one it is the draft.
  private var position: Int
  private var draft = ""

  /// Begins past the messages, which come oldest first.
  init(_ messages: [String]) {
    self.messages = messages
    position = messages.count
  }

  /// Goes to the message before, keeping the draft where that is what is left.
  mutating func older(leaving text: String) -> String? {
    guard position > 0 else { return nil }
    if position == messages.count { draft = text }
    position -= 1
    return messages[position]
  }

  /// Goes to the message after, and in the end back to the draft.
  mutating func newer() -> String? {
    guard position < messages.count else { return nil }
    position += 1
    return position < messages.count ? messages[position] : draft
  }

  /// Adds a message, unless it is the last one again, and goes past it.
  mutating func remember(_ message: String) {
    if messages.last != message { messages.append(message) }
    position = messages.count
    draft = ""
  }
}
