// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiTransport

/// Ends the sessions whose agents rest, which frees their places on the servers.
package struct EndIdleSessions: Sendable {
  /// What came of it on one server.
  package struct Outcome: Sendable {
    package var ended: [Session] = []
    /// Those that may or may not have ended, with why that is not known.
    package var failures: [(session: Session, error: IntentError)] = []
    /// How many were not tried, after several failures in a row.
    package var untriedCount = 0
  }

  /// An agent that rests for less may be about to go on: between two attempts, or with the next
  /// message of its queue.
  private static let leastRest = Duration.seconds(60)

  /// After so many a server is left alone.
  private static let failureLimit = 3

  private let fleet: Fleet

  package init(_ fleet: Fleet) {
    self.fleet = fleet
  }

  /// Ends them on all servers at the same time, those of one workspace where it is given.
  package func answers(inWorkspace workspaceID: String?) async -> [Fleet.Answer<Outcome>] {
    await fleet.answers { (api, _, deadline) throws(IntentError) in
      let offset = try await api.pendingPermissions(until: deadline).clockOffset ?? .zero
      var outcome = Outcome()
      for session in try await api.listSessions(until: deadline) {
        guard let place = session.workspaceID, workspaceID == nil || place == workspaceID,
          Self.isAtRest(session, at: api.loop.timestamp().moved(by: offset))
        else { continue }
        guard outcome.failures.count < Self.failureLimit else {
          outcome.untriedCount += 1
          continue
        }
        do throws(IntentError) {
          // A list is old when its end is reached.
          guard let current = try await api.liveSession(session, until: deadline),
            Self.isAtRest(current, at: api.loop.timestamp().moved(by: offset))
          else { continue }
          try await api.stopSession(session.id, workspaceID: place, until: deadline)
          outcome.ended.append(session)
        } catch .unknownSession {
          continue
        } catch {
          outcome.failures.append((session, error))
        }
      }
      return outcome
    }
  }

  /// Whether an agent rests and is not about to go on, by its server's clock.
  static func isAtRest(_ session: Session, at now: Timestamp) -> Bool {
    session.status == .ready
      && Duration.seconds(session.lastActivity.age(at: now)) >= leastRest
  }
}
