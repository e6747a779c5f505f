// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import Synchronization

/// Ends the sessions whose agents are idle, so that their servers can load others.
struct EndIdleSessions: Sendable {
  struct Outcome: Sendable {
    var ended: [Session] = []
    /// The sessions for which the result is unknown, with the errors.
    var failures: [(session: Session, error: IntentError)] = []
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
    await fleet.ask { (api, _, deadline) throws(IntentError) in
      let connection = api.connection()
      let offset = try await api.pendingPermissions(over: connection, until: deadline).clockOffset
      let loaded = try await api.listSessions(.loaded, over: connection, until: deadline)
      let idle = loaded.filter { session in
        session.workspaceID != nil && (workspaceID == nil || session.workspaceID == workspaceID)
          && Self.isAtRest(session, at: api.loop.timestamp().moved(by: offset ?? .zero))
      }
      let ending = Ending(api: api, clockOffset: offset ?? .zero, end: end)
      let results = await api.perform(
        Array(idle.enumerated()),
        atMost: Self.atOnce,
        over: connection
      ) { job, connection in
        await ending.end(job.element, over: connection).map { (job.offset, $0) }
      }
      return Outcome(results.sorted { $0.0 < $1.0 }.map(\.1))
    } hear: {
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
    case failed(Session, IntentError)
    case untried
  }

  private final class Ending: Sendable {
    private let api: IntentAPIClient
    private let clockOffset: Duration
    private let end: EventLoop.Instant?
    private let failureCount = Mutex(0)

    init(api: IntentAPIClient, clockOffset: Duration, end: EventLoop.Instant?) {
      self.api = api
      self.clockOffset = clockOffset
      self.end = end
    }

    /// Ends a session; `nil` if it no longer has an idle agent.
    func end(_ session: Session, over connection: HTTPConnection) async -> Result? {
      guard failureCount.withLock({ $0 < EndIdleSessions.failureLimit }), !Task.isCancelled,
        end.map({ api.loop.now < $0 }) ?? true
      else { return .untried }
      do throws(IntentError) {
        // The list is out of date by the time its end is reached.
        let live = try await api.liveSession(
          session,
          over: connection,
          until: deadline(after: EndIdleSessions.lookLimit)
        )
        guard let live, let workspaceID = session.workspaceID,
          EndIdleSessions.isAtRest(live, at: api.loop.timestamp().moved(by: clockOffset))
        else { return nil }
        try await api.stopSession(
          session.id,
          workspaceID: workspaceID,
          over: connection,
          until: deadline(after: EndIdleSessions.endLimit)
        )
        return .ended(session)
      } catch .unknownSession {
        return nil
      } catch {
        failureCount.withLock { $0 += 1 }
        return .failed(session, error)
      }
    }

    private func deadline(after limit: Duration) -> EventLoop.Instant {
      let deadline = api.loop.now + limit
      return end.map { min($0, deadline) } ?? deadline
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
