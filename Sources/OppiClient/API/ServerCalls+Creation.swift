// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
package import OppiModel
package import OppiText
import OppiTransport
package import OppiWire

/// A session to be created.
package struct NewSession: Sendable {
  package var workspaceID: String
  package var name: String?
  package var model: OfferedModel?
  /// `nil` for the server's default; only servers that recognise repeats read it.
  package var thinking: ThinkingLevel?
  /// By which the server recognises a repeated request; `nil` on servers that do not.
  package var key: String?

  package init(
    workspaceID: String,
    name: String? = nil,
    model: OfferedModel? = nil,
    thinking: ThinkingLevel? = nil,
    key: String? = nil
  ) {
    (self.workspaceID, self.name, self.model) = (workspaceID, name, model)
    (self.thinking, self.key) = (thinking, key)
  }

  /// In bytes; a server cuts the connection at a longer body, without an answer.
  private static let bodyLimit = 8 << 20

  /// Whether a server reads the request with this prompt.
  package func fits(_ prompt: String) -> Bool {
    // In JSON a byte takes at most six. The last kilobyte is for the model, still unknown here.
    prompt.utf8.count <= Self.bodyLimit / 8
      || request(prompt: prompt).http.body.count <= Self.bodyLimit - 1024
  }

  /// `POST /workspaces/:id/sessions`.
  fileprivate func request(prompt: String? = nil) -> ServerRequest<JSONValue> {
    let body: JSONValue = .object([
      "name": name.map(JSONValue.string),
      "model": model.map { .string($0.id) },
      "thinking": thinking.map { .string($0.rawValue) },
      "idempotencyKey": key.map(JSONValue.string),
      "prompt": prompt.map(JSONValue.string),
    ])
    return .call("POST", "/workspaces/\(workspaceID)/sessions", body: body)
  }
}

extension ServerCalls {
  /// Creates a session without a prompt; no turn starts.
  ///
  /// With a key, a request without an answer, or one at which the server failed, is repeated until
  /// the deadline; the error is then the server's last one, if it sent any. Connecting takes at most
  /// `limit`; `nil` for no limit of its own.
  package func createSession(
    _ new: NewSession,
    connectingFor limit: Duration? = nil
  ) async throws(OppiError) -> Session {
    guard new.key != nil else { return try await createOnce(new, limit) }
    var refusal: OppiError?
    while true {
      do throws(OppiError) {
        return try await createOnce(new, limit)
      } catch  where error.reason == .refused(409, "launch_in_progress") {
        // An earlier request with the key has not ended.
        refusal = nil
      } catch  where error.mayBeRepeated && loop.now < deadline {
        // The answer was lost, or the server failed.
        if error.refusedStatus != nil { refusal = error }
      } catch {
        // The end of the time says less than what the server answered before it.
        throw error.isTimeout ? refusal ?? error : error
      }
      do {
        try await loop.sleep(until: min(deadline, loop.now + Self.creationPause))
      } catch {
        throw .transport(.cancelled, server: api.serverName)
      }
      guard loop.now < deadline else { throw refusal ?? .noAnswer(server: api.serverName) }
    }
  }

  private static let creationPause = Duration.milliseconds(250)

  private func createOnce(
    _ new: NewSession,
    _ limit: Duration?
  ) async throws(OppiError) -> Session {
    let calls = api.until(deadline).overOneConnection()
    try await calls.until(limit.map { min(loop.now + $0, deadline) } ?? deadline).prepare()
    do {
      return try await calls.answer(to: new.request().session)
    } catch  where error.isNotFound {
      throw .unknownWorkspace(name: new.workspaceID)
    }
  }

  /// Opens the kept connection, and gets the token for a request over it.
  package func prepare() async throws(OppiError) {
    let line = line
    do {
      try await line.connection.open(until: deadline)
    } catch {
      throw .transport(error, server: api.serverName)
    }
    _ = try await api.token(over: line)
  }

  /// Creates a session with a prompt and a key: waits until the agent has the prompt.
  package func launch(_ new: NewSession, prompt: String) async throws(OppiError) -> LaunchAnswer {
    let call = new.request(prompt: prompt)
    // Refusals have an answer too.
    let request = ServerRequest<LaunchAnswer>(http: call.http, limit: call.limit) {
      (status, body) throws(UnusableAnswer) in
      let json = (try? JSONValue(parsing: body)) ?? .null
      if let answer = LaunchAnswer(status: status, json: json) { return answer }
      try UnusableAnswer.check(status, body)
      throw .malformed("session")
    }
    do {
      return try await answer(to: request)
    } catch  where error.isNotFound {
      throw .unknownWorkspace(name: new.workspaceID)
    }
  }

  /// Uploads a file to a session, which does not start its agent.
  ///
  /// The server recognises the type of the image by its first bytes. `name` is for the agent.
  ///
  /// - Returns: The attachment as the server describes it, for a prompt.
  /// - Throws: `.refused` with the server's reason, such as a file over its limit (413);
  ///   `.unknownSession` if there is no such session.
  package func upload(
    _ image: ImageAttachment,
    named name: String,
    to session: ServerSession
  ) async throws(OppiError) -> JSONValue {
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    let body: JSONValue = [
      "name": .string(name), "mimeType": .string(image.mediaType),
      "sizeBytes": .integer(Int64(image.data.count)), "purpose": "chat_attachment",
    ]
    let path = "/workspaces/\(workspaceID)/sessions/\(session.id)/attachments"
    let request = ServerRequest.call("POST", path, body: body)
      .reading("upload") { $0["contentUrl"].requestPath }
    let target: String
    do {
      target = try await answer(to: request)
    } catch {
      guard case .refused(404, let message?)? = error.reason,
        ServerRefusal(words: message) == .sessionNotFound
      else { throw error }
      throw .unknownSession(name: session.id)
    }
    return try await answer(
      to: ServerRequest.put(image.data, to: target).reading("attachment") {
        $0["attachment"].object == nil ? nil : $0["attachment"]
      }
    )
  }
}

extension JSONValue {
  /// A server's path that may become a part of a request.
  fileprivate var requestPath: String? {
    guard let path = text(.name), path.hasPrefix("/"), !path.hasPrefix("//"),
      path.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return path
  }

  /// The user messages of a trace.
  var userTexts: [String] {
    elements { $0["type"] == "user" ? $0["text"].string : nil }
  }
}

// MARK: - Prompts whose result is unknown

extension ServerCalls {
  /// What the server has of the launch of a session, by its key.
  package func check(
    ofLaunch new: NewSession
  ) async throws(OppiError) -> (check: SessionLaunch.ServerCheck, session: Session?) {
    let info = try await info()
    var check = SessionLaunch.ServerCheck(
      isIdempotent: info?.capabilities?.contains(.controlSessions) == true,
      uptime: info?.uptime
    )
    guard check.isIdempotent, let (session, found) = try await launched(new) else {
      return (check, nil)
    }
    var record = found
    if record.progress == .launching { record.userTexts = try await userTexts(of: session) }
    check.record = record
    return (check, session)
  }

  /// `GET /sessions`: the session with a key among the latest of the workspace; `nil` if there is
  /// none.
  private func launched(
    _ new: NewSession
  ) async throws(OppiError) -> (session: Session, record: SessionLaunch.Record)? {
    let path = "/sessions?workspaceId=\(new.workspaceID)&limit=\(Self.latestSessions)"
    let key = new.key
    return try await answer(
      to: .list("sessions", at: path) { json -> (session: Session, record: SessionLaunch.Record)? in
        guard json["launch"]["idempotencyKey"].string == key else { return nil }
        return Session(json: json).map { ($0, SessionLaunch.Record(session: json)) }
      }
    )
    .first
  }

  private static let latestSessions = 200

  private func userTexts(of session: Session) async throws(OppiError) -> [String] {
    do {
      return try await self.session(session.id, workspaceID: session.workspaceID).trace.userTexts
    } catch  where error.reason == .unknownSession {
      return []
    }
  }
}

extension OppiError {
  /// Whether a request that the server recognises may be sent again, because its outcome is unknown.
  fileprivate var mayBeRepeated: Bool { mayHaveArrived && isPassing && sessionLimit == nil }
}

/// A model that its server offers, or that could not be checked because the server has no list.
package struct OfferedModel: Sendable {
  let id: String

  init(_ id: String) {
    self.id = id
  }
}
