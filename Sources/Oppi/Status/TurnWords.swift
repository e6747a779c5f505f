// SPDX-License-Identifier: MIT

import OppiModel

/// Describes a running turn for lists; the layer that renders tool calls sets it.
struct TurnWords: Sendable {
  var summary: @Sendable (TurnActivity) -> TurnSummary
  /// The agent's pending question in a session's turn; `nil` if there is none.
  var question: @Sendable (TurnActivity, _ sessionID: String) -> SessionStatus.Question?

  /// By default, describes no tool calls and no questions.
  init(
    summary: @escaping @Sendable (TurnActivity) -> TurnSummary = { _ in TurnSummary() },
    question: @escaping @Sendable (TurnActivity, String) -> SessionStatus.Question? = { _, _ in nil
    }
  ) {
    self.summary = summary
    self.question = question
  }
}
