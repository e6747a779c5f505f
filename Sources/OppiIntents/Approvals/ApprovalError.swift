// SPDX-License-Identifier: MIT

package import OppiModel

package enum ApprovalError: Error, Sendable, Equatable {
  case requestGone(id: String)
  /// Another call is pending under the id of the call that was shown.
  case requestChanged(id: String)
  /// The prefix matches several requests; each candidate is a line that describes one.
  case ambiguousRequest(name: String, candidates: [String], isOnSeveralServers: Bool)
  /// The decision was sent; its result is unknown.
  case decisionUnknown(id: String, PermissionDecision)
  case serverNotPaired
}
