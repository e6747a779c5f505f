// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

extension IntentAPIClient {
  /// `GET /sessions/:sid/dialogs`: the pending dialogs of a session, without those of kind `editor`;
  /// none if the server does not know the session.
  func dialogs(
    of sessionID: String,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> DialogList {
    let list: DialogList?
    do {
      list = try await get(
        "/sessions/\(sessionID)/dialogs",
        limit: .list,
        over: connection,
        until: deadline
      ) { json in
        DialogList(json: json, sessionID: sessionID)
      }
    } catch .refused(404, _, _) {
      return DialogList()
    }
    guard let list else { throw .malformedAnswer(server: serverName, what: "dialogs") }
    return list
  }

  /// `POST /sessions/:sid/command` with the answer to a dialog; starts no agent.
  ///
  /// - Throws: If the server cannot be reached, or its response is malformed.
  func answer(
    _ answer: QuestionAnswer,
    toDialog id: String,
    of sessionID: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> DialogReply {
    let requestID = loop.newID()
    let message = ClientMessage.answer(questionID: id, answer)
    let json: JSONValue
    do {
      json = try await call(
        "POST",
        "/sessions/\(sessionID)/command",
        body: message.json(sessionID: nil, requestID: requestID),
        until: deadline
      )
    } catch .refused(let status, let message?, let server) {
      // Some servers report the error of a command as the status of the call.
      guard DialogReply(failure: message, id) == .gone else {
        throw .refused(status: status, message: message, server: server)
      }
      return .gone
    }
    guard let reply = DialogReply(json: json, dialogID: id, requestID: requestID) else {
      throw .malformedAnswer(server: serverName, what: "messages")
    }
    return reply
  }
}

extension PairedServer {
  /// Whether the server is known to have dialogs over REST, and no gate.
  var listsDialogs: Bool { dialect?.requests.listsDialogs ?? false }
}
