// SPDX-License-Identifier: MIT

import OppiModel

extension Sessions {
  /// Asks those who watch the session in full, and waits for the answers.
  func answers(to call: ScriptedCall, in session: LiveSession, _ agent: Agent) async
    -> [String: JSONValue]
  {
    let id = "ask-\(Timestamp.now.milliseconds)-\(Identifier.make(6))"
    let request = call.arguments.adding([
      "type": "extension_ui_request",
      "id": .string(id),
      "sessionId": .string(session.id),
      "method": "ask",
    ])
    let question = PendingQuestion(id: id, request: request)
    agent.question = question
    emit("extension_ui_request", request.object ?? [:], from: session)
    let answers = await question.answer.value()
    agent.question = nil
    return (answers ?? nil) ?? [:]
  }

  /// Answers the pending question; the value is a JSON text of an object by question.
  func answerQuestion(_ request: StreamRequest, _ agent: Agent) throws(StreamError) {
    let message = request.message
    guard let question = agent.question, message["id"].string == question.id else {
      throw .questionNotFound(id: message["id"].string ?? "undefined")
    }
    let value = message["value"].string.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
    question.answer.keep(message["cancelled"] == true ? nil : value?.object)
  }
}
