// SPDX-License-Identifier: MIT

import EventLoop
package import OppiClient
package import OppiModel

/// Follows a session's turn, or reports the last one of an idle session without starting its agent.
struct FollowTurn: Sendable {
  enum Outcome: Sendable {
    case watched(TurnEnding)
    /// No turn is running; `lastTurn` is as complete as the server's records.
    case atRest(lastTurn: Turn?)
  }

  /// Longer than an agent's longest pause before a retry.
  private static let pauseLimit = Duration.seconds(15)

  private let api: IntentAPIClient
  private let timeout: Duration?

  init(api: IntentAPIClient, timeout: Duration? = nil) {
    self.api = api.limited(to: timeout)
    self.timeout = timeout
  }

  /// Follows the running turn, or the one that is about to be retried, to its end; with `isForever`,
  /// all turns until the session ends.
  ///
  /// Calls `observer` only if there is something to watch.
  ///
  /// - Throws: If the session cannot be queried, and what the observer throws.
  func follow(
    _ session: ServerSession,
    isForever: Bool = false,
    showing observer: () throws -> any TurnObserver
  ) async throws -> Outcome {
    if isForever { return .watched(try await watch(session, .session, showing: observer)) }
    let session = try await api.located(session)
    let records = try await SessionRecords(of: session, api: api)
    let pause: Duration?
    switch records.phase {
    case .idle: return try await rest(after: records)
    case .mayBeRetried: pause = Self.pauseLimit
    case .paused(let time): pause = time
    case .atWork: pause = nil
    }
    let quietEnd = pause.map { api.loop.now + $0 }
    let ending = try await watch(session, .anyTurn, until: quietEnd, showing: observer)
    guard ending.isIdle else { return .watched(ending) }
    // The turn may have ended just before the watch began.
    return try await rest(after: SessionRecords(of: session, api: api))
  }

  private func rest(after records: SessionRecords) async throws(OppiError) -> Outcome {
    .atRest(lastTurn: try await api.compute(from: records.count) { records.transcript().lastAlone })
  }

  private func watch(
    _ session: ServerSession,
    _ scope: TurnWatch.Scope,
    until quietEnd: EventLoop.Instant? = nil,
    showing observer: () throws -> any TurnObserver
  ) async throws -> TurnEnding {
    var watch = TurnWatch(session: session, api: api, scope: scope)
    watch.deadline = timeout.map { api.loop.now + $0 }
    watch.quietEnd = quietEnd
    var observer = try observer()
    return try await watch.run(&observer)
  }
}

extension TurnEnding {
  fileprivate var isIdle: Bool {
    if case .idle = self { true } else { false }
  }
}

package enum TurnEnding: Sendable {
  case turn(TurnOutcome)
  /// The turn succeeded, but its answer did not pass a check, for this reason.
  case rejected(String)
  case idle
  /// User input is required, and the watch must not wait for it.
  case needsHuman(HumanRequest)
  /// The watch's timeout expired; `need` is the input that the agent waits for, if any.
  case timedOut(need: HumanRequest?)
  /// The watch's timeout expired without a connection; the turn's state is unknown.
  case timedOutAway(OppiError)
  /// The rest of the turn cannot be received: the server was away for too long, broke the protocol
  /// or refused to continue.
  case lost(OppiError, isOwnTurn: Bool)

  /// The agent's final answer, if the turn succeeded.
  package var answer: String? {
    if case .turn(let outcome) = self { outcome.answer } else { nil }
  }
}

extension Turn {
  /// The input that the agent waits for; `nil` if none.
  var need: HumanRequest? { requests.first }
}
