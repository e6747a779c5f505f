// SPDX-License-Identifier: MIT

/// One turn of a conversation, as far as it is written down.
package struct PastTurn: Sendable {
  /// What the agent did and what it was told, in order.
  package enum Step: Sendable {
    /// A whole message of the agent; the last one is the answer where the turn succeeded.
    case text(String)
    /// A message that was told to the turn in its middle.
    case steer(String)
    case call(PastCall)
  }

  /// Its place in the conversation, counted from 1.
  package let number: Int
  /// What was asked, whole but for the pictures; `nil` where that is not known.
  package let prompt: String?
  /// How many pictures were asked with.
  package let imageCount: Int
  package let steps: [Step]
  /// The turn as those saw it who followed it: its outcome, and what it waits for while it runs.
  package var activity: TurnActivity
  /// When its first and its last entry were written; `nil` where nothing tells.
  package let startedAt: Timestamp?
  package let endedAt: Timestamp?

  package var calls: [PastCall] {
    steps.compactMap { step in
      guard case .call(let call) = step else { return nil }
      return call
    }
  }

  /// How much text there is to be laid out, in bytes of UTF-8.
  package var size: Int {
    steps.reduce(prompt?.utf8.count ?? 0) { size, step in
      switch step {
      case .text(let text), .steer(let text): size + text.utf8.count
      case .call: size + 1000
      }
    }
  }

  /// The agent's final message where the turn succeeded.
  package var answer: String? {
    guard case .succeeded(let answer) = activity.outcome else { return nil }
    return answer
  }

  /// How long the turn took; `nil` where nothing tells, or where it is not over.
  package var duration: Duration? {
    guard activity.isFinished, let startedAt, let endedAt else { return nil }
    return .milliseconds(max(0, endedAt.milliseconds - startedAt.milliseconds))
  }
}

/// One call of a tool in a conversation.
package struct PastCall: Sendable {
  /// Its place among all calls of the conversation, counted from 1.
  package let number: Int
  /// What became of it; of its output no more than the end.
  package let activity: ToolCallActivity
  /// All that the tool printed, as far as the server has kept it; `nil` where there is no result.
  package var output: String?

  /// The id by which the server knows it; `nil` where it said none.
  package var wireID: String? { activity.wireID }
}
