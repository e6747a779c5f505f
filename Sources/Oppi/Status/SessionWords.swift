// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// The columns of a session in a list.
extension SessionStatus {
  /// The details next to the goal: the pending request or question, the operation or the failure.
  var note: String {
    if let approval = approvals.first(where: \.kind.isDecision) {
      return "approval: \(approval.summary)"
    }
    if let question = questionText { return "question: \(question)" }
    switch outcome {
    case .unknown where phase == .idle: return "outcome unknown"
    case .stopped: return "stopped"
    case .limited: return "usage limit: \(turn?.failure ?? "")"
    case .finished, .empty, .failed, .unknown, nil:
      return turn?.failure ?? turn?.operation ?? ""
    }
  }

  /// The cost in dollars and cents; empty below half a cent.
  var costText: String {
    guard let cost, cost >= 0.005 else { return "" }
    let cents = Int(min(cost, 1e9) * 100 + 0.5)
    return "$\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
  }

  /// The added and removed lines; empty if nothing was changed.
  var changesText: String {
    changes.map { "+\($0.addedLines) -\($0.removedLines)" } ?? ""
  }
}

extension TurnSummary {
  /// A running turn with its operation, or a recorded one with its outcome.
  init(_ turn: Turn) {
    if let outcome = turn.outcome {
      self.init(outcome)
      resetAt = turn.endedAt.flatMap { outcome.limit?.resetAt(after: $0) }
      // The last step is the end only of a turn that finished.
      if end == .finished { endedAt = turn.endedAt }
    } else {
      self.init(
        operation: turn.isAsking ? nil : ActivityCard.work(turn)?.plain.safeLine(limit: 200)
      )
    }
    startedAt = turn.startedAt
    todo = turn.todo
  }
}

extension SessionStatus.Question {
  /// The pending question of a turn; `nil` if there is none.
  init?(in turn: Turn, of sessionID: String) {
    guard turn.isAsking, let call = turn.runningCall else { return nil }
    self.init(id: sessionID, text: ToolRenderer.ask.subject(call).safeLine(limit: 200))
  }
}

extension Turn {
  fileprivate var isAsking: Bool {
    runningCall.map { ToolRenderer.ask.tools.contains($0.tool) } ?? false
  }
}
