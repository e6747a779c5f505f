// SPDX-License-Identifier: MIT

package import OppiModel

extension TurnSummary {
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
  /// The pending question of a turn; `nil` if there is none.
  package init?(in activity: TurnActivity, of sessionID: String) {
    guard activity.isAsking, let call = activity.runningCall else { return nil }
    self.init(id: sessionID, text: AskRenderer.subject(of: call).safeLine(limit: 200))
  }
}

extension TurnActivity {
  fileprivate var isAsking: Bool {
    runningCall.map { AskRenderer.tools.contains($0.tool) } ?? false
  }
}
