// SPDX-License-Identifier: MIT

/// The earlier messages, the position in them, and the draft after the last one.
struct MessageHistory: Sendable {
  /// Oldest first.
  private(set) var messages: [String]
  /// The index of the current message; the number of messages for the draft.
  private var position: Int
  private var draft = ""

  /// Starts at the draft; `messages` are oldest first.
  init(_ messages: [String]) {
    self.messages = messages
    position = messages.count
  }

  /// Moves to the previous message; stores `text` if it is the draft.
  mutating func older(leaving text: String) -> String? {
    guard position > 0 else { return nil }
    if position == messages.count { draft = text }
    position -= 1
    return messages[position]
  }

  /// Moves to the next message or, after the last one, to the draft.
  mutating func newer() -> String? {
    guard position < messages.count else { return nil }
    position += 1
    return position < messages.count ? messages[position] : draft
  }

  /// Adds a message unless it equals the last one, and moves to an empty draft.
  mutating func remember(_ message: String) {
    if messages.last != message { messages.append(message) }
    position = messages.count
    draft = ""
  }
}
