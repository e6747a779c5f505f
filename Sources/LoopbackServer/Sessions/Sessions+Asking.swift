// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

// MARK: - Approvals

extension Sessions {
  /// About a hundred years: the deadline of requests without a timeout.
  private static let never = Duration.seconds(100 * 365 * 86_400)

  /// The pending requests in the form of the REST list.
  var pendingPermissions: [JSONValue] {
    permissions.all.sorted { $0.timeoutAt < $1.timeoutAt }.map(\.entry)
  }

  /// Requests approval of a call on all open streams and waits for the first decision.
  func decision(on call: ScriptedCall, in session: LiveSession) async -> PendingPermission.Decision
  {
    let timeout = configuration.approvalTimeout
    let permission = PendingPermission(
      id: loop.makeID(.long),
      sessionID: session.id,
      workspaceID: session.workspace.id,
      call: call,
      timeoutAt: Timestamp(
        milliseconds: loop.timestamp.milliseconds + (timeout ?? Self.never).milliseconds
      ),
      expires: timeout != nil
    )
    permissions.add(permission)
    streams.push(permission.request)
    defer { permissions.withdraw(permission) }
    return await decision(on: permission, within: timeout)
  }

  private func decision(
    on permission: PendingPermission,
    within timeout: Duration?
  ) async -> PendingPermission.Decision {
    let decision = permission.decision
    guard let timeout else { return await decision.value() ?? .denied("Session ended") }
    if let decision = await wait(for: decision, atMost: timeout) { return decision }
    // The request may have been decided at the same moment.
    guard !Task.isCancelled, permissions.withdraw(permission) else {
      return await decision.value() ?? .denied("Session ended")
    }
    pushEnd("permission_expired", of: permission, reason: "Approval timeout")
    audit.record(
      permission.call,
      of: (permission.sessionID, permission.workspaceID),
      isAllowed: false,
      by: "timeout",
      on: loop
    )
    return .denied("Approval timeout")
  }

  /// Announces on all streams that a request is no longer pending.
  func pushEnd(_ type: String, of permission: PendingPermission, reason: String? = nil) {
    streams.push(
      .object([
        "type": .string(type),
        "id": .string(permission.id),
        "reason": reason.map(JSONValue.string),
        "sessionId": .string(permission.sessionID),
      ])
    )
  }

  /// Decides a request; returns false if no such request is pending.
  func decide(_ id: String, isAllowed: Bool, scope: String) -> Bool {
    guard let permission = permissions.decide(id, isAllowed: isAllowed, scope: scope) else {
      return false
    }
    let choice: JSONValue = [
      "action": .string(isAllowed ? "allow" : "deny"), "scope": .string(scope),
    ]
    audit.record(
      permission.call,
      of: (permission.sessionID, permission.workspaceID),
      isAllowed: isAllowed,
      by: "user",
      choice: choice,
      on: loop
    )
    return true
  }

  /// Decides a request over a stream; any action other than `deny` allows the call.
  func respondToPermission(_ request: StreamRequest, on stream: Stream) throws(StreamError) {
    let id = request.message["id"].string ?? "undefined"
    let isAllowed = request.message["action"] != "deny"
    let scope = request.message["scope"].string ?? "once"
    guard decide(id, isAllowed: isAllowed, scope: scope) else {
      throw .protocolError("Permission request not found: \(id)")
    }
    if dialect.confirmsDecisions, request.requestID != nil { stream.sender.send(request.result()) }
  }
}

// MARK: - Questions

extension Sessions {
  /// Asks the full subscribers of the session and waits for the answers.
  func answers(to call: ScriptedCall, _ turn: Turn) async -> JSONObject {
    let id = "ask-\(loop.timestamp.milliseconds)-\(loop.makeID(.question))"
    let request = call.arguments.adding(["method": "ask"])
    let response = await response(to: request, id: id, isRepeated: true, turn)
    // The value is JSON text of an object with the answers by question.
    let value = response["value"].string.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
    return response["cancelled"] == true ? [:] : value?.object ?? [:]
  }

  /// Shows a dialog to the current full subscribers and waits for the choice.
  func answer(to dialog: Dialog, _ turn: Turn) async -> String {
    let id = loop.makeID(.long)
    let response = await response(to: dialog.request, id: id, isRepeated: false, turn)
    if response["cancelled"] == true { return "nothing" }
    if let isConfirmed = response["confirmed"].bool { return isConfirmed ? "yes" : "no" }
    return response["value"].string ?? "nothing"
  }

  private func response(
    to request: JSONValue,
    id: String,
    isRepeated: Bool,
    _ turn: Turn
  ) async -> JSONValue {
    let request = request.adding([
      "type": "extension_ui_request",
      "id": .string(id),
      "sessionId": .string(turn.session.id),
    ])
    let question = PendingQuestion(id: id, request: request, isRepeated: isRepeated)
    turn.agent.question = question
    emit("extension_ui_request", request.object ?? [:], from: turn.session)
    let response = await question.answer.value()
    turn.agent.question = nil
    return response ?? ["cancelled": true]
  }

  /// Answers the pending question; the answer is not validated.
  func answerQuestion(_ request: StreamRequest, _ agent: Agent) throws(StreamError) {
    let id = request.message["id"].string
    guard let question = agent.question, id == question.id else {
      throw .questionNotFound(id: id ?? "undefined")
    }
    question.answer.keep(request.message)
  }
}
