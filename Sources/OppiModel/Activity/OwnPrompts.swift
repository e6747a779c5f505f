// SPDX-License-Identifier: MIT

/// A prompt that this program handed over to the server.
struct OwnPrompt: Sendable, Equatable {
  /// The id by which the server's queue names it.
  let id: String
  /// Without the space around it, which some servers take away.
  let text: String
  /// Whether it waits behind a running turn instead of beginning at once.
  let isQueued: Bool

  init(id: String, text: String, isQueued: Bool) {
    self.id = id
    let start = text.drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }
    self.text = end.map { String(start[...$0]) } ?? ""
    self.isQueued = isQueued
  }

  /// Whether it may name a template, in whose place agents put the template's text.
  var mayBeTemplate: Bool { text.hasPrefix("/") }

  /// Whether a user's message is this prompt; pictures stand below its text.
  func isText(of message: String) -> Bool {
    let message = message.drop(while: \.isWhitespace)
    guard message.hasPrefix(text) else { return false }
    let rest = message.dropFirst(text.count).drop(while: \.isWhitespace)
    return rest.isEmpty || rest.hasPrefix("data:")
  }
}

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
