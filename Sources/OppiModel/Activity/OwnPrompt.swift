// SPDX-License-Identifier: MIT

/// A prompt that this program sent to the server.
struct OwnPrompt: Sendable, Equatable {
  /// The id of the prompt in the server's queue.
  let id: String
  /// Without surrounding whitespace, which some servers remove.
  let text: String
  /// Whether it waits behind a running turn instead of starting at once.
  let isQueued: Bool

  init(id: String, text: String, isQueued: Bool) {
    self.id = id
    let start = text.drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }
    self.text = end.map { String(start[...$0]) } ?? ""
    self.isQueued = isQueued
  }

  /// Whether a user message is this prompt; images, or a list of its files, may follow its text.
  func isText(of message: String) -> Bool {
    let message = message.drop(while: \.isWhitespace)
    guard message.hasPrefix(text) else { return false }
    let rest = message.dropFirst(text.count).drop(while: \.isWhitespace)
    return rest.isEmpty || rest.hasPrefix("data:") || rest.hasPrefix("Attached files:")
  }

  /// Whether another message arrived in its place: servers lose a prompt that is slightly late.
  func isOvertaken(by message: String) -> Bool {
    !text.isEmpty && !mayBeTemplate && !isText(of: message)
  }

  /// Whether the text may name a template, which agents replace by the template's text.
  private var mayBeTemplate: Bool { text.hasPrefix("/") }
}
