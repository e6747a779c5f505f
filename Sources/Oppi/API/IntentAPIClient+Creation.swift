// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// A session to be created.
struct NewSession: Sendable {
  var workspaceID: String
  var name: String?
  var model: ModelCatalog.OfferedModel?
  /// `nil` for the server's default; only servers that recognise repeats read it.
  var thinking: ThinkingLevel?
  /// By which the server recognises a repeated request; `nil` on servers that do not.
  var key: String?

  init(workspaceID: String, name: String?, model: ModelCatalog.OfferedModel?) {
    self.workspaceID = workspaceID
    self.name = name
    self.model = model
  }

  fileprivate var path: String { "/workspaces/\(workspaceID)/sessions" }

  fileprivate func body(prompt: String? = nil) -> JSONValue {
    .object([
      "name": name.map(JSONValue.string),
      "model": model.map { .string($0.id) },
      "thinking": thinking.map { .string($0.rawValue) },
      "idempotencyKey": key.map(JSONValue.string),
      "prompt": prompt.map(JSONValue.string),
    ])
  }
}

extension IntentAPIClient {
  /// `POST /workspaces/:id/sessions`, without a prompt; no turn starts.
  ///
  /// With a key, a request without an answer, or one at which the server failed, is repeated until
  /// the deadline; the error is then the server's last one, if it sent any. Connecting takes at most
  /// `limit`; `nil` for no limit of its own.
  func createSession(
    _ new: NewSession,
    connectingFor limit: Duration? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Session {
    guard new.key != nil else { return try await createOnce(new, limit, until: deadline) }
    var refusal: OppiError?
    while true {
      do throws(OppiError) {
        return try await createOnce(new, limit, until: deadline)
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
        throw .transport(.cancelled, server: serverName)
      }
      guard loop.now < deadline else { throw refusal ?? .noAnswer(server: serverName) }
    }
  }

  private static let creationPause = Duration.milliseconds(250)

  private func createOnce(
    _ new: NewSession,
    _ limit: Duration?,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Session {
    let connection = connection()
    let connected = limit.map { min(loop.now + $0, deadline) } ?? deadline
    try await prepare(connection, until: connected)
    let json: JSONValue
    do {
      json = try await call(
        "POST",
        new.path,
        body: new.body(),
        over: connection,
        until: deadline
      )
    } catch  where error.isNotFound {
      throw .unknownWorkspace(name: new.workspaceID)
    }
    return try session(in: json)
  }

  /// Opens a connection, and gets the token for a request over it.
  func prepare(
    _ connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) {
    do {
      try await connection.open(until: deadline)
    } catch {
      throw .transport(error, server: serverName)
    }
    _ = try await token(over: connection, until: deadline)
  }

  /// `POST /workspaces/:id/sessions`, with a prompt and a key: waits until the agent has the prompt.
  func launch(
    _ new: NewSession,
    prompt: String,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> LaunchAnswer {
    let (status, json) = try await answer(
      "POST",
      new.path,
      body: new.body(prompt: prompt),
      over: connection,
      until: deadline
    )
    if let answer = LaunchAnswer(status: status, json: json) { return answer }
    if status == 404 { throw .unknownWorkspace(name: new.workspaceID) }
    guard !(200..<300).contains(status) else {
      throw malformed("session")
    }
    throw .refused(status: status, message: json["error"].string?.safeLine(), server: serverName)
  }
}

// MARK: - A launch whose result is unknown

extension IntentAPIClient {
  /// What the server has of the launch of a session, by its key.
  func check(
    ofLaunch new: NewSession,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> (check: SessionLaunch.ServerCheck, session: Session?) {
    let info = try await info(over: connection, until: deadline)
    var check = SessionLaunch.ServerCheck(
      isIdempotent: info?.capabilities?.contains(.controlSessions) == true,
      uptime: info?.uptime
    )
    guard check.isIdempotent,
      let (session, found) = try await launched(new, over: connection, until: deadline)
    else { return (check, nil) }
    var record = found
    if record.progress == .launching {
      record.userTexts = try await userTexts(of: session, over: connection, until: deadline)
    }
    check.record = record
    return (check, session)
  }

  /// `GET /sessions`: the session with a key among the latest of the workspace; `nil` if there is
  /// none.
  private func launched(
    _ new: NewSession,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> (session: Session, record: SessionLaunch.Record)? {
    let path = "/sessions?workspaceId=\(new.workspaceID)&limit=\(Self.latestSessions)"
    let key = new.key
    return try await list("sessions", at: path, over: connection, until: deadline) {
      json -> (session: Session, record: SessionLaunch.Record)? in
      guard json["launch"]["idempotencyKey"].string == key else { return nil }
      return Session(json: json).map { ($0, SessionLaunch.Record(session: json)) }
    }
    .first
  }

  private static let latestSessions = 200

  private func userTexts(
    of session: Session,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> [String] {
    do {
      return try await self.session(
        session.id,
        workspaceID: session.workspaceID,
        over: connection,
        until: deadline
      )
      .trace.userTexts
    } catch  where error.reason == .unknownSession {
      return []
    }
  }
}

extension OppiError {
  /// Whether a request that the server recognises may be sent again, because its outcome is unknown.
  fileprivate var mayBeRepeated: Bool { mayHaveArrived && isPassing && sessionLimit == nil }
}
