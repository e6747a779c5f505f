// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport
import Synchronization

/// Deletes sessions of one server, one at a time or several, each after a last look at its agent.
final class SessionDeleter: Sendable {
  /// After this many failures the remaining sessions are not tried.
  private static let failureLimit = 3
  private static let lookLimit = Duration.seconds(5)
  /// A server takes about a second to end an agent.
  private static let deletionLimit = Duration.seconds(15)

  private let api: IntentAPIClient
  private let age: Duration
  private let queued: QueuedSessions
  private let end: EventLoop.Instant?
  private let failureCount = Mutex(0)

  /// With an end, no deletion begins after it.
  init(api: IntentAPIClient, age: Duration, queued: QueuedSessions, end: EventLoop.Instant?) {
    self.api = api
    self.age = age
    self.queued = queued
    self.end = end
  }

  func delete(
    _ candidate: DeleteSessions.Candidate,
    over calls: ServerCalls
  ) async -> DeleteSessions.Outcome {
    guard failureCount.withLock({ $0 < Self.failureLimit }), !Task.isCancelled,
      end.map({ api.loop.now < $0 }) ?? true, let workspaceID = candidate.session.workspaceID
    else { return .untried }
    do throws(OppiError) {
      if let obstacle = try await obstacle(of: candidate, over: calls) {
        return .kept(obstacle)
      }
      try await calls.until(deadline(after: Self.deletionLimit))
        .deleteSession(candidate.session.id, workspaceID: workspaceID)
      return .deleted
    } catch  where error.reason == .unknownSession {
      return .gone
    } catch {
      // Without the route, no other session can be deleted.
      failureCount.withLock { $0 += error.isMissingRoute ? Self.failureLimit : 1 }
      return .failed(error)
    }
  }

  /// Why the session is kept, by its agent and the outbox now.
  private func obstacle(
    of candidate: DeleteSessions.Candidate,
    over calls: ServerCalls
  ) async throws(OppiError) -> DeleteSessions.Obstacle? {
    let session = candidate.session
    do throws(FileError) {
      if try queued.hold(session.id, on: candidate.server.id) { return .queuedPrompt }
    } catch {
      throw .file(error)
    }
    let deadline = deadline(after: Self.lookLimit)
    let loaded = try await calls.until(deadline).liveSession(session)
    let live: Session
    if let loaded {
      live = loaded
    } else {
      // Its agent is not loaded, but it may have run since the sessions were listed.
      live = try await api.until(deadline).session(session.id, workspaceID: session.workspaceID)
        .session
    }
    if live.status.isAtWork || live.status == .starting { return .running }
    if live.lastActivity > session.lastActivity { return .recent }
    return try await isAsking(session, api.until(deadline)) ? .waiting : nil
  }

  /// Whether an approval or a question of the session is pending.
  private func isAsking(
    _ session: Session,
    _ calls: ServerCalls
  ) async throws(OppiError) -> Bool {
    if api.dialect?.requests == .dialogs {
      return try await !calls.dialogs(of: session.id).requests.isEmpty
    }
    do {
      return try await !calls.pendingPermissions(sessionID: session.id).isEmpty
    } catch  where error.isMissingRoute {
      // The server has no gate.
      return false
    }
  }

  private func deadline(after limit: Duration) -> EventLoop.Instant {
    let deadline = api.loop.now + limit
    return end.map { min($0, deadline) } ?? deadline
  }
}
