// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
package import OppiTransport

extension IntentAPIClient {
  /// `GET /sessions/recent`: all loaded sessions and those of the last day, with the numbers of
  /// their pending dialogs; `nil` on servers without the route.
  func recentSessions(
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> [Session]? {
    do {
      return try await get(
        "/sessions/recent?recentDays=1",
        limit: .list,
        over: connection,
        until: deadline
      ) { json in
        json["sessions"].array?.compactMap { Session(json: $0) } ?? []
      }
    } catch .refused(404, _, _) {
      return nil
    }
  }

  /// `GET /sessions/:sid/dialogs`: the pending dialogs of a session, without those of kind `editor`;
  /// none if the server does not know the session.
  package func dialogs(
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

  /// How far a server's clock is ahead of this machine's; `nil` if the server does not report its
  /// time.
  func clockOffset(
    of server: PairedServer,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Duration? {
    if !server.listsDialogs {
      do {
        return try await pendingPermissions(over: connection, until: deadline).clockOffset
      } catch .refused(404, _, _) {
        // The server has no gate.
      }
    }
    let before = loop.timestamp()
    let now = try await get(
      "/sessions?limit=1",
      limit: .list,
      over: connection,
      until: deadline
    ) { json in
      json["serverNow"].int.map(Timestamp.init(milliseconds:))
    }
    return now?.offset(between: before, loop.timestamp())
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
  package var listsDialogs: Bool { dialect?.requests.listsDialogs ?? false }
}
