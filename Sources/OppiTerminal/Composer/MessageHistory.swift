// SPDX-License-Identifier: MIT

import OppiText

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

/// A search for the latest earlier message that contains a text, as with Ctrl-R in shells.
package struct HistorySearch: Sendable {
  private let messages: [String]
  let draft: EditBuffer
  /// The text to find, ignoring case.
  package private(set) var pattern = ""
  /// The index of the match; the number of messages if there is none.
  private var position: Int

  init(in messages: [String], leaving draft: EditBuffer) {
    self.messages = messages
    self.draft = draft
    position = messages.count
  }

  /// The matching message; `nil` without a pattern or a match.
  package var match: String? { messages.indices.contains(position) ? messages[position] : nil }

  mutating func extend(by text: String) {
    pattern += text.safeLine(limit: 200)
    find(before: min(messages.count, position + 1))
  }

  mutating func shorten() {
    pattern = String(pattern.dropLast())
    find(before: messages.count)
  }

  /// Moves to the next older match.
  mutating func goOn() {
    guard let older = index(before: position) else { return }
    position = older
  }

  private mutating func find(before end: Int) {
    position = index(before: end) ?? messages.count
  }

  private func index(before end: Int) -> Int? {
    let wanted = pattern.lowercased()
    guard !wanted.isEmpty else { return nil }
    return messages[..<min(end, messages.count)].lastIndex { $0.lowercased().contains(wanted) }
  }
}
