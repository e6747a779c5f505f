// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiText
import OppiWire

/// What was read of a session.
struct SessionLook: Sendable {
  /// The current state; for an idle session, the listed one.
  var session: Session
  var running: Turn?
  var ended: EndedTurn?
}

/// Reads sessions of one server, a few at a time, over kept connections.
extension ServerCalls {
  /// Reads sessions; omits those that cannot be read by the deadline.
  ///
  /// `requests` are the pending tool calls of all sessions.
  func looks(at jobs: [ReadPlan.Job], with requests: [HumanRequest]) async -> [SessionLook] {
    let requests = Dictionary(grouping: requests) { $0.sessionID ?? "" }
    return await perform(jobs) { job, calls in
      guard calls.loop.now < calls.deadline, !Task.isCancelled else { return nil }
      // A session that cannot be read keeps its listed state.
      return try? await calls.look(at: job, with: requests[job.session.id] ?? [])
    }
  }

  private func look(
    at job: ReadPlan.Job,
    with requests: [HumanRequest]
  ) async throws(OppiError) -> SessionLook {
    let session = job.session
    let needsEvents = job.depth == .ended || job.depth == .outcome
    let loaded =
      session.status == .stopped
      ? nil
      : try await events(
        of: session.id,
        workspaceID: session.workspaceID,
        since: needsEvents ? 0 : ServerCalls.beyondAllEvents
      )
    var live = loaded?.session ?? session
    // Only lists have the number.
    live.pendingCount = session.pendingCount
    // A turn that pauses before a retry is not over.
    if loaded?.pause(of: session, at: loop.timestamp()) != nil { live.status = .busy }
    if loaded != nil, live.status.isAtWork {
      let trace = try await self.session(session.id, workspaceID: session.workspaceID).trace
      return SessionLook(session: live, running: await turn(in: trace, of: live, with: requests))
    }
    var look = SessionLook(session: job.depth == .running ? live : session)
    // After a crash a server may list a session as busy or loaded that has no agent.
    if loaded == nil, !session.isMirror, session.status.isAtWork || session.status == .ready {
      look.session.status = .stopped
    }
    if job.depth == .running {
      // The turn ended after the session was listed.
      let job = ReadPlan.Job(session: look.session, depth: .ended, known: job.known)
      return try await self.look(at: job, with: requests)
    }
    guard needsEvents else { return look }
    let summary = try await ending(of: session, loaded, job.depth)
    look.ended = summary.map { EndedTurn(of: session, $0) }
    if look.ended?.turn.end == .unknown, let known = job.known, known.isLast(in: session) {
      look.ended = EndedTurn(of: session, known.turn)
    }
    return look
  }

  private func ending(
    of session: Session,
    _ loaded: Events?,
    _ depth: ReadPlan.Depth
  ) async throws(OppiError) -> TurnSummary? {
    let now = loop.timestamp()
    let events = loaded?.events ?? []
    if depth == .outcome, let live = loaded?.session {
      let outcome = try await compute(from: events.count) {
        Transcript.lastOutcome(of: live, events: events, at: now)
      }
      if let outcome { return TurnSummary(outcome) }
    }
    let (listed, trace) = try await self.session(session.id, workspaceID: session.workspaceID)
    let records = SessionRecords(loaded: loaded, listed: listed, trace: trace, now: now)
    return try await compute(from: records.count) {
      records.transcript().last.map { TurnSummary($0) }
    }
  }

  /// The running turn, as far as the server has stored it.
  private func turn(
    in trace: JSONValue,
    of session: Session,
    with requests: [HumanRequest]
  ) async -> Turn? {
    let now = loop.timestamp()
    let records = SessionRecords(loaded: nil, listed: session, trace: trace, now: now)
    return try? await compute(from: records.count) {
      records.transcript(isAtWork: true, requests).last
    }
  }
}

/// Selects the sessions of a server to query, and keeps what is known of the others.
struct ReadPlan {
  /// What to read of a session.
  enum Depth: Sendable {
    /// The running turn.
    case running
    /// The result of the last turn and its times.
    case ended
    /// The result of the last turn.
    case outcome
    /// Whether its agent is loaded, which the server's list may have wrong.
    case presence
  }

  struct Job: Sendable {
    let session: Session
    let depth: Depth
    /// The earlier result of its last turn.
    let known: EndedTurn?
  }

  /// High, because a session that waits for an answer may be the oldest.
  private static let runningLimit = 40
  /// Well above the 40 agents that a server keeps loaded by default.
  private static let restingLimit = 200
  /// Lower, because the times of a turn need a larger answer.
  private static let endedLimit = 8
  /// How long an ended session's failure stays current.
  private static let rememberedFor = Duration.seconds(24 * 60 * 60)

  /// Earlier results that still hold.
  private(set) var ended: EndedTurns.OfServer = [:]
  /// Most urgent first.
  private(set) var jobs: [Job]

  /// `known` has earlier results of ended turns; a server that `isOlder` may list lost sessions as
  /// loaded.
  init(_ overview: ServerOverview, known: EndedTurns.OfServer, isOlder: Bool) {
    let now = overview.at.moved(by: overview.clockOffset)
    jobs = overview.sessions.filter(\.status.isAtWork).prefix(Self.runningLimit)
      .map { Job(session: $0, depth: .running, known: known[$0.id]) }
    let most = jobs.count + Self.restingLimit
    let resting = overview.sessions.filter { !$0.status.isAtWork }
      .sorted { ($0.lastActivity, $0.id) > ($1.lastActivity, $1.id) }
    for (place, session) in resting.enumerated() {
      let age = Duration.seconds(session.lastActivity.age(at: now))
      let isNew = place < Self.endedLimit && age <= ContentState.dismissedAfter
      let turn = known[session.id]
      if let turn, Self.holds(turn, in: session, age: age) { ended[session.id] = turn }
      guard jobs.count < most,
        let depth = Self.depth(
          session,
          isKnown: ended[session.id] != nil,
          isNew: isNew,
          isOlder: isOlder
        )
      else { continue }
      jobs.append(Job(session: session, depth: depth, known: turn))
    }
  }

  private static func holds(_ turn: EndedTurn, in session: Session, age: Duration) -> Bool {
    guard session.status == .stopped else { return turn.isCurrent(in: session) }
    // The server forgets failures with the agent.
    return age <= rememberedFor && turn.isLast(in: session)
      && (turn.turn.end != .unknown || turn.isCurrent(in: session))
  }

  private static func depth(
    _ session: Session,
    isKnown: Bool,
    isNew: Bool,
    isOlder: Bool
  ) -> Depth? {
    let isLoaded = session.status == .ready
    let hasTurn = session.messageCount > 0
    if isKnown || !hasTurn { return isOlder && isLoaded ? .presence : nil }
    if isNew { return .ended }
    return isLoaded ? .outcome : nil
  }
}
