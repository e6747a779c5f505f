// SPDX-License-Identifier: MIT

/// A named prompt with its workspace and options.
package struct Shortcut: Sendable, Equatable {
  /// The session that receives the prompt.
  package enum Conversation: String, Sendable, CaseIterable {
    /// A new session for each run.
    case new
    /// The session of the previous run; a new one if that no longer exists.
    case same
  }

  /// What happens to the session after the turn.
  package enum Ending: String, Sendable, CaseIterable {
    case keep
    /// The session is ended, so that the server can unload it.
    case stop
  }

  /// The workspace as the user named it; `nil` for the default that `oppi ask` uses.
  package var workspace: String?
  package var prompt = ""
  /// Default values of the prompt's placeholders.
  package var variables: [String: String] = [:]
  /// Whether a run reads standard input, for `{{input}}`.
  package var readsInput = false
  package var conversation = Conversation.new
  package var ending = Ending.keep
  package var model: String?
  package var thinking: ThinkingLevel?
  /// The title of its sessions; `nil` for the shortcut's name.
  package var title: String?
  package var isWaiting = false
  package var onAsk: OnAsk?
  package var onLimit = OnLimit.fail
  /// The most that a turn may cost; `nil` for no limit.
  package var maxCost: Dollars?
  package var condition: RunCondition?
  package var checks = AnswerChecks()
  /// The shortcut that runs after a successful turn.
  package var then: ShortcutName?
  package var isQueueing = false
  package var expiry: Duration?
  package var timeout: Duration?

  package init() {}

  package var template: PromptTemplate { PromptTemplate(prompt) }
}
