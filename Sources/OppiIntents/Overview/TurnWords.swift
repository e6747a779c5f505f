// SPDX-License-Identifier: MIT

package import OppiModel

/// Puts a running turn into the words of a list; the layer that renders tool calls sets it.
package struct TurnWords: Sendable {
  /// Returns what a glance shows of a turn.
  package var summary: @Sendable (TurnActivity) -> TurnSummary
  /// Returns what the agent asks in a turn of a session; `nil` if it asks nothing.
  package var question: @Sendable (TurnActivity, _ sessionID: String) -> SessionStatus.Question?

  /// Makes words that say nothing of tool calls, unless others are given.
  package init(
    summary: @escaping @Sendable (TurnActivity) -> TurnSummary = { _ in TurnSummary() },
    question: @escaping @Sendable (TurnActivity, String) -> SessionStatus.Question? = { _, _ in nil
    }
  ) {
    self.summary = summary
    self.question = question
  }
}
