// SPDX-License-Identifier: MIT

package import OppiModel

extension TurnSummary {
  /// What a glance shows of a turn.
  package init(_ activity: TurnActivity) {
    self.init(
      startedAt: activity.startedAt,
      endedAt: activity.isFinished ? activity.endedAt : nil,
      operation: activity.isAsking
        ? nil : ActivityCard.work(activity)?.plain.safeLine(limit: 200),
      todo: activity.todo,
      failure: activity.outcome?.failure?.safeLine(limit: 300),
      end: activity.outcome?.doubtfulEnd
    )
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

  /// An end that is neither a success nor a failure, by its name for programs.
  fileprivate var doubtfulEnd: String? {
    switch self {
    case .stopped, .dropped, .unknown: word
    case .succeeded, .empty, .failed: nil
    }
  }
}
