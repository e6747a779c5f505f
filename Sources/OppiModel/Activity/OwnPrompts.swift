// SPDX-License-Identifier: MIT

/// The prompts of this program whose turns have not begun, in the order in which they were handed
/// over.
struct OwnPrompts: Sendable, Equatable {
  private(set) var waiting: [OwnPrompt] = []

  var hasQueued: Bool { waiting.contains(where: \.isQueued) }

  mutating func add(_ prompt: OwnPrompt) { waiting.append(prompt) }

  /// Takes the prompt whose turn the next run is.
  mutating func takeDirect() -> OwnPrompt? { take { !$0.isQueued } }

  /// Takes the prompt that the server's queue names.
  mutating func takeQueued(id: String) -> OwnPrompt? { take { $0.isQueued && $0.id == id } }

  /// Takes the prompt that a user's message is, for servers that name none.
  mutating func take(text: String) -> OwnPrompt? { take { $0.isText(of: text) } }

  /// Takes all that were queued.
  mutating func takeQueued() -> [OwnPrompt] {
    let queued = waiting.filter(\.isQueued)
    waiting.removeAll(where: \.isQueued)
    return queued
  }

  /// Takes all.
  mutating func takeAll() -> [OwnPrompt] {
    defer { waiting = [] }
    return waiting
  }

  private mutating func take(where isMeant: (OwnPrompt) -> Bool) -> OwnPrompt? {
    waiting.firstIndex(where: isMeant).map { waiting.remove(at: $0) }
  }
}
