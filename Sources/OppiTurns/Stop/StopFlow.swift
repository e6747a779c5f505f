// SPDX-License-Identifier: MIT

import EventLoop
package import OppiClient
package import OppiModel
package import OppiText
package import OppiWire
import Synchronization

/// Stops a session's turn, or ends the session, and reports what the server confirmed.
package struct StopTurn: Sendable {
  package typealias Outcome = TurnStop.Outcome

  fileprivate static let requestLimit = Duration.seconds(5)

  private let api: IntentAPIClient
  private let timeout: Duration?

  /// The timeout limits the wait for a confirmation.
  package init(api: IntentAPIClient, timeout: Duration? = nil) {
    self.api = api.limited(to: timeout)
    self.timeout = timeout
  }

  /// Stops the running turn; the session stays for the next one.
  ///
  /// Also denies a pending tool call or cancels pending dialogs, and ends a pause before a retry,
  /// because a stop does neither. Never starts an agent.
  package func stopTurn(of session: ServerSession) async throws(OppiError) -> Outcome {
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
        timeout: timeout ?? TurnStop.confirmationLimit
      )
    else { return .alreadyIdle }
    let feed = SessionFeed(api: api, session: session, timeout: .zero)
    var run = StopRun(api: api, session: session, begin: api.loop.now, stop: stop, feed: feed)
    do throws(OppiError) {
      let outcome = try await run.outcome()
      await run.feed.close()
      return outcome
    } catch {
      await run.feed.close()
      throw error
    }
  }

  /// Ends the session with its turn and its pending requests.
  func stopSession(_ session: ServerSession) async throws(OppiError) -> Outcome {
    let session = try await api.located(session)
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    try await api.within(Self.requestLimit).stopSession(session.id, workspaceID: workspaceID)
    return .sessionEnded
  }
}

/// The stop of a turn over the session's stream.
private struct StopRun {
  let api: IntentAPIClient
  let session: ServerSession
  let begin: EventLoop.Instant
  var stop: TurnStop
  var feed: SessionFeed
  /// Why the pending requests could not be listed.
  var listFailure: OppiError?

  mutating func outcome() async throws(OppiError) -> TurnStop.Outcome {
    while let news = try await feed.next(until: begin + stop.deadline) {
      let now = begin.duration(to: api.loop.now)
      let actions: [TurnStop.Action]
      switch news {
      case .caughtUp(let catchUp): actions = stop.opens(catchUp.status, at: now)
      case .changes(_, of: let message?) where message.sessionID ?? session.id == session.id:
        actions = stop.hears(message.kind, at: now)
      case .lost(let error), .givenUp(let error): throw error
      case .changes, .past, .renewing: continue
      }
      if let outcome = try await perform(actions) { return outcome }
    }
    if let outcome = stop.outcomeAtDeadline { return outcome }
    throw listFailure ?? .noAnswer(server: api.serverName)
  }

  /// Performs actions, and returns the outcome if one of them has it.
  private mutating func perform(
    _ actions: [TurnStop.Action]
  ) async throws(OppiError) -> TurnStop.Outcome? {
    for action in actions {
      switch action {
      case .send(let message):
        let id = api.loop.newID()
        if message == .stop { stop.left(stopID: id) }
        try await feed.send(message, id: id, until: api.loop.now + StopTurn.requestLimit)
      case .list:
        let denials = try await list()
        if let outcome = try await perform(denials) { return outcome }
      case .refuse(let request):
        _ = try await ReplyToRequest(
          request.refusal,
          to: request,
          of: session.id,
          on: session.server,
          api: api.onItsOwn,
          over: feed.send
        ).send()
      case .finish(let outcome): return outcome
      }
    }
    return nil
  }

  /// Lists the pending requests; without the list, the server's confirmation still shows whether the
  /// turn has stopped.
  private mutating func list() async throws(OppiError) -> [TurnStop.Action] {
    do throws(OppiError) {
      return stop.lists(try await pending())
    } catch  where !error.isCancellation {
      listFailure = error
      return []
    }
  }

  private func pending() async throws(OppiError) -> [HumanRequest] {
    let calls = api.within(StopTurn.requestLimit)
    if session.server.listsDialogs { return try await calls.dialogs(of: session.id).requests }
    // A server without the filter lists requests of all sessions.
    return try await calls.pendingPermissions(sessionID: session.id)
      .filter { $0.sessionID == session.id }
  }
}

/// Ends the sessions whose agents are idle, so that their servers can load others.
package struct EndIdleSessions: Sendable {
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

  /// The idle sessions of all servers, which ``answers(inWorkspace:only:)`` would end.
  func idle() async -> [Fleet.Answer<[Session]>] {
    var answers: [Fleet.Answer<[Session]>] = []
    await fleet.ask { (calls, _) throws(OppiError) in
      try await Self.idle(inWorkspace: nil, over: calls.overOneConnection()).sessions
    } onAnswer: {
      answers.append($0)
    }
    return answers
  }

  /// Ends the idle sessions of all servers concurrently, or only those of one workspace, or those
  /// that were shown.
  func answers(
    inWorkspace workspaceID: String?,
    only shown: Set<SessionID>? = nil
  ) async -> [Fleet.Answer<Outcome>] {
    let end = timeout.map { fleet.connections.loop.now + $0 }
    var answers: [Fleet.Answer<Outcome>] = []
    await fleet.ask { (calls, server) throws(OppiError) in
      let calls = calls.overOneConnection()
      var (idle, offset) = try await Self.idle(inWorkspace: workspaceID, over: calls)
      if let shown {
        idle.removeAll { !shown.contains(SessionID(serverID: server.id, sessionID: $0.id)) }
      }
      return await Self.endAll(idle, clockOffset: offset, by: end, over: calls)
    } onAnswer: {
      answers.append($0)
    }
    return answers
  }

  /// The idle sessions of a server, and the offset of its clock.
  private static func idle(
    inWorkspace workspaceID: String?,
    over calls: ServerCalls
  ) async throws(OppiError) -> (sessions: [Session], clockOffset: Duration) {
    let offset = try await calls.pendingPermissions().clockOffset ?? .zero
    let idle = try await calls.listSessions(.loaded).filter { session in
      session.workspaceID != nil && (workspaceID == nil || session.workspaceID == workspaceID)
        && isAtRest(session, at: calls.loop.timestamp().moved(by: offset))
    }
    return (idle, offset)
  }

  private enum Ending: Sendable {
    case ended
    case failed(OppiError)
    case untried
  }

  private static func endAll(
    _ sessions: [Session],
    clockOffset: Duration,
    by end: EventLoop.Instant?,
    over calls: ServerCalls
  ) async -> Outcome {
    let failureCount = Mutex(0)
    let endings = await calls.perform(sessions, atMost: atOnce) {
      (session, calls) -> (session: Session, ending: Ending)? in
      guard failureCount.withLock({ $0 < failureLimit }), !Task.isCancelled,
        end.map({ calls.loop.now < $0 }) ?? true
      else { return (session, .untried) }
      do throws(OppiError) {
        let isEnded = try await Self.end(session, clockOffset, by: end, over: calls)
        return isEnded ? (session, .ended) : nil
      } catch {
        failureCount.withLock { $0 += 1 }
        return (session, .failed(error))
      }
    }
    var outcome = Outcome()
    for (session, ending) in endings {
      switch ending {
      case .ended: outcome.ended.append(session)
      case .failed(let error): outcome.failures.append((session, error))
      case .untried: outcome.untriedCount += 1
      }
    }
    return outcome
  }

  /// Ends a session; returns whether it still had an idle agent.
  private static func end(
    _ session: Session,
    _ clockOffset: Duration,
    by end: EventLoop.Instant?,
    over calls: ServerCalls
  ) async throws(OppiError) -> Bool {
    func ending(within limit: Duration) -> ServerCalls {
      let deadline = calls.loop.now + limit
      return calls.until(end.map { min($0, deadline) } ?? deadline)
    }
    do throws(OppiError) {
      // The list is out of date by the time its end is reached.
      let live = try await ending(within: lookLimit).liveSession(session)
      guard let live, let workspaceID = session.workspaceID,
        isAtRest(live, at: calls.loop.timestamp().moved(by: clockOffset))
      else { return false }
      try await ending(within: endLimit).stopSession(session.id, workspaceID: workspaceID)
      return true
    } catch  where error.reason == .unknownSession {
      return false
    }
  }

  /// Whether an agent is idle and not about to continue, by its server's clock.
  package static func isAtRest(_ session: Session, at now: Timestamp) -> Bool {
    session.status == .ready && session.pendingCount == 0 && !session.isMirror
      && Duration.seconds(session.lastActivity.age(at: now)) >= leastRest
  }
}
