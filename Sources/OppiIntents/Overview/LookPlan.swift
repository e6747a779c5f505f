// SPDX-License-Identifier: MIT

import OppiModel

/// Which sessions of a server are looked at, and what is known of the others.
struct LookPlan {
  /// How much of a session is looked at.
  enum Depth: Sendable {
    /// The turn that runs.
    case running
    /// What the last turn came to, and when.
    case ended
    /// What the last turn came to.
    case outcome
    /// Whether its agent is loaded, as its server may be wrong about that.
    case presence
  }

  struct Job: Sendable {
    let session: Session
    let depth: Depth
    /// What was known of its last turn before.
    let known: EndedTurn?
  }

  /// The most that are looked at while they run: one that waits for an answer may be the oldest.
  private static let runningLimit = 40
  /// The most that are looked at while they rest.
  ///
  /// A server keeps 40 agents loaded, unless it is set otherwise.
  private static let restingLimit = 200
  /// The most of which the times are looked at, too, which takes a longer answer.
  private static let endedLimit = 8
  /// An ended session's failure is old news after this time.
  private static let rememberedFor = Duration.seconds(24 * 60 * 60)

  /// What is known of turns and still holds.
  private(set) var ended: EndedTurns.OfServer = [:]
  /// The most urgent first.
  private(set) var jobs: [Job]

  /// Makes the plan.
  ///
  /// - Parameters:
  ///   - overview: What the server has listed.
  ///   - known: What the turns that are over came to, as it was seen before.
  ///   - isOlder: Whether the server may list sessions as loaded that it has lost.
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
    // The server itself forgets failures with the agent.
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
