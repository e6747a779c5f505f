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

  /// Whether a user's message is this prompt; pictures stand below its text.
  func isText(of message: String) -> Bool {
    let message = message.drop(while: \.isWhitespace)
    guard message.hasPrefix(text) else { return false }
    let rest = message.dropFirst(text.count).drop(while: \.isWhitespace)
    return rest.isEmpty || rest.hasPrefix("data:")
  }

  /// Whether a user's message that begins in the prompt's place is another one: servers lose a prompt
  /// that comes a moment too late.
  func isOvertaken(by message: String) -> Bool {
    !text.isEmpty && !mayBeTemplate && !isText(of: message)
  }

  /// Whether it may name a template, in whose place agents put the template's text.
  private var mayBeTemplate: Bool { text.hasPrefix("/") }
}
