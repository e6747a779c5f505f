// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
package import OppiSystem
import OppiTransport

/// Turns what a user calls a session into the session.
package struct SessionResolver: Sendable {
  /// The length of the ids that servers give.
  private static let idLength = 8

  private let servers: [PairedServer]
  private let connections: Connections
  private let lastUsed: LastUsedStore.LastUsed?

  package init(
    servers: [PairedServer],
    connections: Connections,
    lastUsed: LastUsedStore.LastUsed?
  ) {
    self.servers = servers
    self.connections = connections
    self.lastUsed = lastUsed
  }

  /// Finds the session that a word names: `last`, an id, a prefix that no other id has, or either of
  /// these behind `server/`.
  package func resolve(_ word: String) async throws(IntentError) -> ServerSession {
    guard !servers.isEmpty else { throw .notPaired }
    if word == "last" { return try last() }
    var id = Substring(word)
    var candidates = servers
    if let slash = word.lastIndex(of: "/") {
      candidates = [try servers.named(String(word[..<slash]))]
      id = word[word.index(after: slash)...]
    }
    guard WireID.isValid(id) else { throw .unknownSession(name: word) }
    // A whole id on the only server in question needs no list; the stream will know it or not. The
    // older dialect needs the workspace for the stream's path.
    if candidates.count == 1, id.count >= Self.idLength, candidates[0].dialect == .multiplexed {
      return ServerSession(server: candidates[0], id: String(id))
    }
    return try await find(id, called: word, on: candidates)
  }

  private func last() throws(IntentError) -> ServerSession {
    guard let lastUsed, let id = lastUsed.sessionID,
      let server = servers.first(where: { $0.id == lastUsed.workspace.serverID })
    else { throw .unknownSession(name: "last") }
    return ServerSession(server: server, id: id, workspaceID: lastUsed.workspace.workspaceID)
  }

  private func find(
    _ id: Substring,
    called word: String,
    on candidates: [PairedServer]
  ) async throws(IntentError) -> ServerSession {
    let deadline = connections.loop.now + WorkspaceQuery.limit
    let results = await withTaskGroup(of: Result<[ServerSession], IntentError>.self) { group in
      for server in candidates {
        group.addTask { await sessions(of: server, until: deadline) }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let found = results.compactMap { try? $0.get() }.flatMap(\.self)
    let exact = found.filter { $0.id == id }
    let matches = exact.isEmpty ? found.filter { $0.id.hasPrefix(id) } : exact
    if matches.count == 1 { return matches[0] }
    guard matches.isEmpty else {
      let names = matches.map { "\($0.server.name)/\($0.id)" }.sorted()
      throw .ambiguousSession(name: word, candidates: names)
    }
    // Not found is only the truth where every server was asked.
    for case .failure(let error) in results { throw error }
    throw .unknownSession(name: word)
  }

  private func sessions(
    of server: PairedServer,
    until deadline: EventLoop.Instant
  ) async -> Result<[ServerSession], IntentError> {
    do {
      let client = try await connections.client(for: server)
      let sessions = try await client.listSessions(until: deadline)
      return .success(
        sessions.map {
          ServerSession(
            server: server,
            id: $0.id,
            workspaceID: $0.workspaceID,
            workspaceName: $0.workspaceName
          )
        }
      )
    } catch {
      return .failure(error)
    }
  }
}
