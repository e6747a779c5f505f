// SPDX-License-Identifier: MIT

import OppiText

// MARK: - Asking

extension Sessions {
  /// Asks the viewers of the session questions in several parts.
  ///
  /// - Returns: The answers by question, empty if there are none; `nil` if they are invalid.
  func ask(_ questions: JSONValue, _ turn: AgentTurn) async -> JSONObject? {
    let question = raise(questions.adding(["method": "ask"]), in: turn.agent)
    let response = await question.response
    guard response["cancelled"] != true, let text = response["value"].string, !text.isEmpty else {
      return [:]
    }
    // The value is JSON text of an object with the answers by question.
    guard let value = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
    return value.object ?? [:]
  }

  /// Shows a dialog to the viewers of the session and waits for the choice.
  func answer(to dialog: JSONValue, _ turn: AgentTurn) async -> String {
    let question = raise(dialog, in: turn.agent)
    let response = await question.response
    let isCancelled = response["cancelled"] == true
    if question.request["method"] == "confirm" {
      return !isCancelled && response["confirmed"] == true ? "yes" : "no"
    }
    if isCancelled { return "nothing" }
    if let isConfirmed = response["confirmed"].bool { return isConfirmed ? "yes" : "no" }
    return response["value"].string ?? "nothing"
  }

  /// Shows a notification of an extension.
  func notify(_ notification: JSONObject, _ turn: AgentTurn) {
    if notification["method"] != "notify" {
      turn.agent.lastingNotifications.removeAll {
        $0["method"] == notification["method"] && $0["statusKey"] == notification["statusKey"]
      }
      turn.agent.lastingNotifications.append(notification)
    }
    emit("extension_ui_notification", notification, from: turn.session)
  }

  /// Sends a new viewer what earlier ones can see.
  func sendDialogs(of agent: LoadedAgent, to outlet: Outlet) {
    let sessionID = agent.session.id
    for question in agent.questions { outlet(question.request, sessionID) }
    for notification in agent.lastingNotifications {
      let event = JSONValue.object(notification).adding(["type": "extension_ui_notification"])
      outlet(event, sessionID)
    }
  }
}

// MARK: - Pending dialogs

extension Sessions {
  /// Shows a dialog; `timeout` replaces that of the configuration.
  func raise(
    _ request: JSONValue,
    in agent: LoadedAgent,
    timeout: Duration? = nil
  ) -> PendingQuestion {
    let session = agent.session
    let id = variant.makeID(request["method"] == "ask" ? "ask" : "dialog", self)
    let timeout = timeout ?? configuration.dialogTimeout
    let end = timeout.map { loop.timestamp.moved(by: $0) }
    let request = request.adding([
      "type": "extension_ui_request",
      "id": .string(id),
      "sessionId": .string(session.id),
      "timeout": timeout.map { .number($0.milliseconds) },
      "timeoutAt": end.map(\.json),
    ])
    let question = PendingQuestion(id: id, request: request)
    agent.questions.append(question)
    emit("extension_ui_request", request.object ?? [:], from: session)
    announceSummary(of: session)
    if let timeout {
      later(timeout) { [sessionID = session.id] sessions in
        guard let agent = sessions.all[sessionID]?.questioner else { return }
        sessions.settle(id, with: PendingQuestion.cancellation, of: agent)
      }
    }
    return question
  }

  /// Settles a dialog with an answer, which is not validated; returns false if none is pending.
  @discardableResult
  private func settle(_ id: String, with answer: JSONValue, of agent: LoadedAgent) -> Bool {
    guard let index = agent.questions.firstIndex(where: { $0.id == id }) else { return false }
    let question = agent.questions.remove(at: index)
    question.answer.keep(answer)
    let members: JSONObject = ["id": .string(id), "sessionId": .string(agent.session.id)]
    emit("extension_ui_settled", members, from: agent.session)
    announceSummary(of: agent.session)
    return true
  }

  /// Continues as if the user had cancelled all dialogs.
  func cancelQuestions(of agent: LoadedAgent) {
    for question in agent.questions {
      settle(question.id, with: PendingQuestion.cancellation, of: agent)
    }
  }

  func answerQuestion(_ request: ClientRequest, in session: LiveSession) throws(StreamError) {
    let id = request.message["id"].string ?? "undefined"
    guard let agent = session.questioner, settle(id, with: request.message, of: agent) else {
      let about = request.message["sessionId"].string
      throw .protocolError("UI request not found: \(id)", about: about)
    }
  }

  /// The pending dialogs of a session in the form of the REST list.
  func dialogs(of session: LiveSession) -> JSONValue {
    [
      "dialogs": .array(session.questioner?.questions.compactMap(\.entry) ?? []),
      "serverNow": loop.timestamp.json,
    ]
  }
}
