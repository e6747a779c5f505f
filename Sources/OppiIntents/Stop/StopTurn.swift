// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

/// Ends a session's turn, or the whole session, and says what the server confirmed.
package struct StopTurn: Sendable {
  /// What is known to have happened.
  package enum Outcome: Sendable, Equatable {
    case alreadyIdle
    case stopped
    case sessionEnded
    /// The turn goes on.
    case failed(reason: String)
  }

  private static let requestLimit = Duration.seconds(5)
  /// A server tries for 8 s, and then for 5 s more, before it says that it failed.
  private static let confirmationLimit = Duration.seconds(18)

  private let api: IntentAPIClient
  private let newID: @Sendable () -> String

  package init(api: IntentAPIClient, newID: @escaping @Sendable () -> String) {
    self.api = api
    self.newID = newID
  }

  /// Ends the running turn and leaves the session for the next one.
  ///
  /// A tool call that waits for approval is denied first: a stop does not release it.
  package func stopTurn(of session: ServerSession) async throws(IntentError) -> Outcome {
    let session = try await located(session)
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    let (current, _) = try await api.session(
      session.id,
      workspaceID: workspaceID,
      until: .now + Self.requestLimit
    )
    guard [.busy, .stopping].contains(current.status) else { return .alreadyIdle }
    var feed = SessionFeed(api: api, session: session, newID: newID)
    let deadline = EventLoop.Instant.now + Self.confirmationLimit
    do throws(IntentError) {
      let outcome = try await stop(session, over: &feed, until: deadline)
      await feed.close()
      return outcome
    } catch {
      await feed.close()
      throw error
    }
  }

  private func stop(
    _ session: ServerSession,
    over feed: inout SessionFeed,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Outcome {
    let deciding = PermissionDecider(api: api, newID: newID)
    while let news = try await feed.next(until: deadline) {
      switch news {
      case .message(let message) where message.sessionID ?? session.id == session.id:
        switch message.kind {
        case .connected(let current, _) where current.id == session.id:
          for request in try await pending(session) {
            _ = try await deciding.decide(.deny, request, of: session, sending: feed.send)
          }
          try await feed.send(.stop, id: newID(), until: deadline)
        case .stopConfirmed: return .stopped
        case .stopFailed(let reason): return .failed(reason: reason ?? "the agent does not react")
        case .sessionEnded: return .sessionEnded
        default: break
        }
      case .lost(let error, _): throw error
      default: break
      }
    }
    throw .noAnswer(server: api.serverName)
  }

  private func pending(_ session: ServerSession) async throws(IntentError) -> [PermissionRequest] {
    try await api.pendingPermissions(sessionID: session.id, until: .now + Self.requestLimit)
  }

  /// Ends the session, its turn and its pending requests included.
  package func stopSession(_ session: ServerSession) async throws(IntentError) -> Outcome {
    let session = try await located(session)
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    try await api.stopSession(
      session.id,
      workspaceID: workspaceID,
      until: .now + Self.requestLimit
    )
    return .sessionEnded
  }

  /// Requests about a session name its workspace, too.
  private func located(_ session: ServerSession) async throws(IntentError) -> ServerSession {
    guard session.workspaceID == nil else { return session }
    let all = try await api.listSessions(until: .now + Self.requestLimit)
    guard let found = all.first(where: { $0.id == session.id }) else {
      throw .unknownSession(name: session.id)
    }
    var session = session
    session.workspaceID = found.workspaceID
    session.workspaceName = found.workspaceName
    return session
  }
}
