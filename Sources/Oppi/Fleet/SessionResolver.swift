// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Finds the session that a user names.
struct SessionResolver: Sendable {
  private let fleet: Fleet
  private let context: IntentContext
  private let isStrict: Bool

  /// `isStrict` requires an answer of every server for the start of an id; otherwise the sessions
  /// that an unreachable server last had may show that only one matches.
  init(_ fleet: Fleet, in context: IntentContext, isStrict: Bool = false) {
    (self.fleet, self.context, self.isStrict) = (fleet, context, isStrict)
  }

  /// Finds a session by `last`, an id, a unique prefix of an id, or `server/` before an id or
  /// prefix.
  func resolve(_ word: String) async throws(IntentError) -> ServerSession {
    guard !fleet.servers.isEmpty else { throw .notPaired }
    if word == "last" { return try last() }
    var id = Substring(word)
    var candidates = fleet
    if let slash = word.lastIndex(of: "/") {
      candidates = fleet.only(try fleet.servers.named(String(word[..<slash])))
      id = word[word.index(after: slash)...]
    }
    guard WireID.isValid(id) else { throw .unknownSession(name: word) }
    if candidates.servers.count == 1, let stream = candidates.servers[0].dialect?.stream,
      id.count >= stream.sessionIDLength
    {
      // A full id on the only candidate needs no list, because the stream reports an unknown
      // session, unless the path of the stream needs the workspace.
      if !stream.needsWorkspace {
        return ServerSession(server: candidates.servers[0], id: String(id))
      }
      // An older server has only lists.
      if stream != .perSession { return try await locate(id, on: candidates) }
    }
    return try await find(id, called: word, on: candidates)
  }

  /// Returns the busy session with the latest activity, or `nil` if none is busy.
  ///
  /// - Throws: The first failure, if no busy session was found and a server could not be queried:
  ///   the session may be there.
  func newestBusy() async throws(IntentError) -> ServerSession? {
    guard !fleet.servers.isEmpty else { throw .notPaired }
    let (found, failures) = await fleet.sessions(.loaded)
    let busy = found.filter { $0.session.status == .busy }
    let newest = busy.max { $0.session.lastActivity < $1.session.lastActivity }
    if newest == nil, let failure = failures.first { throw failure.error }
    return newest.map { ServerSession(server: $0.server, session: $0.session) }
  }

  private func last() throws(IntentError) -> ServerSession {
    let lastUsed: LastUsedStore.LastUsed?
    do {
      lastUsed = try context.lastUsed.load()
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
    let (found, failures) = await candidates.sessions()
    let search = IDSearch(
      items: found.map { ($0.session.id, ServerSession(server: $0.server, session: $0.session)) },
      unasked: failures,
      seen: failures.isEmpty ? [:] : context.seenSessions,
      trustsSeen: !isStrict
    )
    switch search.find(id) {
    case .found(let session): return session
    case .several(let sessions):
      throw .ambiguousSession(name: word, candidates: sessions.map(\.fullName).sorted())
    case .shared(let session, let server):
      let twin = ServerSession(server: server, id: session.id)
      throw .ambiguousSession(name: word, candidates: [session.fullName, twin.fullName].sorted())
    case .nothing: throw .unknownSession(name: word)
    case .unconfirmed(let session, let error):
      throw .unconfirmedMatch(name: word, match: session.fullName, because: error)
    case .unasked(let error): throw error
    }
  }

  /// Finds the workspace of a session with a full id.
  private func locate(_ id: Substring, on candidates: Fleet) async throws(IntentError)
    -> ServerSession
  {
    var located: Result<ServerSession, IntentError> = .failure(.unknownSession(name: String(id)))
    await candidates.ask { (client, server, deadline) throws(IntentError) in
      try await client.located(ServerSession(server: server, id: String(id)), until: deadline)
    } hear: {
      located = $0.result
    }
    return try located.get()
  }
}

extension Fleet {
  /// The sessions of all servers, all or those that a flow needs, and the servers that could not be
  /// queried, by name.
  func sessions(_ scope: Dialect.Listing.Scope = .all) async -> (
    found: [(server: PairedServer, session: Session)], failures: [Failure]
  ) {
    var found: [(server: PairedServer, session: Session)] = []
    var failures: [Failure] = []
    await ask { (client, _, deadline) throws(IntentError) in
      try await client.listSessions(scope, until: deadline)
    } hear: { answer in
      switch answer.result {
      case .success(let sessions): found += sessions.map { (answer.server, $0) }
      case .failure(let error): failures.append((answer.server, error))
      }
    }
    return (found, failures.sorted { $0.server.name < $1.server.name })
  }
}

extension ServerSession {
  fileprivate var fullName: String { "\(server.name)/\(id)" }

  init(server: PairedServer, session: Session) {
    self.init(
      server: server,
      id: session.id,
      workspaceID: session.workspaceID,
      workspaceName: session.workspaceName
    )
  }
}
