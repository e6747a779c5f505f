// SPDX-License-Identifier: MIT

import OppiModel

enum ApprovalError: Error, Sendable, Equatable {
  case requestGone(id: String)
  /// No request has the name, which is not a whole id of an earlier request either.
  case noRequest(named: String)
  /// Another call is pending under the id of the call that was shown.
  case requestChanged(id: String)
  /// The prefix matches several requests; each candidate is a line that describes one.
  case ambiguousRequest(name: String, candidates: [String], isOnSeveralServers: Bool)
  /// Several questions are pending in the session; each candidate is a line that describes one.
  case severalQuestions(sessionID: String, candidates: [String])
  /// The decision was sent; its result is unknown.
  case decisionUnknown(id: String, PermissionDecision)
  /// The answer was sent; its result is unknown.
  case answerUnknown(id: String)
  /// An approval does not answer the question; the options are safe to show.
  case needsAnswer(id: String, kind: HumanRequest.Kind, options: [String])
  /// An answer does not decide the tool call.
  case needsDecision(id: String)
  /// A question has no approval for more than this time.
  case hasNoScope(id: String)
  case serverNotPaired
}
