// SPDX-License-Identifier: MIT

/// One turn of a conversation, as recorded.
package struct PastTurn: Sendable {
  package enum Step: Sendable {
    /// A whole message of the agent; the last one is the answer if the turn succeeded.
    case text(String)
    /// A message sent to the running turn.
    case steer(String)
    case call(PastCall)
  }

  /// The position in the conversation, counted from 1.
  package let number: Int
  /// The whole prompt without images; `nil` if unknown.
  package let prompt: String?
  package let imageCount: Int
  package let steps: [Step]
  /// The turn's activity: its outcome, and what it waits for while it is running.
  package var activity: TurnActivity
  /// The time of the first entry; `nil` if unknown.
  package let startedAt: Timestamp?
  package let endedAt: Timestamp?

  package var calls: [PastCall] {
    steps.compactMap { step in
      guard case .call(let call) = step else { return nil }
      return call
    }
  }

  /// The amount of text to lay out, roughly in bytes of UTF-8.
  package var size: Int {
    steps.reduce(prompt?.utf8.count ?? 0) { size, step in
      switch step {
      case .text(let text), .steer(let text): size + text.utf8.count
      case .call: size + 1000
      }
    }
  }

  /// The agent's final message; `nil` unless the turn succeeded.
  package var answer: String? {
    guard case .succeeded(let answer) = activity.outcome else { return nil }
    return answer
  }

  /// `nil` if unknown, or if the turn is not over.
  package var duration: Duration? {
    guard activity.isFinished, let startedAt, let endedAt else { return nil }
    return .milliseconds(max(0, endedAt.milliseconds - startedAt.milliseconds))
  }
}

package struct PastCall: Sendable {
  /// The position among all calls of the conversation, counted from 1.
  package let number: Int
  /// The call's state, with only the end of its output.
  package let activity: ToolCallActivity
  /// The whole output, as far as the server has kept it; `nil` without a result.
  package var output: String?

  package var wireID: String? { activity.wireID }
}
