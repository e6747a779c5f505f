// SPDX-License-Identifier: MIT

package import OppiModel

extension TurnSummary {
  /// What a glance shows of a turn that runs.
  package init(_ activity: TurnActivity) {
    if let outcome = activity.outcome {
      self.init(outcome)
    } else {
      self.init(
        operation: activity.isAsking
          ? nil : ActivityCard.work(activity)?.plain.safeLine(limit: 200)
      )
    }
    startedAt = activity.startedAt
    todo = activity.todo
  }
}

extension SessionStatus.Question {
  /// What the agent asks in a turn; `nil` where it asks nothing.
  package init?(in activity: TurnActivity, of sessionID: String) {
    guard activity.isAsking, let call = activity.runningCall else { return nil }
    self.init(id: sessionID, text: AskRenderer.subject(of: call).safeLine(limit: 200))
  }
}

extension TurnActivity {
  /// Whether a question that waits for an answer is all that runs.
  fileprivate var isAsking: Bool {
    runningCall.map { AskRenderer.tools.contains($0.tool) } ?? false
  }
}
