// SPDX-License-Identifier: MIT

package import OppiModel

extension TurnSummary {
  /// What a glance shows of a turn.
  package init(_ activity: TurnActivity) {
    self.init(
      startedAt: activity.startedAt,
      endedAt: activity.isFinished ? activity.endedAt : nil,
      operation: ActivityCard.work(activity)?.plain.safeLine(limit: 200),
      todo: activity.todo,
      failure: activity.outcome?.failure?.safeLine(limit: 300)
    )
  }
}

extension SessionStatus.Question {
  /// What the agent asks in a turn; `nil` where it asks nothing.
  package init?(in activity: TurnActivity, of sessionID: String) {
    guard let call = activity.runningCall, AskRenderer.tools.contains(call.tool) else { return nil }
    self.init(id: sessionID, text: AskRenderer.subject(of: call).safeLine(limit: 200))
  }
}

extension TurnActivity {
  /// The list of things to do, as the latest call that tells of it has it.
  fileprivate var todo: TodoProgress? {
    var todo = toolCalls.reversed().lazy.compactMap { TodoProgress($0) }.first
    let current = todo?.current?.safeLine(limit: 120)
    todo?.current = current
    return todo
  }
}

extension TurnOutcome {
  /// Why the turn came to nothing, in the server's words.
  fileprivate var failure: String? {
    switch self {
    case .failed(let reason): reason
    case .empty: "the agent said nothing"
    case .succeeded, .stopped, .dropped, .unknown: nil
    }
  }
}
