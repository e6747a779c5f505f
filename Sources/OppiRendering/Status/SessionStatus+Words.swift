// SPDX-License-Identifier: MIT

package import OppiModel

/// The columns of a session in a list.
extension SessionStatus {
  /// The details next to the goal: the pending request or question, the operation or the failure.
  package var note: String {
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
  package var costText: String {
    guard let cost, cost >= 0.005 else { return "" }
    let cents = Int(min(cost, 1e9) * 100 + 0.5)
    return "$\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
  }

  /// The added and removed lines; empty if nothing was changed.
  package var changesText: String {
    changes.map { "+\($0.addedLines) -\($0.removedLines)" } ?? ""
  }
}
