// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Stops a session's turn, or ends the session, and reports what the server confirmed.
struct StopTurn: Sendable {
  typealias Outcome = TurnStop.Outcome

  private static let requestLimit = Duration.seconds(5)

  private let api: IntentAPIClient
  private let timeout: Duration?

  /// The timeout limits the wait for a confirmation.
  init(api: IntentAPIClient, timeout: Duration? = nil) {
    self.api = api.limited(to: timeout)
    self.timeout = timeout
  }

  /// Stops the running turn; the session stays for the next one.
  ///
  /// Also denies a pending tool call or cancels pending dialogs, and ends a pause before a retry,
  /// because a stop does neither. Never starts an agent.
  func stopTurn(of session: ServerSession) async throws(IntentError) -> Outcome {
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
    guard
      let stop = TurnStop(
        status,
        events: loaded.events,
        requests: session.server.dialect?.requests ?? .permissions,
        patience: timeout ?? TurnStop.confirmationLimit
      )
    else { return .alreadyIdle }
    var run = Run(
      stop: stop,
      feed: SessionFeed(api: api, session: session, patience: .zero),
      begin: api.loop.now
    )
    do throws(IntentError) {
      let outcome = try await perform(&run, on: session)
      await run.feed.close()
      return outcome
    } catch {
      await run.feed.close()
      throw error
    }
  }

  private struct Run {
    var stop: TurnStop
    var feed: SessionFeed
    let begin: EventLoop.Instant
    /// Why the pending requests could not be listed.
    var listFailure: IntentError?
  }

  private func perform(
    _ run: inout Run,
    on session: ServerSession
  ) async throws(IntentError) -> Outcome {
    while let news = try await run.feed.next(until: run.begin + run.stop.deadline) {
      let now = run.begin.duration(to: api.loop.now)
      let actions: [TurnStop.Action]
      switch news {
      case .standing(let standing): actions = run.stop.opens(standing.status, at: now)
      case .message(let message) where message.sessionID ?? session.id == session.id:
        actions = run.stop.hears(message.kind, at: now)
      case .lost(let error, _), .givenUp(let error): throw error
      case .message, .renewing: continue
      }
      if let outcome = try await perform(actions, &run, on: session) { return outcome }
    }
    if let outcome = run.stop.outcomeAtDeadline { return outcome }
    throw run.listFailure ?? .noAnswer(server: api.serverName)
  }

  /// Performs actions, and returns the outcome if one of them has it.
  private func perform(
    _ actions: [TurnStop.Action],
    _ run: inout Run,
    on session: ServerSession
  ) async throws(IntentError) -> Outcome? {
    for action in actions {
      switch action {
      case .send(let message):
        let id = api.loop.newID()
        if message == .stop { run.stop.left(stopID: id) }
        try await run.feed.send(message, id: id, until: api.loop.now + Self.requestLimit)
      case .list:
        let denials = try await list(&run, of: session)
        if let outcome = try await perform(denials, &run, on: session) { return outcome }
      case .deny(let request):
        _ = try await DecideRequest(api: api.onItsOwn).decide(
          .deny,
          request,
          sending: run.feed.send
        )
      case .cancel(let dialog):
        _ = try await AnswerDialog(api: api.onItsOwn).answer(.cancelled, to: dialog, of: session.id)
      case .finish(let outcome): return outcome
      }
    }
    return nil
  }

  /// Lists the pending requests; without the list, the server's confirmation still shows whether the
  /// turn has stopped.
  private func list(
    _ run: inout Run,
    of session: ServerSession
  ) async throws(IntentError) -> [TurnStop.Action] {
    do throws(IntentError) {
      return session.server.listsDialogs
        ? run.stop.lists(try await dialogs(session)) : run.stop.lists(try await pending(session))
    } catch  where !error.isCancellation {
      run.listFailure = error
      return []
    }
  }

  private func dialogs(_ session: ServerSession) async throws(IntentError) -> [UserQuestion] {
    try await api.dialogs(of: session.id, until: api.loop.now + Self.requestLimit).dialogs
  }

  private func pending(_ session: ServerSession) async throws(IntentError) -> [PermissionRequest] {
    let listed = try await api.pendingPermissions(
      sessionID: session.id,
      until: api.loop.now + Self.requestLimit
    )
    // A server without the filter lists requests of all sessions.
    return listed.filter { $0.sessionID == session.id }
  }

  /// Ends the session with its turn and its pending requests.
  func stopSession(_ session: ServerSession) async throws(IntentError) -> Outcome {
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
