// SPDX-License-Identifier: MIT

import OppiModel

/// A tool call that waits for a human.
struct PendingPermission {
  /// How a request ended.
  enum Decision: Sendable, Equatable {
    case allowed
    /// The reason, as the agent is told.
    case denied(String)
  }

  let id: String
  let sessionID: String
  let workspaceID: String
  let call: ScriptedCall
  let timeoutAt: Timestamp
  let expires: Bool
  let decision = Promise<Decision>()

  /// The members of both forms.
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

  /// The form of streams.
  var request: JSONValue { JSONValue.object(common).adding(["type": "permission_request"]) }

  /// The form of the REST list.
  var entry: JSONValue { JSONValue.object(common).adding(["workspaceId": .string(workspaceID)]) }
}
