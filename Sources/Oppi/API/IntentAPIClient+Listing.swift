// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

extension IntentAPIClient {
  /// The sessions of a server.
  struct SessionList: Sendable {
    var sessions: [Session]
    /// The list that the server has.
    var listing: Dialect.Listing
    /// How far the server's clock is ahead of this machine's, to a second; `nil` if the server does
    /// not report its time.
    var clockOffset: Duration?
  }

  /// The sessions that a flow needs, and maybe others.
  func listSessions(
    _ scope: Dialect.Listing.Scope = .all,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> [Session] {
    try await sessionList(scope, over: connection, until: deadline).sessions
  }

  /// As ``listSessions(_:over:until:)``, by the newest list that the server has.
  func sessionList(
    _ scope: Dialect.Listing.Scope = .all,
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> SessionList {
    // A server of the oldest dialect may have been updated.
    var listing = dialect?.listing == .recent ? Dialect.Listing.recent : .sessions
    while let path = listing.path(of: scope) {
      do {
        return try await sessionList(listing, at: path, over: connection, until: deadline)
      } catch  where error.isNotFound {
        guard let earlier = listing.earlier else { throw error }
        listing = earlier
      }
    }
    var all = SessionList(sessions: [], listing: listing)
    for workspace in try await listWorkspaces(until: deadline) {
      let path = "/workspaces/\(workspace.id)/sessions"
      let list = try await sessionList(listing, at: path, over: connection, until: deadline)
      all.sessions += list.sessions
      all.clockOffset = list.clockOffset
    }
    return all
  }

  private func sessionList(
    _ listing: Dialect.Listing,
    at path: String,
    over connection: HTTPConnection?,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> SessionList {
    let answer = try await datedList(
      "sessions",
      at: path,
      over: connection,
      until: deadline
    ) { Session(json: $0) }
    return SessionList(
      sessions: answer.value,
      listing: listing,
      clockOffset: answer.clockOffset
    )
  }

  /// The session with its workspace, which paths of most dialects need.
  ///
  /// Without a deadline, waits for at most 5 s.
  func located(
    _ session: ServerSession,
    until deadline: EventLoop.Instant? = nil
  ) async throws(OppiError) -> ServerSession {
    guard session.workspaceID == nil else { return session }
    let deadline = deadline ?? loop.now + .seconds(5)
    guard let found = try await entry(of: session.id, until: deadline) else {
      throw .unknownSession(name: session.id)
    }
    var session = session
    session.workspaceID = found.workspaceID
    session.workspaceName = found.workspaceName
    return session
  }

  /// A session without its conversation; `nil` if the server does not know it.
  private func entry(
    of id: String,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Session? {
    guard let path = dialect?.listing.path(ofEntry: id) else {
      return try await listSessions(until: deadline).first { $0.id == id }
    }
    do throws(OppiError) {
      return try session(in: try await call("GET", path, until: deadline))
    } catch  where error.reason == .refused(404, Self.sessionNotFound) {
      return nil
    }
  }

  /// What servers say of an unknown session, which tells it from a missing route.
  static let sessionNotFound = "Session not found"
}
