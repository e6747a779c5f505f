// SPDX-License-Identifier: MIT

import OppiModel

/// Selects the sessions of a server to query, and keeps what is known of the others.
struct LookPlan {
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
