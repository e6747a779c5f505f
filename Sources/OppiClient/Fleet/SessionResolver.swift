// SPDX-License-Identifier: MIT

import OppiText
package import OppiWire

/// Finds the session that a user names.
package struct SessionResolver: Sendable {
  private let fleet: Fleet
  private let context: Services
  private let isStrict: Bool

  /// `isStrict` requires an answer of every server for the start of an id; otherwise the sessions
  /// that were listed before may show that only one matches.
  package init(_ fleet: Fleet, in context: Services, isStrict: Bool = false) {
    (self.fleet, self.context, self.isStrict) = (fleet, context, isStrict)
  }

  /// Finds a session by `last`, an id, a unique prefix of an id, or `server/` before an id or
  /// prefix.
  ///
  /// With `evenIfAway`, a full id is enough while its server cannot be queried, if the server is the
  /// only one or known to have the session; the session then has no workspace.
  package func resolve(
    _ word: String,
    evenIfAway: Bool = false
  ) async throws(OppiError) -> ServerSession {
    guard !fleet.servers.isEmpty else { throw .notPaired }
    if word == "last" { return try last() }
    let name = PlacedID(word)
    let id = name.id
    var candidates = try fleet.only(named: name.server)
    guard WireID.isValid(id) else { throw .unknownSession(name: word) }
    if candidates.servers.count > 1 {
      candidates = candidates.having([id], by: seen(id))
    }
    if candidates.servers.count == 1, let stream = candidates.servers[0].dialect?.stream,
      id.count >= stream.sessionIDLength
    {
      // A full id on the only candidate needs no list, because the stream reports an unknown
      // session, unless the path of the stream needs the workspace.
      let session = ServerSession(server: candidates.servers[0], id: id)
      guard stream.needsWorkspace else { return session }
      do throws(OppiError) {
        // An older server has only lists.
        return stream == .perSession
          ? try await find(id, called: word, on: candidates)
          : try await locate(session, on: candidates)
      } catch  where evenIfAway && error.isPassing {
        return session
      }
    }
    do throws(OppiError) {
      return try await find(id, called: word, on: candidates)
    } catch  where evenIfAway && error.isPassing {
      guard let known = known(id, on: candidates) else { throw error }
      return known
    }
  }

  /// A session of exactly this id on the only server that has it by the history or its last list.
  private func known(_ id: String, on candidates: Fleet) -> ServerSession? {
    let seen = seen(id)
    let servers = candidates.servers.filter { seen[$0.id]?.contains(id) == true }
    return servers.count == 1 ? ServerSession(server: servers[0], id: id) : nil
  }

  /// The sessions that servers listed, and the one with an id as the history has it.
  private func seen(_ id: String) -> SeenIDs {
    var seen = context.seenSessions
    let entry = (try? context.history.entries())?.first { $0.sessionID == id }
    if let server = entry?.workspace?.serverID { seen[server, default: []].insert(id) }
    return seen
  }

  /// Returns the session with a running turn and the latest activity, or `nil` if there is none.
  ///
  /// - Throws: The first failure, if no busy session was found and a server could not be queried:
  ///   the session may be there.
  package func newestBusy() async throws(OppiError) -> ServerSession? {
    guard !fleet.servers.isEmpty else { throw .notPaired }
    let (busy, failures) = await fleet.sessions { (calls) throws(OppiError) in
      try await calls.sessionsAtWork()
    }
    let newest = busy.max { $0.session.lastActivity < $1.session.lastActivity }
    if newest == nil, let failure = failures.first { throw failure.error }
    return newest.map { ServerSession(server: $0.server, session: $0.session) }
  }

  private func last() throws(OppiError) -> ServerSession {
    let lastUsed = try OppiError.reading(context.history.lastUsed())
    guard let lastUsed, let id = lastUsed.sessionID,
      let server = fleet.servers.first(where: { $0.id == lastUsed.workspace.serverID })
    else { throw .unknownSession(name: "last") }
    return ServerSession(server: server, id: id, workspaceID: lastUsed.workspace.workspaceID)
  }

  private func find(
    _ id: String,
    called word: String,
    on candidates: Fleet
  ) async throws(OppiError) -> ServerSession {
    let (found, failures) = await candidates.sessions()
    let search = IDSearch(
      items: found.map {
        ($0.session.id, $0.server.id, ServerSession(server: $0.server, session: $0.session))
      },
      unasked: failures,
      seen: failures.isEmpty ? [:] : context.seenSessions,
      trust: isStrict ? .answers : .lists
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
    case .unasked:
      throw .notFound("session", named: word, on: candidates.servers, without: failures)
    }
  }

  /// Finds the workspace of a session with a full id.
  private func locate(
    _ session: ServerSession,
    on candidates: Fleet
  ) async throws(OppiError) -> ServerSession {
    var located: Result<ServerSession, OppiError> = .failure(.unknownSession(name: session.id))
    await candidates.ask { (calls, server) throws(OppiError) in
      try await calls.located(ServerSession(server: server, id: session.id))
    } onAnswer: {
      located = $0.result
    }
    return try located.get()
  }
}

extension Fleet {
  /// A fleet of the server with a name; this one for `nil`.
  package func only(named server: String?) throws(OppiError) -> Fleet {
    guard let server else { return self }
    return only(try servers.named(server))
  }

  /// The sessions of all servers as `read` finds them, and the servers that could not be queried, by
  /// name.
  package func sessions(
    _ read: @escaping @Sendable (ServerCalls) async throws(OppiError) -> [Session] = {
      (calls) throws(OppiError) in try await calls.listSessions()
    }
  ) async -> (found: [(server: PairedServer, session: Session)], failures: [ServerFailure]) {
    var answers: [Answer<[Session]>] = []
    await ask { (calls, _) throws(OppiError) in
      try await read(calls)
    } onAnswer: {
      answers.append($0)
    }
    let found = answers.flatMap { answer in (answer.value ?? []).map { (answer.server, $0) } }
    return (found, answers.failures())
  }
}

extension ServerSession {
  fileprivate var fullName: String { server.qualified(id) }

  package init(server: PairedServer, session: Session) {
    self.init(
      server: server,
      id: session.id,
      workspaceID: session.workspaceID,
      workspaceName: session.workspaceName
    )
  }
}

/// Chooses what a user names, by its id or a unique start of it, from what the servers listed.
package struct IDSearch<Item> {
  package enum Finding {
    case found(Item)
    case several([Item])
    /// The only match of the servers that answered; this one had the same id when it last did.
    case shared(Item, with: PairedServer)
    case nothing
    /// The only match of the servers that answered; this failure may hide another.
    case unconfirmed(Item, OppiError)
    /// No match on the servers that answered; it may be on one that could not be queried.
    case unasked
  }

  /// What shows that no unreachable server has another match for the start of an id.
  package enum Trust {
    /// Nothing: each server must answer.
    case answers
    /// That the match was listed before, but none of the others: it is what the user has seen.
    case matches
    /// That, or the last list of the unreachable server.
    case lists
  }

  package var items: [(id: String, server: Fingerprint, item: Item)]
  /// The servers that could not be queried, by name.
  package var unasked: [ServerFailure]
  /// The ids that each server had when it last answered.
  package var seen: SeenIDs = [:]
  package var trust = Trust.answers

  package init(
    items: [(id: String, server: Fingerprint, item: Item)],
    unasked: [ServerFailure],
    seen: SeenIDs = [:],
    trust: Trust = Trust.answers
  ) {
    (self.items, self.unasked) = (items, unasked)
    (self.seen, self.trust) = (seen, trust)
  }

  package func find(_ name: some StringProtocol) -> Finding {
    let exact = items.filter { $0.id == name }
    let matches = exact.isEmpty ? items.filter { $0.id.hasPrefix(name) } : exact
    guard matches.count <= 1 else { return .several(matches.map(\.item)) }
    if let match = matches.first {
      // A whole id is random, so that another server has the same one only if it was seen there.
      if !exact.isEmpty {
        let twin = unasked.first { seen[$0.server.id]?.contains(String(name)) == true }
        return twin.map { .shared(match.item, with: $0.server) } ?? .found(match.item)
      }
      let doubt = unasked.first { mayHave(name, besides: match, on: $0.server.id) }
      return doubt.map { .unconfirmed(match.item, $0.error) } ?? .found(match.item)
    }
    guard !unasked.isEmpty, !seen.showGone(String(name), unless: Set(unasked.map(\.server.id)))
    else { return .nothing }
    return .unasked
  }

  private func mayHave(
    _ name: some StringProtocol,
    besides match: (id: String, server: Fingerprint, item: Item),
    on server: Fingerprint
  ) -> Bool {
    let isListed = seen[match.server]?.contains(match.id) == true
    switch trust {
    case .answers: return true
    case .matches where !isListed, .lists where !isListed && seen[server] == nil: return true
    case .matches, .lists: return seen.start(with: name, on: [server])
    }
  }
}
