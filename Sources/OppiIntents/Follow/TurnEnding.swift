// SPDX-License-Identifier: MIT

package import OppiModel

/// How a watch over a session ended.
package enum TurnEnding: Sendable {
  case turn(TurnOutcome)
  /// There was no turn to watch.
  case idle
  /// A human is needed and nobody is to wait for one.
  case needsHuman(HumanNeed)
  /// The time of the watch is over; the agent may wait for a human meanwhile.
  case timedOut(need: HumanNeed?)
  /// The time of the watch is over, and the server cannot be heard: what the agent does is not known.
  case timedOutAway(IntentError)
  /// The rest of this program's own turn, or of another, cannot be heard: the server was away for
  /// too long, broke the protocol or refuses to go on.
  case lost(IntentError, isOwnTurn: Bool)

  /// The agent's final answer, where the turn came to one.
  package var answer: String? {
    if case .turn(.succeeded(let answer)) = self { answer } else { nil }
  }
}

/// What an agent waits for a human to do.
package enum HumanNeed: Sendable {
  /// To allow or deny a tool call.
  case approval(PermissionRequest)
  case question(UserQuestion)
}

extension TurnActivity {
  /// What the agent waits for a human to do; `nil` where it does not wait.
  package var need: HumanNeed? {
    pendingApprovals.first.map(HumanNeed.approval) ?? questions.first.map(HumanNeed.question)
  }
}
