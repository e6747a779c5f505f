// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Finds the question that a user names, by its own id or by its session.
struct QuestionResolver: Sendable {
  struct Target: Sendable {
    var session: ServerSession
    /// What asks a human on the session's server.
    var way: Dialect.Requests
    /// The request, if it was named; `nil` for the pending question of the session.
    var request: HumanRequest?
  }

  private let fleet: Fleet
  private let context: IntentContext

  init(_ fleet: Fleet, in context: IntentContext) {
    (self.fleet, self.context) = (fleet, context)
  }

  /// Finds a question by its id or a unique prefix of it, or by a name of its session.
  ///
  /// Only servers that list their dialogs are searched for the id of a question.
  ///
  /// - Throws: ``OppiError`` if several questions match, or none and no session; the failure of
  ///   a server if the question may be there.
  func resolve(_ name: String) async throws -> Target {
    let listing = fleet.servers.filter(\.listsDialogs)
    guard !listing.isEmpty, name != "last", WireID.isValid(name) else {
      return try await session(named: name)
    }
    let queue = try await ApprovalQueue.ask(context.fleet(of: listing), .requests, in: context)
    if queue.rows.contains(where: { $0.request.id == name }) {
      return try target(queue.request(named: name))
    }
    let matches = queue.rows.filter { $0.request.id.hasPrefix(name) }
    do throws(OppiError) {
      let found = try await session(named: name)
      guard found.session.id == name || matches.isEmpty else {
        let candidates = matches.map { "\($0.request.id)  \($0.approval.summary)" }
        throw OppiError.ambiguousRequest(
          name: name,
          candidates: candidates + ["\(found.session.id)  session"],
          isOnSeveralServers: false
        )
      }
      return found
    } catch {
      if error.reason == .unknownSession { return try target(queue.request(named: name)) }
      guard error.code != .ambiguousName else { throw error }
      // Not every server was asked, but a question has an id of its own.
      let unasked = Set(fleet.servers.map(\.id)).subtracting(queue.answered)
      if context.seenRequests.showGone(name, unless: unasked) {
        throw OppiError.requestGone(id: name)
      }
      guard let match = matches.first, matches.count == 1 else { throw error }
      throw OppiError.unconfirmedMatch(name: name, match: match.request.id, because: error)
    }
  }

  private func session(named name: String) async throws(OppiError) -> Target {
    let session = try await SessionResolver(fleet, in: context, isStrict: true).resolve(name)
    return Target(session: session, way: session.server.dialect?.requests ?? .permissions)
  }

  private func target(_ row: ListedRequest) throws -> Target {
    let request = row.request
    guard let id = request.sessionID else { throw OppiError.requestGone(id: request.id) }
    let session = ServerSession(
      server: try context.server(row.id.serverID),
      id: id,
      workspaceID: row.workspaceID,
      workspaceName: row.workspaceName
    )
    return Target(session: session, way: .dialogs, request: request)
  }
}
