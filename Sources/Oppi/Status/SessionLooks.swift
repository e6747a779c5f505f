// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Reads sessions of one server, a few at a time, over kept connections.
struct SessionLooks: Sendable {
  struct Look: Sendable {
    /// The current state; for an idle session, the listed one.
    var session: Session
    var running: TurnActivity?
    var ended: EndedTurn?
  }

  /// The most connections to one server.
  private static let connectionLimit = 6

  private let api: IntentAPIClient
  private let requests: [String: [PermissionRequest]]
  private let deadline: EventLoop.Instant

  init(_ api: IntentAPIClient, _ requests: [PermissionRequest], until deadline: EventLoop.Instant) {
    self.api = api
    self.requests = Dictionary(grouping: requests) { $0.sessionID ?? "" }
    self.deadline = deadline
  }

  /// Reads sessions; omits those that cannot be read by the deadline.
  func looks(at jobs: [LookPlan.Job], over connection: HTTPConnection) async -> [Look] {
    await api.perform(jobs, atMost: Self.connectionLimit, over: connection) { job, connection in
      guard api.loop.now < deadline, !Task.isCancelled else { return nil }
      // A session that cannot be read keeps its listed state.
      return try? await look(at: job, over: connection)
    }
  }

  private func look(
    at job: LookPlan.Job,
    over connection: HTTPConnection
  ) async throws(IntentError) -> Look {
    let session = job.session
    let needsEvents = job.depth == .ended || job.depth == .outcome
    let loaded =
      session.status == .stopped
      ? nil
      : try await api.events(
        of: session.id,
        workspaceID: session.workspaceID,
        since: needsEvents ? 0 : IntentAPIClient.beyondAllEvents,
        over: connection,
        until: deadline
      )
    var live = loaded?.session ?? session
    // Only lists have the number.
    live.pendingCount = session.pendingCount
    if loaded != nil, live.status.isAtWork {
      let trace = try await trace(of: session, over: connection).json
      return Look(session: live, running: await turn(in: trace, of: live))
    }
    var look = Look(session: job.depth == .running ? live : session)
    // After a crash a server may list a session as busy or loaded that has no agent.
    if loaded == nil, !session.isMirror, session.status.isAtWork || session.status == .ready {
      look.session.status = .stopped
    }
    if job.depth == .running {
      // The turn ended after the session was listed.
      let job = LookPlan.Job(session: look.session, depth: .ended, known: job.known)
      return try await self.look(at: job, over: connection)
    }
    guard needsEvents else { return look }
    let summary = try await ending(of: session, loaded, job.depth, over: connection)
    look.ended = summary.map { EndedTurn(of: session, $0) }
    if look.ended?.turn.end == .unknown, let known = job.known, known.isLast(in: session) {
      look.ended = EndedTurn(of: session, known.turn)
    }
    return look
  }

  private func ending(
    of session: Session,
    _ loaded: IntentAPIClient.Events?,
    _ depth: LookPlan.Depth,
    over connection: HTTPConnection
  ) async throws(IntentError) -> TurnSummary? {
    let now = api.loop.timestamp()
    let events = loaded?.events ?? []
    if depth == .outcome, let live = loaded?.session {
      let outcome = try await offload(ifLong: events.count > Transcript.quickCount) {
        ActivityReducer.lastOutcome(of: live, events: events, at: now)
      }
      if let outcome { return TurnSummary(outcome) }
    }
    let (listed, trace) = try await trace(of: session, over: connection)
    let count = max(trace.array?.count ?? 0, events.count)
    return try await offload(ifLong: count > Transcript.quickCount) {
      Transcript(
        trace: trace,
        session: loaded?.session ?? listed,
        events: events,
        isAtWork: false,
        at: now
      )
      .last.map { TurnSummary($0) }
    }
  }

  private func trace(
    of session: Session,
    over connection: HTTPConnection
  ) async throws(IntentError) -> (session: Session, json: JSONValue) {
    let (listed, trace) = try await api.session(
      session.id,
      workspaceID: session.workspaceID,
      over: connection,
      until: deadline
    )
    return (listed, trace)
  }

  /// The running turn, as far as the server has stored it.
  private func turn(
    in trace: JSONValue,
    of session: Session
  ) async -> TurnActivity? {
    let now = api.loop.timestamp()
    let requests = requests[session.id] ?? []
    let turn = try? await offload(ifLong: trace.array?.count ?? 0 > Transcript.quickCount) {
      Transcript(
        trace: trace,
        session: session,
        events: [],
        isAtWork: true,
        requests: requests.map(HumanRequest.permission),
        at: now
      )
      .last
    }
    guard let past = turn else { return nil }
    var activity = past.activity
    // The time of the first look is not the start of the turn.
    activity.startedAt = past.startedAt
    return activity
  }

  private func offload<Value: Sendable>(
    ifLong isLong: Bool,
    _ work: @escaping @Sendable () -> Value
  ) async throws(IntentError) -> Value {
    do {
      return try await api.loop.offload(ifLong: isLong, until: deadline, work)
    } catch {
      throw .transport(error.transportError, server: api.serverName)
    }
  }
}
