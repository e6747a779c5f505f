// SPDX-License-Identifier: MIT

import OppiHost
package import OppiText

/// A schedule that the server runs itself.
package struct ServerSchedule: Sendable {
  package enum Status: String, Sendable {
    case active
    case paused
    case archived
  }

  package enum Trigger: Sendable {
    case at(Timestamp)
    case every(Duration)
    case cron(String)
  }

  package var id: String
  /// Unique in most cases; then it can be used in place of the ID.
  package var name: String
  package var status = Status.active
  package var trigger: Trigger
  /// A name of the IANA time zone database.
  package var timeZone = "UTC"
  package var workspaceID: String
  /// The session that gets the prompt; a new one if `nil`.
  package var sessionID: String?
  package var prompt: String
  package var model: String?
  /// `steer` or `followUp`, for a session that is busy.
  package var streamingBehavior: String?

  package init(
    id: String,
    name: String,
    trigger: Trigger,
    workspaceID: String,
    prompt: String
  ) {
    self.id = id
    self.name = name
    self.trigger = trigger
    self.workspaceID = workspaceID
    self.prompt = prompt
  }
}

extension ServerSchedule {
  /// The action with the whole prompt.
  var action: JSONValue {
    .object([
      "type": sessionID == nil ? "new_session" : "existing_session",
      "workspaceId": .string(workspaceID),
      "sessionId": sessionID.map(JSONValue.string),
      "prompt": .string(prompt),
      "model": model.map(JSONValue.string),
      "streamingBehavior": streamingBehavior.map(JSONValue.string),
    ])
  }

  private var shortAction: JSONValue {
    .object([
      "type": action["type"],
      "workspaceId": .string(workspaceID),
      "sessionId": sessionID.map(JSONValue.string),
      "promptChars": .number(prompt.utf16.count),
    ])
  }

  private var triggerJSON: JSONValue {
    let zone: JSONObject = ["timeZone": .string(timeZone)]
    let own: JSONValue =
      switch trigger {
      case .at(let moment): ["type": "at", "at": moment.json]
      case .every(let interval): ["type": "every", "intervalMs": .number(interval.milliseconds)]
      case .cron(let expression): ["type": "cron", "expression": .string(expression)]
      }
    return own.adding(zone)
  }

  /// The form of one schedule, or of lists.
  func json(isWhole: Bool, createdAt: Timestamp) -> JSONValue {
    .object([
      "id": .string(id),
      "name": .string(name),
      "status": .string(status.rawValue),
      "trigger": triggerJSON,
      "action": isWhole ? action : shortAction,
      "createdAt": createdAt.json,
      "updatedAt": createdAt.json,
      "archivedAt": status == .archived ? createdAt.json : nil,
    ])
  }
}

/// One run of a schedule that a client requested.
struct ServerScheduleRun: Sendable {
  let id: String
  let scheduleID: String
  /// The client's ID of the request; a repeat leads to the same run.
  let requestID: String
  let action: JSONValue
  let startedAt: Timestamp
  var completedAt: Timestamp?
  var sessionID: String?
  var error: String?

  var json: JSONValue {
    let (status, dispatch): (JSONValue, JSONValue?) =
      completedAt == nil
      ? ("running", nil)
      : error == nil ? ("completed", "delivered") : ("failed", "not_sent")
    return .object([
      "id": .string(id),
      "scheduleId": .string(scheduleID),
      "kind": "manual",
      "status": status,
      "action": action,
      "createdAt": startedAt.json,
      "updatedAt": (completedAt ?? startedAt).json,
      "startedAt": startedAt.json,
      "completedAt": completedAt.map(\.json),
      "sessionId": sessionID.map(JSONValue.string),
      "promptDispatch": dispatch,
      "error": error.map(JSONValue.string),
    ])
  }
}
