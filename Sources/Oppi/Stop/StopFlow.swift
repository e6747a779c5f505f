// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import Synchronization

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
  func stopTurn(of session: ServerSession) async throws(OppiError) -> Outcome {
    let session = try await api.located(session)
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    let calls = api.within(Self.requestLimit)
    let (current, _) = try await calls.session(session.id, workspaceID: workspaceID)
    guard current.status != .stopped,
      let loaded = try await calls.events(of: session.id, workspaceID: workspaceID, since: 0)
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
    do throws(OppiError) {
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
    var listFailure: OppiError?
  }

  private func perform(
    _ run: inout Run,
    on session: ServerSession
  ) async throws(OppiError) -> Outcome {
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
  ) async throws(OppiError) -> Outcome? {
    for action in actions {
      switch action {
      case .send(let message):
        let id = api.loop.newID()
        if message == .stop { run.stop.left(stopID: id) }
        try await run.feed.send(message, id: id, until: api.loop.now + Self.requestLimit)
      case .list:
        let denials = try await list(&run, of: session)
        if let outcome = try await perform(denials, &run, on: session) { return outcome }
      case .refuse(let request): try await refuse(request, run, on: session)
      case .finish(let outcome): return outcome
      }
    }
    return nil
  }

  private func refuse(
    _ request: HumanRequest,
    _ run: Run,
    on session: ServerSession
  ) async throws(OppiError) {
    _ = try await ReplyToRequest(
      request.refusal,
      to: request,
      of: session.id,
      on: session.server,
      api: api.onItsOwn,
      over: run.feed.send
    ).send()
  }

  /// Lists the pending requests; without the list, the server's confirmation still shows whether the
  /// turn has stopped.
  private func list(
    _ run: inout Run,
    of session: ServerSession
  ) async throws(OppiError) -> [TurnStop.Action] {
    do throws(OppiError) {
      return run.stop.lists(try await pending(session))
    } catch  where !error.isCancellation {
      run.listFailure = error
      return []
    }
  }

  private func pending(_ session: ServerSession) async throws(OppiError) -> [HumanRequest] {
    let calls = api.within(Self.requestLimit)
    if session.server.listsDialogs { return try await calls.dialogs(of: session.id).requests }
    // A server without the filter lists requests of all sessions.
    return try await calls.pendingPermissions(sessionID: session.id)
      .filter { $0.sessionID == session.id }
  }

  /// Ends the session with its turn and its pending requests.
  func stopSession(_ session: ServerSession) async throws(OppiError) -> Outcome {
    let session = try await api.located(session)
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    try await api.within(Self.requestLimit).stopSession(session.id, workspaceID: workspaceID)
    return .sessionEnded
  }
}

/// Ends the sessions whose agents are idle, so that their servers can load others.
struct EndIdleSessions: Sendable {
  struct Outcome: Sendable {
    var ended: [Session] = []
    /// The sessions for which the result is unknown, with the errors.
    var failures: [(session: Session, error: OppiError)] = []
    /// How many were not tried, after several failures or after the timeout.
    var untriedCount = 0
  }

  /// An agent that is idle for less may be about to continue: with a retry, or with a queued
  /// message.
  private static let leastRest = Duration.seconds(60)
  /// After this many failures the remaining sessions of a server are not tried.
  private static let failureLimit = 3
  /// How many sessions are ended concurrently; a server takes about a second for each.
  private static let atOnce = 4
  private static let lookLimit = Duration.seconds(5)
  private static let endLimit = Duration.seconds(15)

  private let fleet: Fleet
  private let timeout: Duration?

  /// With a timeout, starts ending no session after it.
  init(_ fleet: Fleet, timeout: Duration? = nil) {
    self.fleet = fleet
    self.timeout = timeout
  }

  /// Ends the idle sessions of all servers concurrently, or only those of one workspace.
  func answers(inWorkspace workspaceID: String?) async -> [Fleet.Answer<Outcome>] {
    let end = timeout.map { fleet.connections.loop.now + $0 }
    var answers: [Fleet.Answer<Outcome>] = []
    await fleet.ask { (calls, _) throws(OppiError) in
      let calls = calls.overOneConnection()
      let offset = try await calls.pendingPermissions().clockOffset
      let loaded = try await calls.listSessions(.loaded)
      let idle = loaded.filter { session in
        session.workspaceID != nil && (workspaceID == nil || session.workspaceID == workspaceID)
          && Self.isAtRest(session, at: calls.loop.timestamp().moved(by: offset ?? .zero))
      }
      let ending = Ending(clockOffset: offset ?? .zero, end: end)
      let results = await calls.perform(Array(idle.enumerated()), atMost: Self.atOnce) {
        job,
        calls in
        await ending.end(job.element, over: calls).map { (job.offset, $0) }
      }
      return Outcome(results.sorted { $0.0 < $1.0 }.map(\.1))
    } onAnswer: {
      answers.append($0)
    }
    return answers
  }

  /// Whether an agent is idle and not about to continue, by its server's clock.
  static func isAtRest(_ session: Session, at now: Timestamp) -> Bool {
    session.status == .ready && session.pendingCount == 0 && !session.isMirror
      && Duration.seconds(session.lastActivity.age(at: now)) >= leastRest
  }

  fileprivate enum Result: Sendable {
    case ended(Session)
    case failed(Session, OppiError)
    case untried
  }

  private final class Ending: Sendable {
    private let clockOffset: Duration
    private let end: EventLoop.Instant?
    private let failureCount = Mutex(0)

    init(clockOffset: Duration, end: EventLoop.Instant?) {
      self.clockOffset = clockOffset
      self.end = end
    }

    /// Ends a session; `nil` if it no longer has an idle agent.
    func end(_ session: Session, over calls: ServerCalls) async -> Result? {
      guard failureCount.withLock({ $0 < EndIdleSessions.failureLimit }), !Task.isCancelled,
        end.map({ calls.loop.now < $0 }) ?? true
      else { return .untried }
      do throws(OppiError) {
        // The list is out of date by the time its end is reached.
        let live = try await ending(calls, within: EndIdleSessions.lookLimit).liveSession(session)
        guard let live, let workspaceID = session.workspaceID,
          EndIdleSessions.isAtRest(live, at: calls.loop.timestamp().moved(by: clockOffset))
        else { return nil }
        try await ending(calls, within: EndIdleSessions.endLimit)
          .stopSession(session.id, workspaceID: workspaceID)
        return .ended(session)
      } catch  where error.reason == .unknownSession {
        return nil
      } catch {
        failureCount.withLock { $0 += 1 }
        return .failed(session, error)
      }
    }

    /// The calls of one step, which ends with the timeout at the latest.
    private func ending(_ calls: ServerCalls, within limit: Duration) -> ServerCalls {
      let deadline = calls.loop.now + limit
      return calls.until(end.map { min($0, deadline) } ?? deadline)
    }
  }
}

extension EndIdleSessions.Outcome {
  fileprivate init(_ results: [EndIdleSessions.Result]) {
    for result in results {
      switch result {
      case .ended(let session): ended.append(session)
      case .failed(let session, let error): failures.append((session, error))
      case .untried: untriedCount += 1
      }
    }
  }
}
