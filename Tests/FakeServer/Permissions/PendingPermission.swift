// SPDX-License-Identifier: MIT

import OppiHost
import OppiModel

/// A call that waits for approval.
struct PendingPermission: Sendable {
  enum Decision: Sendable, Equatable {
    case allowed
    /// The reason that the agent receives.
    case denied(String)
  }

  let id: String
  let sessionID: String
  let workspaceID: String
  let call: AgentCall
  let timeoutAt: Timestamp
  let expires: Bool
  let decision = Promise<Decision>()

  private var common: JSONObject {
    [
      "id": .string(id),
      "sessionId": .string(sessionID),
      "tool": .string(call.tool),
      "input": call.arguments,
      "displaySummary": .string(call.summary),
      "reason": .string(call.approvalReason ?? ""),
      "timeoutAt": timeoutAt.json,
      "expires": .bool(expires),
    ]
  }

  /// The form for streams.
  var request: JSONValue { JSONValue.object(common).adding(["type": "permission_request"]) }

  /// The form for the REST list.
  var entry: JSONValue { JSONValue.object(common).adding(["workspaceId": .string(workspaceID)]) }
}
