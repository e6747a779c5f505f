// SPDX-License-Identifier: MIT

package import OppiModel

/// Why a request for approval could not be found or decided.
package enum ApprovalError: Error, Sendable, Equatable {
  /// The request is not pending any more, or never was.
  case requestGone(id: String)
  /// Another call is pending under the id of the one that was shown.
  case requestChanged(id: String)
  /// The start of an id fits several requests, each described on a line.
  case ambiguousRequest(name: String, candidates: [String], isOnSeveralServers: Bool)
  /// The decision was sent, and what came of it is unknown.
  case decisionUnknown(id: String, PermissionDecision)
  /// The server of a request that was shown is not paired any more.
  case serverNotPaired
}
