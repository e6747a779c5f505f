// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiTransport

/// Follows a session's turn, or tells how its last one ended: no agent is started for a session at
/// rest.
package struct FollowTurn: Sendable {
  /// What there was to see.
  package enum Outcome: Sendable {
    case watched(TurnEnding)
    /// No turn runs; the last one is there as far as it can be known.
    case atRest(lastTurn: TurnActivity?)
  }

  /// The longest pause of an agent before it tries again, and some.
  private static let pauseLimit = Duration.seconds(15)

  private let api: IntentAPIClient
  private let timeout: Duration?

  /// Makes the flow; without a timeout a watch may take for ever.
  package init(api: IntentAPIClient, timeout: Duration? = nil) {
    self.api = api.limited(to: timeout)
    self.timeout = timeout
  }

  /// Follows the turn that runs, or is about to run again, to its end.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - observer: Makes the observer of the turn, where there is one to watch.
  /// - Returns: What there was to see.
  /// - Throws: Where the session cannot be asked, or what the observer throws.
  package func follow(
    _ session: ServerSession,
    showing observer: () throws -> any TurnObserver
  ) async throws -> Outcome {
    let session = try await SessionGlance.located(session, api: api)
    let glance = try await glance(at: session)
    switch glance.standing {
    case .idle: return .atRest(lastTurn: glance.lastTurn)
    case .mayBeRetried:
      let quietEnd = api.loop.now + Self.pauseLimit
      let ending = try await watch(session, .anyTurn, until: quietEnd, showing: observer)
      return ending.isIdle ? .atRest(lastTurn: glance.lastTurn) : .watched(ending)
    case .atWork:
      let ending = try await watch(session, .anyTurn, showing: observer)
      // A turn that was not there any more ended just before.
      return ending.isIdle
        ? .atRest(lastTurn: try await self.glance(at: session).lastTurn) : .watched(ending)
    }
  }

  /// Follows one turn after the other until the session ends.
  package func followSession(
    _ session: ServerSession,
    showing observer: () throws -> any TurnObserver
  ) async throws -> TurnEnding {
    try await watch(session, .session, showing: observer)
  }

  private func glance(at session: ServerSession) async throws(IntentError) -> SessionGlance {
    try await SessionGlance.at(session, api: api)
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
