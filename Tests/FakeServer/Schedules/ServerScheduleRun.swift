// SPDX-License-Identifier: MIT

import OppiHost
import OppiModel

/// One run of a schedule that a client requested.
struct ServerScheduleRun: Sendable {
  enum Status: String {
    case running
    case completed
    case failed
  }

  let id: String
  let scheduleID: String
  /// The client's ID of the request; a repeat leads to the same run.
  let requestID: String
  let action: JSONValue
  let startedAt: Timestamp
  var completedAt: Timestamp?
  var status = Status.running
  var sessionID: String?
  var error: String?

  private var dispatch: String? {
    switch status {
    case .running: nil
    case .completed: "delivered"
    case .failed: "not_sent"
    }
  }

  var json: JSONValue {
    .object([
      "id": .string(id),
      "scheduleId": .string(scheduleID),
      "kind": "manual",
      "slotKey": .string("manual:\(requestID)"),
      "idempotencyKey": .string("schedule:\(scheduleID):manual:\(requestID)"),
      "status": .string(status.rawValue),
      "action": action,
      "createdAt": startedAt.json,
      "updatedAt": (completedAt ?? startedAt).json,
      "startedAt": startedAt.json,
      "completedAt": completedAt.map(\.json),
      "sessionId": sessionID.map(JSONValue.string),
      "promptDispatch": dispatch.map(JSONValue.string),
      "error": error.map(JSONValue.string),
    ])
  }
}
