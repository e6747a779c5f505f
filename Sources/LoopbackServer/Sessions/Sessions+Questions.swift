// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
  /// Asks those who watch the session in full, and waits for the answers.
  func answers(to call: ScriptedCall, _ turn: Turn) async -> [String: JSONValue] {
    let id = "ask-\(loop.timestamp.milliseconds)-\(loop.makeID(.question))"
    let request = call.arguments.adding(["method": "ask"])
    let response = await response(to: request, id: id, isRepeated: true, turn)
    // The value is a JSON text of an object by question.
    let value = response["value"].string.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
    return response["cancelled"] == true ? [:] : value?.object ?? [:]
  }

  /// Shows a dialog to those who watch the session in full now, and waits for what was chosen.
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

  /// Answers the pending question, whatever the answer says.
  func answerQuestion(_ request: StreamRequest, _ agent: Agent) throws(StreamError) {
    let id = request.message["id"].string
    guard let question = agent.question, id == question.id else {
      throw .questionNotFound(id: id ?? "undefined")
    }
    question.answer.keep(request.message)
  }
}
