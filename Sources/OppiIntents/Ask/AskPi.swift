// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiTransport

/// Sends a prompt to a workspace or a session, and reports how far it came.
///
/// With a new session the request that makes it and the stream that carries the prompt are opened at
/// the same moment, and the prompt leaves in one write with the subscription: three round trips
/// over plain TCP. What happens from then on is ``PromptDelivery``'s to decide.
package struct AskPi: Sendable {
  private let api: IntentAPIClient
  private let models: ModelCatalog
  private let limits: AskLimits
  private let journal: (any DeliveryJournal)?

  /// - Parameters:
  ///   - api: The way to the server.
  ///   - models: Where the model of a new session is looked up.
  ///   - limits: How long the steps may take.
  ///   - journal: Where they are written down; nowhere where `nil`.
  package init(
    api: IntentAPIClient,
    models: ModelCatalog,
    limits: AskLimits = AskLimits(),
    journal: (any DeliveryJournal)? = nil
  ) {
    self.api = api
    self.models = models
    self.limits = limits
    self.journal = journal
  }

  private var opener: SessionStreamOpener { SessionStreamOpener(api: api) }

  /// Performs the request; with `waitingForTurn` a slow start is part of the wait, and the stream
  /// stays open and is handed over.
  package func perform(
    _ request: AskRequest,
    waitingForTurn: Bool = false
  ) async throws(AskFailure) -> AskDelivery {
    let begin = api.loop.now
    let session: ServerSession
    let stream: Result<IntentWebSocket, IntentError>
    var model: String?
    do throws(IntentError) {
      switch request.target {
      case .newSession(let target):
        (session, stream, model) = try await make(request, target, since: begin)
      case .emptySession(let existing), .session(let existing):
        session = existing
        stream = await open(existing)
      }
    } catch {
      throw AskFailure(
        delivery: .notSent,
        cause: error,
        server: api.serverName,
        clientTurnID: request.clientTurnID
      )
    }
    var place = place(of: session)
    place.model = model
    let order = order(for: request, sessionID: session.id, waitingForTurn)
    return try await deliver(
      PromptDelivery(order, place: place),
      to: session,
      titled: request.lastingTitle,
      since: begin,
      over: stream
    )
  }

  /// Takes up a prompt that has left in an earlier process: asks what became of it, and sends it
  /// again only under its id to an agent that is known to remember it.
  ///
  /// - Parameters:
  ///   - request: What was asked.
  ///   - session: The session that it left to.
  ///   - departure: How it left.
  ///   - elapsed: How long ago that was, or longer.
  ///   - mayRepeat: Whether it may be sent again at all.
  /// - Returns: What the server has said of it.
  /// - Throws: `AskFailure`, where it is not known to be with its agent.
  package func resume(
    _ request: AskRequest,
    in session: ServerSession,
    after departure: PromptDelivery.Departure,
    since elapsed: Duration,
    mayRepeat: Bool = true
  ) async throws(AskFailure) -> AskDelivery {
    let begin = api.loop.now
    var order = order(for: request, sessionID: session.id, false)
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

  private func order(
    for request: AskRequest,
    sessionID: String,
    _ waitsForTurn: Bool
  ) -> PromptDelivery.Order {
    PromptDelivery.Order(
      sessionID: sessionID,
      isNewSession: request.target.isNewSession,
      turn: .init(
        text: request.prompt.text,
        images: request.prompt.images,
        clientTurnID: request.clientTurnID
      ),
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

  private typealias NewSession = (ServerSession, Result<IntentWebSocket, IntentError>, String?)

  private func make(
    _ request: AskRequest,
    _ target: ServerWorkspace,
    since begin: EventLoop.Instant
  ) async throws(IntentError) -> NewSession {
    var model: ModelCatalog.OfferedModel?
    if let id = request.newModel {
      let deadline = stepEnd(since: begin)
      model = try await models.model(id, of: target.server, over: api, until: deadline)
    }
    async let opening = openEarly(for: target.server)
    let session = try await api.createSession(
      workspaceID: target.workspace.id,
      name: request.prompt.title,
      model: model,
      until: stepEnd(since: begin)
    )
    let place = ServerSession(
      server: target.server,
      id: session.id,
      workspaceID: target.workspace.id,
      workspaceName: session.workspaceName ?? target.workspace.name
    )
    switch await opening {
    case .opened(let socket): return (place, .success(socket), session.model)
    case .failed(let error): return (place, .failure(error), session.model)
    case .none: break
    }
    do {
      // The session exists by now; its own stream gets a connecting time of its own.
      let socket = try await opener.openPerSession(place, until: api.loop.now + limits.connect)
      return (place, .success(socket), session.model)
    } catch {
      return (place, .failure(error), session.model)
    }
  }

  /// The end of one step before the delivery, within the time of the whole.
  private func stepEnd(since begin: EventLoop.Instant) -> EventLoop.Instant {
    let step = api.loop.now + limits.connect
    return limits.delivery.total.map { min(begin + $0, step) } ?? step
  }

  /// Opens `/stream` beside the request that makes the session; `nil` where the server is known to
  /// speak, or turns out to speak, the older dialect.
  private func openEarly(for server: PairedServer) async -> EarlyStream {
    guard server.dialect != .perSession else { return .none }
    do {
      let deadline = api.loop.now + limits.connect
      return .opened(try await IntentWebSocket.openMultiplexed(api, until: deadline))
    } catch .refused(404, _, _) {
      return .none
    } catch {
      return .failed(error)
    }
  }

  /// What became of a stream that was opened while the session was being made.
  private enum EarlyStream {
    case opened(IntentWebSocket)
    case failed(IntentError)
    /// The server has a stream for each session alone.
    case none
  }
}
