// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Sends a prompt to a workspace or a session, and reports how far it came.
///
/// For a new session, the request that creates it and the stream that carries the prompt are opened
/// concurrently, and the prompt leaves in one write with the subscription: three round trips over
/// plain TCP. ``PromptDelivery`` decides everything after that.
struct AskPi: Sendable {
  let api: IntentAPIClient
  let models: ModelCatalog
  var limits: AskLimits = AskLimits()
  var journal: (any DeliveryJournal)?

  private var opener: SessionStreamOpener { SessionStreamOpener(api: api) }

  /// Performs the request; with `waitingForTurn` a slow start is part of the wait, and the result
  /// has the open stream.
  func perform(
    _ request: AskRequest,
    waitingForTurn: Bool = false
  ) async throws(AskFailure) -> AskDelivery {
    let begin = api.loop.now
    if case .newSession(let target) = request.target, !waitingForTurn,
      request.prompt.images.isEmpty, target.server.dialect?.creation == .idempotent
    {
      return AskDelivery(outcome: try await launch(request, in: target, since: begin))
    }
    let session: ServerSession
    var created: CreatedSession?
    do throws(IntentError) {
      try await checkUploads(of: request, since: begin)
      switch request.target {
      case .newSession(let target):
        let new = try await create(request, in: target, since: begin)
        (session, created) = (new.session, new)
      case .emptySession(let existing), .session(let existing): session = existing
      }
    } catch {
      throw AskFailure(notSent: request, because: error)
    }
    let order: PromptDelivery.Order
    do throws(IntentError) {
      order = try await self.order(for: request, to: session, waitingForTurn, since: begin)
    } catch {
      throw await withdrawn(request, from: session, because: error)
    }
    let stream =
      if let created { await open(created, since: begin) } else { await open(session) }
    var place = place(of: session)
    place.model = created?.model
    return try await deliver(
      PromptDelivery(order, place: place),
      to: session,
      titled: request.lastingTitle,
      since: begin,
      over: stream
    )
  }

  /// Resumes the delivery of a prompt that an earlier process sent.
  ///
  /// Queries the server for its state, and sends the prompt again only with the same id and only to
  /// an agent that is known to remember it; never again unless `mayRepeat`. `elapsed` is an upper
  /// bound of the time since it was sent.
  ///
  /// - Throws: `AskFailure` if the agent is not known to have the prompt.
  func resume(
    _ request: AskRequest,
    in session: ServerSession,
    after departure: PromptDelivery.Departure,
    since elapsed: Duration,
    mayRepeat: Bool = true
  ) async throws(AskFailure) -> AskDelivery {
    let begin = api.loop.now
    var order: PromptDelivery.Order
    do {
      order = try await self.order(for: request, to: session, false, since: begin)
    } catch {
      throw AskFailure(
        delivery: .unknown(.lost),
        cause: error,
        sessionID: session.id,
        server: api.serverName,
        clientTurnID: request.clientTurnID
      )
    }
    order.mayRepeat = mayRepeat
    let delivery = PromptDelivery.resumed(
      order,
      after: departure,
      at: .zero - elapsed,
      place: place(of: session)
    )
    return try await deliver(
      delivery,
      to: session,
      titled: request.lastingTitle,
      since: begin,
      over: await open(session)
    )
  }

  private func deliver(
    _ delivery: PromptDelivery,
    to session: ServerSession,
    titled lastingTitle: String?,
    since begin: EventLoop.Instant,
    over stream: Result<IntentWebSocket, IntentError>
  ) async throws(AskFailure) -> AskDelivery {
    var run = DeliveryRun(
      delivery,
      to: session,
      over: api,
      connecting: limits.connect,
      since: begin,
      journal: journal,
      lastingTitle: lastingTitle
    )
    return try await run.perform(with: stream)
  }

  private func place(of session: ServerSession) -> PromptDelivery.Place {
    PromptDelivery.Place(
      workspaceID: session.workspaceID,
      workspaceName: session.workspaceName
    )
  }

  /// The order of a delivery; uploads the images if the server requires it.
  private func order(
    for request: AskRequest,
    to session: ServerSession,
    _ waitsForTurn: Bool,
    since begin: EventLoop.Instant
  ) async throws(IntentError) -> PromptDelivery.Order {
    var turn = ClientMessage.Turn(
      text: request.prompt.text,
      clientTurnID: request.clientTurnID
    )
    if request.uploadsImages {
      turn.attachments = try await upload(request.prompt.images, to: session, since: begin)
    } else {
      turn.images = request.prompt.images
    }
    return PromptDelivery.Order(
      sessionID: session.id,
      isNewSession: request.target.isNewSession,
      turn: turn,
      thinking: request.level,
      waitsForTurn: waitsForTurn,
      limits: limits.delivery
    )
  }

  private func open(_ session: ServerSession) async -> Result<IntentWebSocket, IntentError> {
    do {
      return .success(try await opener.open(for: session, until: api.loop.now + limits.connect))
    } catch {
      return .failure(error)
    }
  }

  // MARK: A new session

  /// A created session, and the stream that was opened meanwhile.
  private struct CreatedSession {
    var session: ServerSession
    var model: String?
    var early: EarlyStream
  }

  private func create(
    _ request: AskRequest,
    in target: ServerWorkspace,
    since begin: EventLoop.Instant
  ) async throws(IntentError) -> CreatedSession {
    var model: ModelCatalog.OfferedModel?
    if let id = request.newModel {
      let deadline = stepEnd(since: begin)
      model = try await models.model(id, of: target.server, over: api, until: deadline)
    }
    async let opening = openEarly(for: target.server, until: answerEnd(since: begin))
    var new = NewSession(
      workspaceID: target.workspace.id,
      name: request.prompt.title,
      model: model
    )
    new.key = target.server.dialect?.creation.key(for: "\(request.clientTurnID).session")
    let session = try await api.createSession(
      new,
      connectingFor: limits.connect,
      until: answerEnd(since: begin)
    )
    let place = ServerSession(
      server: target.server,
      id: session.id,
      workspaceID: target.workspace.id,
      workspaceName: session.workspaceName ?? target.workspace.name
    )
    return CreatedSession(session: place, model: session.model, early: await opening)
  }

  private func open(
    _ created: CreatedSession,
    since begin: EventLoop.Instant
  ) async -> Result<IntentWebSocket, IntentError> {
    switch created.early {
    case .opened(let socket): return .success(socket)
    case .failed(let error): return .failure(error)
    case .none: break
    }
    do {
      let deadline = answerEnd(since: begin)
      return .success(try await opener.openPerSession(created.session, until: deadline))
    } catch {
      return .failure(error)
    }
  }

  /// The end of one step before the delivery, within the total limit.
  func stepEnd(since begin: EventLoop.Instant) -> EventLoop.Instant {
    let step = api.loop.now + limits.connect
    return limits.delivery.total.map { min(begin + $0, step) } ?? step
  }

  /// The end of the wait for an answer of a server that is reachable, as the creation of the session
  /// shows.
  private func answerEnd(since begin: EventLoop.Instant) -> EventLoop.Instant {
    limits.delivery.total.map { begin + $0 } ?? api.loop.now + limits.answer
  }

  /// Opens `/stream` while the session is being created; `.none` on servers without it.
  private func openEarly(
    for server: PairedServer,
    until deadline: EventLoop.Instant
  ) async -> EarlyStream {
    guard server.dialect?.stream.subscribes ?? true else { return .none }
    do {
      return .opened(try await IntentWebSocket.openMultiplexed(api, until: deadline))
    } catch  where error.isNotFound {
      return .none
    } catch {
      return .failed(error)
    }
  }

  private enum EarlyStream {
    case opened(IntentWebSocket)
    case failed(IntentError)
    /// The server only has a stream per session.
    case none
  }
}

/// A session that is created with its prompt, on servers that recognise a repeated request.
extension AskPi {
  /// Determines the result of the request that creates the session with the prompt, which an earlier
  /// process made.
  ///
  /// Repeats the request only if it cannot run twice, and never unless `mayRepeat`. `elapsed` is an
  /// upper bound of the time since it was made.
  ///
  /// - Throws: `AskFailure` if the agent is not known to have the prompt.
  func relaunch(
    _ request: AskRequest,
    since elapsed: Duration,
    mayRepeat: Bool
  ) async throws(AskFailure) -> AskDelivery {
    guard case .newSession(let target) = request.target,
      target.server.dialect?.creation == .idempotent
    else {
      throw AskFailure(
        delivery: .unknown(.agentGone),
        cause: nil,
        server: api.serverName,
        clientTurnID: request.clientTurnID
      )
    }
    let launch = SessionLaunch(
      of: request.prompt.text,
      resumedAfter: elapsed,
      mayRepeat: mayRepeat,
      limits: limits.delivery
    )
    let outcome = try await perform(launch, of: request, in: target, since: api.loop.now)
    return AskDelivery(outcome: outcome)
  }

  func launch(
    _ request: AskRequest,
    in target: ServerWorkspace,
    since begin: EventLoop.Instant
  ) async throws(AskFailure) -> AskOutcome {
    let launch = SessionLaunch(of: request.prompt.text, limits: limits.delivery)
    return try await perform(launch, of: request, in: target, since: begin)
  }

  private func perform(
    _ launch: SessionLaunch,
    of request: AskRequest,
    in target: ServerWorkspace,
    since begin: EventLoop.Instant
  ) async throws(AskFailure) -> AskOutcome {
    var run = LaunchRun(launch, of: request, in: target.workspace, over: self, since: begin)
    return try await run.perform()
  }
}
