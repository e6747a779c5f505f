// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiClient
package import OppiModel
import OppiSystem
package import OppiWire

/// Sends a reply to a request, and reports the result.
///
/// The first reply of any client counts. Never starts an agent; never sends a reply twice.
package struct ReplyToRequest {
  /// Writes a message with an id to the open stream of a session.
  package typealias Stream = (ClientMessage, String, EventLoop.Instant) async throws(OppiError) ->
    Void

  private static let limit = Duration.seconds(5)
  /// How long an answered dialog may still be listed.
  private static let settlingLimit = Duration.seconds(2)
  private static let firstPause = Duration.milliseconds(50)

  private let reply: RequestReply
  private let request: HumanRequest
  private let sessionID: String?
  private let server: PairedServer
  private let api: IntentAPIClient
  /// For servers that take a reply only there; `nil` opens one that confirms the reply.
  ///
  /// The session's stream confirms nothing, but its next event shows the result.
  private let stream: Stream?

  /// `reply` is in the terms of the request; `sessionID` is its session if it does not name it.
  package init(
    _ reply: RequestReply,
    to request: HumanRequest,
    of sessionID: String? = nil,
    on server: PairedServer,
    api: IntentAPIClient,
    over stream: Stream? = nil
  ) {
    (self.reply, self.request) = (reply, request)
    self.sessionID = sessionID ?? request.sessionID
    (self.server, self.api, self.stream) = (server, api, stream)
  }

  /// Replies to a pending request.
  ///
  /// With `asShown`, the request was shown earlier, and gets the reply only if it is still pending
  /// and unchanged; one that servers do not list gets it by its id alone.
  ///
  /// - Throws: If the server refused the reply, and the request is still pending; the server cannot
  ///   be reached; or a request that was shown cannot be looked up.
  package func send(asShown isShown: Bool = false) async throws(OppiError) -> DecisionOutcome {
    if request.kind != .permission { _ = try validSession() }
    if isShown, let change = try await change() { return change }
    return try await recorded { () async throws(OppiError) in
      try await send(over: api.within(Self.limit))
    }
  }

  /// Replies over the open stream of a session, which reports a request that is not pending.
  func send(
    over stream: IntentWebSocket,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> DecisionOutcome {
    let session = try validSession()
    return try await recorded { () async throws(OppiError) in
      try await stream.accepts(reply, to: request.id, of: session, until: deadline)
        ? .decided : .tooLate
    }
  }

  /// Records a reply, whose result is unknown after a failure that may have come after it.
  private func recorded(
    _ send: () async throws(OppiError) -> DecisionOutcome
  ) async throws(OppiError) -> DecisionOutcome {
    try await api.recording(reply, to: request, of: sessionID) { () async throws(OppiError) in
      do throws(OppiError) {
        return try await send()
      } catch {
        guard error.mayHaveArrived else { throw error }
        // Without the server's own answer it may still be processing the reply, even if it lists the
        // request.
        if error.isOfServer, await isPending() == true { throw error }
        return .unknown
      }
    }
  }

  private func send(over calls: ServerCalls) async throws(OppiError) -> DecisionOutcome {
    switch (request, reply) {
    case (.permission, .decision(let decision)): return try await decide(decision, over: calls)
    case (.question(let question), .answer(let answer)):
      if let stream, !server.listsDialogs {
        try await stream(.answer(questionID: question.id, answer), api.loop.newID(), calls.deadline)
        return .unconfirmed
      }
      return try await self.answer(answer, over: calls)
    case (.permission, .answer), (.question, .decision): throw .needsDecision(id: request.id)
    }
  }

  private func validSession() throws(OppiError) -> String {
    guard let sessionID, WireID.isValid(sessionID) else {
      throw .malformedAnswer(server: server.name, what: "the session of request \(request.id)")
    }
    return sessionID
  }

  // MARK: - The request as it is now

  /// Why no reply to a request that was shown earlier is sent: it is no longer pending, or another
  /// one is pending under its id; `nil` if it is as shown.
  private func change() async throws(OppiError) -> DecisionOutcome? {
    guard request.kind == .permission || stream == nil || server.listsDialogs,
      let present = try await present()
    else { return nil }
    guard let first = present.first else { return .tooLate }
    let isSame =
      present.count == 1 && first.isAbout(sameAs: request) && first.sessionID == sessionID
    return isSame ? nil : .changed
  }

  private func present() async throws(OppiError) -> [HumanRequest]? {
    try await api.within(Self.limit).pending(as: request, in: sessionID)
  }

  /// Whether the request is still listed; `nil` if that is unknown.
  private func isPending() async -> Bool? { (try? await present()).map { !$0.isEmpty } }

  // MARK: - Tool calls

  /// REST confirms a decision and reports at once whether it came in time.
  private func decide(
    _ decision: PermissionDecision,
    over calls: ServerCalls
  ) async throws(OppiError) -> DecisionOutcome {
    switch try await calls.decide(decision, permissionID: request.id) {
    case .decided: return .decided
    case .tooLate: return .tooLate
    case .noRoute: break
    }
    guard let stream else { return try await decideOverOwnStream(calls) }
    try await stream(.decide(permissionID: request.id, decision), api.loop.newID(), calls.deadline)
    return .unconfirmed
  }

  private func decideOverOwnStream(
    _ calls: ServerCalls
  ) async throws(OppiError) -> DecisionOutcome {
    let session = ServerSession(
      server: server,
      id: try validSession(),
      workspaceID: request.workspaceID.flatMap { WireID.isValid($0) ? $0 : nil }
    )
    let stream: IntentWebSocket
    do throws(OppiError) {
      stream = try await calls.openStream(of: session)
    } catch  where error.reason == .unknownSession {
      // The requests of a session are gone with it.
      return .tooLate
    }
    do throws(OppiError) {
      let (id, end) = (request.id, calls.deadline)
      let isAccepted = try await stream.accepts(reply, to: id, of: session.id, until: end)
      await stream.close()
      return isAccepted ? .decided : .tooLate
    } catch {
      await stream.close()
      throw error
    }
  }

  // MARK: - Dialogs

  private func answer(
    _ answer: QuestionAnswer,
    over calls: ServerCalls
  ) async throws(OppiError) -> DecisionOutcome {
    let sessionID = try validSession()
    switch try await calls.answer(answer, toDialog: request.id, of: sessionID) {
    case .gone: return .tooLate
    case .refused(let reason):
      throw .refused(status: 409, message: reason, server: api.serverName)
    case .accepted:
      return await request.question?.isListed == true ? confirmed() : probed(sessionID)
    }
  }

  /// Waits until the server shows that it has processed an answer.
  private func confirmed() async -> DecisionOutcome {
    let end = api.loop.now + Self.settlingLimit
    var pause = Self.firstPause
    while true {
      guard let isPending = await isPending() else { return .unknown }
      if !isPending { return .decided }
      guard api.loop.now + pause < end, (try? await api.loop.sleep(for: pause)) != nil else {
        return .unknown
      }
      pause += pause
    }
  }

  /// Cancels a made-up dialog: the error for it shows that the server reports unknown dialogs, so
  /// that it accepted the answer to the real one.
  private func probed(_ sessionID: String) async -> DecisionOutcome {
    let reply = try? await api.within(Self.limit)
      .answer(.cancelled, toDialog: api.loop.newID(), of: sessionID)
    return reply == .gone ? .decided : .unknown
  }
}

extension OppiError {
  /// Whether the server itself refused the request, not a gateway in front of it that does not know
  /// whether the server performed it (RFC 9110, sections 15.6.3 and 15.6.5).
  fileprivate var isOfServer: Bool { refusedStatus.map { $0 != 502 && $0 != 504 } ?? false }
}

extension IntentWebSocket {
  /// Sends a reply to the request with an id, and returns whether the server accepted it; false if the
  /// request is not pending.
  ///
  /// The server confirms nothing and reports only unknown requests. So the refusal of a made-up id
  /// follows at once: the error for that id shows that the server has processed the reply.
  ///
  /// - Throws: If the reply could not be sent, or the server does not respond.
  func accepts(
    _ reply: RequestReply,
    to id: String,
    of sessionID: String,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Bool {
    let unknown = newID()
    let (messages, refusal): ([ClientMessage], String) =
      switch reply {
      case .decision(let decision):
        (
          [.decide(permissionID: id, decision), .decide(permissionID: unknown, .deny)],
          "Permission request not found: "
        )
      case .answer(let answer):
        (
          [.answer(questionID: id, answer), .answer(questionID: unknown, .cancelled)],
          DialogReply.unknownDialog
        )
      }
    try await send(messages.map { Request($0, id: newID()) }, to: sessionID, until: deadline)
    while true {
      let (message, _) = try await receive(until: deadline)
      guard case .error(let text, _, _) = message.kind else { continue }
      if text == refusal + id { return false }
      if text == refusal + unknown { return true }
    }
  }
}

/// The replies that may be lost with a session's stream, which confirms none of them.
///
/// A server repeats its pending requests on each connection. If it repeats one that was replied to
/// over an earlier connection, it does not have the reply.
package struct RepliesOnStream: Sendable {
  /// The ids of the requests that were replied to over the present stream.
  private var sent: Set<String> = []
  /// Those that were replied to over earlier ones, and are still pending.
  private var doubtful: Set<String> = []

  package init() {}

  package mutating func add(_ id: String) {
    sent.insert(id)
    doubtful.remove(id)
  }

  /// Returns the request that is repeated, so that its reply was lost; `nil` if the news repeat none.
  ///
  /// `turn` is the state after the news.
  package mutating func lost(in news: SessionNews, of turn: Turn) -> HumanRequest? {
    guard !sent.isEmpty || !doubtful.isEmpty else { return nil }
    let pending = Set(turn.requests.map(\.id))
    sent.formIntersection(pending)
    doubtful.formIntersection(pending)
    switch news {
    case .lost, .renewing:
      doubtful.formUnion(sent)
      sent = []
      return nil
    case .changes(_, of: let message?):
      return message.request.flatMap { doubtful.remove($0.id) == nil ? nil : $0 }
    case .changes, .past, .caughtUp, .givenUp: return nil
    }
  }
}

extension ServerMessage {
  fileprivate var request: HumanRequest? {
    switch kind {
    case .permissionRequest(let request): .permission(request)
    case .question(let question): .question(question)
    default: nil
    }
  }
}

/// Replies to requests on every surface without a stream of its own.
extension Services {
  /// Replies to a request that was shown earlier, if it is still pending and unchanged.
  ///
  /// Without `asShown`, the request was listed just now, and is not compared with the server's.
  /// Whatever lets the agent continue also needs the request to be as every surface has shown it,
  /// unless the user has just read all of it: `isRead`. `isAutomatic` is whether an option or a
  /// setting replies, not the user.
  package func reply(
    _ reply: RequestReply,
    to request: HumanRequest,
    of serverID: Fingerprint,
    asShown isShown: Bool = true,
    isRead: Bool = false,
    isAutomatic: Bool = false,
    within limit: Duration? = nil
  ) async -> Result<DecisionOutcome, any Error> {
    if reply.effect(on: request) != .deny {
      let shown = ShownRequests.Entry(request, of: serverID, in: request.sessionID)
      if isRead {
        await remember(read: shown)
      } else if shownRequests.usable()?.differ(from: shown) == true {
        return .success(.changed)
      }
    }
    do {
      let server = try self.server(serverID)
      let api = try await connections.client(for: server).limited(to: limit)
      let flow = ReplyToRequest(
        try request.accepting(reply),
        to: request,
        on: server,
        api: isAutomatic ? api.onItsOwn : api
      )
      return .success(try await flow.send(asShown: isShown))
    } catch {
      return .failure(error)
    }
  }

  /// The server of a request or a session, as it is paired now.
  ///
  /// - Throws: ``OppiError`` if it is no longer paired; `FileError`.
  package func server(_ id: Fingerprint) throws -> PairedServer {
    guard let server = try serverStore.load().servers.first(where: { $0.id == id }) else {
      throw OppiError(.notPaired, "the server of the request is no longer paired")
    }
    return server
  }
}

extension HumanRequest {
  /// The reply in the terms of the request: an approval or a denial of a question that asks for
  /// approval is the answer for it, and a denial of any other question is its refusal.
  package func accepting(_ reply: RequestReply) throws(OppiError) -> RequestReply {
    switch (self, reply) {
    case (.permission, .answer): throw .needsDecision(id: id)
    case (.question, .decision(.deny)): return refusal
    case (.question(let question), .decision(.allow)):
      guard let consent = question.consent else { throw .needsAnswer(question) }
      return try accepting(.answer(consent.yes.answer))
    case (.question, .decision): throw .hasNoScope(id: id)
    case (.permission, .decision), (.question, .answer):
      guard ApprovalPolicy.obstacle(to: reply, self, on: .command) == nil else {
        throw .requestNotWhole(id: id)
      }
      return reply
    }
  }
}
