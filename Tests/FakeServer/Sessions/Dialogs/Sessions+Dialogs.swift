// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

extension Sessions {
  /// Asks the viewers of the session and waits for the answers; `nil` if they are invalid.
  func answers(to call: ScriptedCall, _ turn: Turn) async -> JSONObject? {
    let id = "ask-\(loop.timestamp.milliseconds)-\(loop.makeID(.question))"
    let request = call.arguments.adding(["method": "ask"])
    let question = raise(
      request,
      id: self.id(counting: "ask") { dialect.settlesDialogs ? loop.makeUUID() : id },
      isRepeated: true,
      turn
    )
    let response = await question.answer.value() ?? PendingQuestion.cancellation
    guard response["cancelled"] != true, let text = response["value"].string, !text.isEmpty else {
      return [:]
    }
    // The value is JSON text of an object with the answers by question.
    guard let value = try? JSONValue(parsing: Array(text.utf8)) else {
      return dialect.settlesDialogs ? nil : [:]
    }
    return value.object ?? [:]
  }

  /// Shows a dialog to the viewers of the session and waits for the choice.
  func answer(to dialog: Dialog, _ turn: Turn) async -> String {
    let question = raise(dialog, turn)
    let response = await question.answer.value() ?? PendingQuestion.cancellation
    if dialect.settlesDialogs, question.request["method"] == "confirm" {
      return Self.isConfirmed(response) ? "yes" : "no"
    }
    if response["cancelled"] == true { return "nothing" }
    if let isConfirmed = response["confirmed"].bool { return isConfirmed ? "yes" : "no" }
    return response["value"].string ?? "nothing"
  }

  private static func isConfirmed(_ response: JSONValue) -> Bool {
    response["cancelled"] != true && response["confirmed"] == true
  }

  // MARK: - Notifications

  private static let passing: Set<String> = ["notify", "set_editor_text"]

  func notify(_ notification: JSONObject, _ turn: Turn) {
    if let method = notification["method"]?.string, !Self.passing.contains(method) {
      turn.agent.lastingNotifications.removeAll {
        $0["method"] == notification["method"] && $0["statusKey"] == notification["statusKey"]
      }
      turn.agent.lastingNotifications.append(notification)
    }
    emit("extension_ui_notification", notification, from: turn.session)
  }

  /// Sends a new viewer what earlier ones can see.
  func sendDialogs(of agent: Agent, to stream: Stream) {
    for question in agent.questions { stream.send(question.request, about: nil) }
    for notification in agent.lastingNotifications {
      let event = JSONValue.object(notification).adding(["type": "extension_ui_notification"])
      stream.send(event, about: nil)
    }
  }

  // MARK: - The gate of an extension

  /// Asks whether a call may run; `nil` if no extension asks.
  func raiseGate(before call: ScriptedCall, _ turn: Turn) -> PendingQuestion? {
    let isGated =
      call.isGated
      || configuration.gatesCommands && !dialect.asksForApproval && call.approvalReason != nil
    return isGated ? raise(.gate(before: call.summary), turn) : nil
  }

  /// Waits for the answer; anything but "Yes" blocks the call.
  func passes(_ gate: PendingQuestion) async -> Bool {
    let response = await gate.answer.value() ?? PendingQuestion.cancellation
    return response["cancelled"] != true && response["value"] == "Yes"
  }

  // MARK: - Pending dialogs

  private func raise(_ dialog: Dialog, _ turn: Turn) -> PendingQuestion {
    raise(
      dialog.request,
      id: id(counting: "dialog") {
        dialect.settlesDialogs ? loop.makeUUID() : loop.makeID(.long)
      },
      isRepeated: dialect.settlesDialogs,
      turn
    )
  }

  private func raise(
    _ request: JSONValue,
    id: String,
    isRepeated: Bool,
    _ turn: Turn
  ) -> PendingQuestion {
    let timeout = dialect.settlesDialogs ? configuration.dialogTimeout : nil
    let end = timeout.map { loop.timestamp.moved(by: $0) }
    let request = request.adding([
      "type": "extension_ui_request",
      "id": .string(id),
      "sessionId": .string(turn.session.id),
      "timeout": timeout.map { .number($0.milliseconds) },
      "timeoutAt": end.map(\.json),
    ])
    let question = PendingQuestion(id: id, request: request, isRepeated: isRepeated)
    turn.agent.questions.append(question)
    emit("extension_ui_request", request.object ?? [:], from: turn.session)
    announceSummary(of: turn.session)
    if let timeout {
      later(timeout) { [sessionID = turn.session.id] sessions in
        guard let session = sessions.all[sessionID], let agent = session.agent else { return }
        sessions.settle(id, with: PendingQuestion.cancellation, of: agent, in: session)
      }
    }
    return question
  }

  /// Settles a dialog with an answer, which is not validated; returns false if none is pending.
  @discardableResult
  private func settle(
    _ id: String,
    with answer: JSONValue,
    of agent: Agent,
    in session: LiveSession
  ) -> Bool {
    guard let index = agent.questions.firstIndex(where: { $0.id == id }) else { return false }
    let question = agent.questions.remove(at: index)
    question.answer.keep(answer)
    if dialect.settlesDialogs {
      emit(
        "extension_ui_settled",
        ["id": .string(id), "sessionId": .string(session.id)],
        from: session
      )
      announceSummary(of: session)
    }
    return true
  }

  /// Continues as if the user had cancelled all dialogs.
  func cancelQuestions(of agent: Agent, in session: LiveSession) {
    for question in agent.questions {
      settle(question.id, with: PendingQuestion.cancellation, of: agent, in: session)
    }
  }

  func answerQuestion(
    _ request: StreamRequest,
    of agent: Agent,
    in session: LiveSession
  ) throws(StreamError) {
    let id = request.message["id"].string ?? "undefined"
    guard settle(id, with: request.message, of: agent, in: session) else {
      throw .questionNotFound(id: id)
    }
  }

  /// The pending dialogs of a session in the form of the REST list.
  func dialogs(of id: String) throws(Refusal) -> JSONValue {
    let session = try session(id)
    return [
      "dialogs": .array(session.agent?.questions.compactMap(\.entry) ?? []),
      "serverNow": loop.timestamp.json,
    ]
  }
}
