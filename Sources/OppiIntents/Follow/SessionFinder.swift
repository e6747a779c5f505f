// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiSystem
import OppiTransport

/// Finds the session that is most likely meant when none is named.
package struct SessionFinder: Sendable {
  private let servers: [PairedServer]
  private let connections: Connections

  package init(servers: [PairedServer], connections: Connections) {
    self.servers = servers
    self.connections = connections
  }

  /// Returns the busy session with the latest activity over all servers, `nil` where none is busy.
  ///
  /// - Throws: The first failure where no session is known to be busy and not every server could be
  ///   asked: the one that is meant may be there.
  package func newestBusy() async throws(IntentError) -> ServerSession? {
    guard !servers.isEmpty else { throw .notPaired }
    let deadline = connections.loop.now + WorkspaceQuery.limit
    let results = await withTaskGroup(of: Result<[Candidate], IntentError>.self) { group in
      for server in servers {
        group.addTask { await candidates(of: server, until: deadline) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let found = results.compactMap { try? $0.get() }.flatMap(\.self)
    if let newest = found.max(by: { $0.lastActivity < $1.lastActivity }) { return newest.session }
    for case .failure(let error) in results { throw error }
    return nil
  }

  private struct Candidate: Sendable {
    var session: ServerSession
    var lastActivity: Timestamp
  }

  private func candidates(
    of server: PairedServer,
    until deadline: EventLoop.Instant
  ) async -> Result<[Candidate], IntentError> {
    do {
      let client = try await connections.client(for: server)
      let sessions = try await client.listSessions(until: deadline)
      return .success(
        sessions.filter { $0.status == .busy }.map { session in
          Candidate(
            session: ServerSession(
              server: server,
              id: session.id,
              workspaceID: session.workspaceID,
              workspaceName: session.workspaceName
            ),
            lastActivity: session.lastActivity
          )
        }
      )
    } catch {
      return .failure(error)
    }
  }
}
