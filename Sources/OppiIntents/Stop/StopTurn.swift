// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Ends a session's turn, or the whole session, and says what the server confirmed.
package struct StopTurn: Sendable {
  /// What is known to have happened.
  package enum Outcome: Sendable, Equatable {
    case alreadyIdle
    /// The turn has ended; so many messages that waited behind it were dropped.
    case stopped(dropped: Int)
    case sessionEnded
    /// The turn goes on.
    case failed(reason: String)
  }

  private static let requestLimit = Duration.seconds(5)
  /// A server tries for 8 s, and then for 5 s more, before it says that it failed.
  private static let confirmationLimit = Duration.seconds(18)
  /// The end of a pause before another attempt is told at once.
  private static let pauseLimit = Duration.seconds(2)

  private let api: IntentAPIClient
  private let timeout: Duration?

  /// Makes the flow, which waits for no word of the server longer than a timeout.
  package init(api: IntentAPIClient, timeout: Duration? = nil) {
    self.api = api.limited(to: timeout)
    self.timeout = timeout
  }

  /// Ends the running turn and leaves the session for the next one.
  ///
  /// A tool call that waits for approval is denied, too, since a stop does not release it; a pause
  /// before another attempt is ended, which a stop leaves alone. A session without an agent stays
  /// without one.
  package func stopTurn(of session: ServerSession) async throws(IntentError) -> Outcome {
    let session = try await SessionGlance.located(session, api: api)
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    let deadline = api.loop.now + Self.requestLimit
    let (current, _) = try await api.session(
      session.id,
      workspaceID: workspaceID,
      until: deadline
    )
    guard current.status != .stopped,
      let loaded = try await api.events(
        of: session.id,
        workspaceID: workspaceID,
        since: 0,
        until: deadline
      )
    else { return .alreadyIdle }
    let status = loaded.session?.status ?? current.status
    guard status.isAtWork || loaded.events?.mayBeRetried ?? true else { return .alreadyIdle }
    var stopping = Stopping(
      feed: SessionFeed(api: api, session: session, patience: .zero),
      isStopPending: status == .stopping,
      isInPause: !status.isAtWork,
      deadline: api.loop.now
        + (status.isAtWork
          ? min(timeout ?? Self.confirmationLimit, Self.confirmationLimit) : Self.pauseLimit)
    )
    do throws(IntentError) {
      let outcome = try await stop(session, &stopping)
      await stopping.feed.close()
      return outcome
    } catch {
      await stopping.feed.close()
      throw error
    }
  }

  /// A stop on its way.
  private struct Stopping {
    var feed: SessionFeed
    /// Somebody else's stop is on its way; a second one would be confirmed at once and do nothing.
    var isStopPending: Bool
    /// No turn runs, but another attempt may be about to.
    var isInPause: Bool
    /// The server has taken the stop to the running turn.
    var isHeard = false
    /// The id under which the stop left.
    var stopID: String?
    /// The requests that were denied; servers tell of them more than once.
    var denied: Set<String> = []
    var hasRunEnded = false
    /// When the server's word is no longer waited for.
    var deadline: EventLoop.Instant
    var waiting: Set<String> = []
    var dropped: Set<String> = []
  }

  private func stop(
    _ session: ServerSession,
    _ stopping: inout Stopping
  ) async throws(IntentError) -> Outcome {
    while let news = try await stopping.feed.next(until: stopping.deadline) {
      switch news {
      case .standing(let standing):
        if standing.status == .ready { enterPause(&stopping) }
        try await begin(session, &stopping)
      case .message(let message) where message.sessionID ?? session.id == session.id:
        if let outcome = try await take(message.kind, &stopping) { return outcome }
      case .lost(let error, _), .givenUp(let error): throw error
      case .message: break
      }
    }
    // A turn that ends after a stop was asked for is stopped, whatever ended it.
    if stopping.hasRunEnded { return .stopped(dropped: stopping.dropped.count) }
    if stopping.isInPause { return .alreadyIdle }
    throw .noAnswer(server: api.serverName)
  }

  /// Takes it that no turn runs: there may be one again in a moment, or not.
  private func enterPause(_ stopping: inout Stopping) {
    guard !stopping.isInPause else { return }
    stopping.isInPause = true
    stopping.isStopPending = false
    stopping.deadline = api.loop.now + Self.pauseLimit
  }

  private func begin(
    _ session: ServerSession,
    _ stopping: inout Stopping
  ) async throws(IntentError) {
    // Older servers neither know nor answer it.
    try await send(.getQueue, &stopping)
    // The stop comes first, so that the agent does not go on with the denial.
    if !stopping.isStopPending {
      try await send(stopping.isInPause ? .abortRetry : .stop, &stopping)
    }
    for request in try await pending(session) { try await deny(request, &stopping) }
  }

  private func deny(
    _ request: PermissionRequest,
    _ stopping: inout Stopping
  ) async throws(IntentError) {
    guard stopping.denied.insert(request.id).inserted else { return }
    _ = try await DecideRequest(api: api)
      .decide(.deny, request, sending: stopping.feed.send)
  }

  private func send(
    _ message: ClientMessage,
    _ stopping: inout Stopping
  ) async throws(IntentError) {
    let id = api.loop.newID()
    if message == .stop { stopping.stopID = id }
    try await stopping.feed.send(message, id: id, until: api.loop.now + Self.requestLimit)
  }

  private func take(
    _ kind: ServerMessage.Kind,
    _ stopping: inout Stopping
  ) async throws(IntentError) -> Outcome? {
    switch kind {
    case .queueState(let queue):
      let present = Set(queue.map(\.id))
      stopping.dropped.formUnion(stopping.waiting.subtracting(present))
      stopping.waiting = present
    case .queueItemStarted(let item): stopping.waiting.remove(item.id)
    case .agentStart where stopping.isInPause:
      // The other attempt has begun first.
      stopping.isInPause = false
      stopping.deadline = api.loop.now + Self.confirmationLimit
      try await send(.stop, &stopping)
    case .agentEnd:
      stopping.hasRunEnded = true
      if stopping.isInPause { return .stopped(dropped: stopping.dropped.count) }
    case .retryEnd(success: false, _) where stopping.isInPause:
      return .stopped(dropped: stopping.dropped.count)
    // It was on its way to being asked when the stop came.
    case .permissionRequest(let request) where stopping.stopID != nil:
      try await deny(request, &stopping)
    case .stopRequested: stopping.isHeard = true
    case .stopConfirmed(let reason) where reason?.isIdleConfirmation == true:
      // Whoever asks while a stop is on its way is told this, too, though the turn still runs.
      guard !stopping.isHeard, !stopping.isInPause else { return nil }
      enterPause(&stopping)
      try await send(.abortRetry, &stopping)
    case .stopConfirmed: return .stopped(dropped: stopping.dropped.count)
    case .commandResult(let result)
    where stopping.stopID != nil && result.requestID == stopping.stopID:
      return result.failure.map(Outcome.failed)
    case .stopFailed(let reason): return .failed(reason: reason ?? "the agent does not react")
    case .sessionEnded: return .sessionEnded
    case .state(let session)
    where session.status == .ready && stopping.hasRunEnded && stopping.isHeard:
      return .stopped(dropped: stopping.dropped.count)
    default: break
    }
    return nil
  }

  private func pending(_ session: ServerSession) async throws(IntentError) -> [PermissionRequest] {
    let listed = try await api.pendingPermissions(
      sessionID: session.id,
      until: api.loop.now + Self.requestLimit
    )
    // A server that does not know the filter lists those of other sessions, too.
    return listed.filter { $0.sessionID == session.id }
  }

  /// Ends the session, its turn and its pending requests included.
  package func stopSession(_ session: ServerSession) async throws(IntentError) -> Outcome {
    let session = try await SessionGlance.located(session, api: api)
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    try await api.stopSession(
      session.id,
      workspaceID: workspaceID,
      until: api.loop.now + Self.requestLimit
    )
    return .sessionEnded
  }
}

extension [ServerMessage] {
  /// Whether the agent's last run failed, so that another attempt may be about to begin: that is
  /// announced to those only who are there.
  var mayBeRetried: Bool {
    guard let end = lastIndex(where: { $0.kind == .agentEnd }),
      !self[end...].contains(where: { $0.kind == .agentStart })
    else { return false }
    for message in self[..<end].reversed() {
      switch message.kind {
      case .error: return true
      case .messageEnd(.assistant, let text): return text.allSatisfy(\.isWhitespace)
      case .agentStart: return false
      default: continue
      }
    }
    return false
  }
}
