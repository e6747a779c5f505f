// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem

/// Turns what a user calls a session into the session.
package struct SessionResolver: Sendable {
  /// The length of the ids that servers give.
  private static let idLength = 8

  private let fleet: Fleet
  private let lastUsed: LastUsedStore

  /// Makes a resolver over some servers, which looks the session that was used last up where it is
  /// meant.
  package init(_ fleet: Fleet, lastUsed: LastUsedStore) {
    self.fleet = fleet
    self.lastUsed = lastUsed
  }

  /// Finds the session that a word names: `last`, an id, a prefix that no other id has, or either of
  /// these behind `server/`.
  package func resolve(_ word: String) async throws(IntentError) -> ServerSession {
    guard !fleet.servers.isEmpty else { throw .notPaired }
    if word == "last" { return try last() }
    var id = Substring(word)
    var candidates = fleet
    if let slash = word.lastIndex(of: "/") {
      candidates = fleet.only(try fleet.servers.named(String(word[..<slash])))
      id = word[word.index(after: slash)...]
    }
    guard WireID.isValid(id) else { throw .unknownSession(name: word) }
    // A whole id on the only server in question needs no list; the stream will know it or not. The
    // older dialect needs the workspace for the stream's path.
    if candidates.servers.count == 1, id.count >= Self.idLength,
      candidates.servers[0].dialect == .multiplexed
    {
      return ServerSession(server: candidates.servers[0], id: String(id))
    }
    return try await find(id, called: word, on: candidates)
  }

  /// Returns the busy session with the latest activity, `nil` where none is busy.
  ///
  /// - Throws: The first failure where no session is known to be busy and not every server could be
  ///   asked: the one that is meant may be there.
  package func newestBusy() async throws(IntentError) -> ServerSession? {
    guard !fleet.servers.isEmpty else { throw .notPaired }
    let (found, failure) = await fleet.sessions()
    let busy = found.filter { $0.session.status == .busy }
    let newest = busy.max { $0.session.lastActivity < $1.session.lastActivity }
    if newest == nil, let failure { throw failure }
    return newest.map { ServerSession(server: $0.server, session: $0.session) }
  }

  private func last() throws(IntentError) -> ServerSession {
    let lastUsed: LastUsedStore.LastUsed?
    do {
      lastUsed = try self.lastUsed.load()
    } catch {
      throw .file(error)
    }
    guard let lastUsed, let id = lastUsed.sessionID,
      let server = fleet.servers.first(where: { $0.id == lastUsed.workspace.serverID })
    else { throw .unknownSession(name: "last") }
    return ServerSession(server: server, id: id, workspaceID: lastUsed.workspace.workspaceID)
  }

  private func find(
    _ id: Substring,
    called word: String,
    on candidates: Fleet
  ) async throws(IntentError) -> ServerSession {
    let (found, failure) = await candidates.sessions()
    let exact = found.filter { $0.session.id == id }
    let matches = exact.isEmpty ? found.filter { $0.session.id.hasPrefix(id) } : exact
    // Another server may have one that begins so.
    if exact.isEmpty, let failure { throw failure }
    if matches.count == 1 {
      return ServerSession(server: matches[0].server, session: matches[0].session)
    }
    guard matches.isEmpty else {
      let names = matches.map { "\($0.server.name)/\($0.session.id)" }.sorted()
      throw .ambiguousSession(name: word, candidates: names)
    }
    throw .unknownSession(name: word)
  }
}

extension Fleet {
  /// All sessions of all servers, and the first failure where some could not be asked.
  package func sessions() async -> (
    found: [(server: PairedServer, session: Session)], failure: IntentError?
  ) {
    var found: [(server: PairedServer, session: Session)] = []
    var failure: IntentError?
    await ask { (client, _, deadline) throws(IntentError) in
      try await client.listSessions(until: deadline)
    } hear: { answer in
      switch answer.result {
      case .success(let sessions): found += sessions.map { (answer.server, $0) }
      case .failure(let error): failure = failure ?? error
      }
    }
    return (found, failure)
  }
}

extension ServerSession {
  init(server: PairedServer, session: Session) {
    self.init(
      server: server,
      id: session.id,
      workspaceID: session.workspaceID,
      workspaceName: session.workspaceName
    )
  }
}
