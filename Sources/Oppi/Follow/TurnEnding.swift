// SPDX-License-Identifier: MIT

import OppiModel

enum TurnEnding: Sendable {
  case turn(TurnOutcome)
  /// The turn succeeded, but its answer did not pass a check, for this reason.
  case rejected(String)
  case idle
  /// User input is required, and the watch must not wait for it.
  case needsHuman(HumanRequest)
  /// The watch's timeout expired; `need` is the input that the agent waits for, if any.
  case timedOut(need: HumanRequest?)
  /// The watch's timeout expired without a connection; the turn's state is unknown.
  case timedOutAway(IntentError)
  /// The rest of the turn cannot be received: the server was away for too long, broke the protocol
  /// or refused to continue.
  case lost(IntentError, isOwnTurn: Bool)

  /// The agent's final answer, if the turn succeeded.
  var answer: String? {
    if case .turn(.succeeded(let answer)) = self { answer } else { nil }
  }
}

extension TurnActivity {
  /// The input that the agent waits for; `nil` if none.
  var need: HumanRequest? {
    pendingApprovals.first.map(HumanRequest.permission)
      ?? questions.first.map(HumanRequest.question)
  }
}
