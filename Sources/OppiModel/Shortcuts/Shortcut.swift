// SPDX-License-Identifier: MIT

/// A named ask: what is asked where, and how.
package struct Shortcut: Sendable, Equatable {
  /// In which session it goes on.
  package enum Conversation: String, Sendable, CaseIterable {
    /// A new one each time.
    case new
    /// Its own of last time, made anew when that is gone.
    case same
  }

  /// What becomes of the session when the turn is over.
  package enum Ending: String, Sendable, CaseIterable {
    case keep
    /// It is ended, which frees its place on the server.
    case stop
  }

  /// As the user named it; without one the ask finds it as ever.
  package var workspace: String?
  package var prompt = ""
  /// Values of the prompt's names where a run gives none.
  package var variables: [String: String] = [:]
  /// Whether a run reads standard input, for `{{input}}`.
  package var readsInput = false
  package var conversation = Conversation.new
  package var ending = Ending.keep
  package var model: String?
  package var thinking: ThinkingLevel?
  /// The title of its sessions; its name where `nil`.
  package var title: String?
  package var isWaiting = false
  package var onAsk: OnAsk?
  package var isQueueing = false
  package var expiry: Duration?
  package var timeout: Duration?

  package init() {}

  package var template: PromptTemplate { PromptTemplate(prompt) }
}
