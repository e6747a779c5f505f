// SPDX-License-Identifier: MIT

import EventLoop
package import OppiSystem
import OppiText
package import OppiWire

/// Finds the workspace that a user names, with as few server calls as possible.
package struct WorkspaceResolver: Sendable {
  /// Exact names in cached lists up to this age need no server call: ids are stable, and the server
  /// refuses a removed workspace.
  static let trustedAge = Duration.seconds(24 * 60 * 60)
  /// The most names in an error message.
  private static let namedAtMost = 20
  /// The most names to search for one similar to the word.
  private static let comparedAtMost = 1000

  package let servers: [PairedServer]
  package let query: WorkspaceQuery
  /// How long the servers may take if they must be queried.
  package var limit = ServerCalls.limit

  package init(servers: [PairedServer], query: WorkspaceQuery, limit: Duration = ServerCalls.limit)
  {
    (self.servers, self.query, self.limit) = (servers, query, limit)
  }

  /// Finds the workspace that a word names; without a word, the only workspace.
  package func resolve(_ word: String?) async throws(OppiError) -> ServerWorkspace {
    try await resolve([word])[0]
  }

  /// Finds the workspaces of several words with one query; two words for the same workspace return
  /// it once.
  package func resolve(_ words: [String?]) async throws(OppiError) -> [ServerWorkspace] {
    guard !servers.isEmpty else { throw .notPaired }
    var found: [ServerWorkspace] = []
    var asked: [PairedServer]?
    var listings: [WorkspaceListing] = []
    for word in words {
      var workspace = try await known(word)
      if workspace == nil {
        let needed = candidates(for: word)
        if asked != needed {
          listings = await query.listings(of: needed, limit: limit)
          asked = needed
        }
        workspace = try choose(word, from: listings)
      }
      guard let workspace else { continue }
      if !found.contains(where: { $0.reference == workspace.reference }) { found.append(workspace) }
    }
    return found
  }

  /// Resolves without a server call: a composite id, or an exact name in recent lists.
  ///
  /// A prefix, or a missing word, may be ambiguous by now.
  private func known(_ word: String?) async throws(OppiError) -> ServerWorkspace? {
    guard let word else { return nil }
    if let reference = WorkspaceReference(word) { return try await named(by: reference) }
    let needed = candidates(for: word)
    let cached = await query.cachedListings(of: needed, naming: word)
    guard cached.count == needed.count,
      cached.allSatisfy({ Duration.seconds($0.ageSeconds ?? .max) <= Self.trustedAge })
    else { return nil }
    let matches = WorkspaceMatcher.exactMatches(word, in: cached.flatMap(\.serverWorkspaces))
    return matches.count == 1 ? matches[0] : nil
  }

  /// The servers that a word may refer to: `studio/api` refers only to studio.
  private func candidates(for word: String?) -> [PairedServer] {
    guard let folded = word?.lowercased() else { return servers }
    let named = servers.filter { server in
      let name = server.name.lowercased()
      return folded.hasPrefix(name + "/") || folded.hasPrefix(name + " → ")
    }
    return named.isEmpty ? servers : named
  }

  /// A composite id needs no list; the cache only provides the name.
  private func named(
    by reference: WorkspaceReference
  ) async throws(OppiError) -> ServerWorkspace {
    guard let server = servers.first(where: { $0.id == reference.serverID }) else {
      throw .unknownServer(name: reference.serverID.text, known: servers.map(\.name))
    }
    let cached = await query.cachedListings(of: [server], naming: reference.workspaceID)
      .flatMap(\.workspaces)
    let workspace =
      cached.first { $0.id == reference.workspaceID }
      ?? Workspace(id: reference.workspaceID, name: reference.workspaceID)
    return ServerWorkspace(server: server, workspace: workspace)
  }

  private func choose(
    _ word: String?,
    from listings: [WorkspaceListing]
  ) throws(OppiError) -> ServerWorkspace {
    let all = listings.flatMap(\.serverWorkspaces)
    if all.isEmpty, let error = listings.lazy.compactMap(\.error).first { throw error }
    guard let word else {
      guard all.count == 1 else {
        throw .workspaceNeeded(known: all.names(atMost: Self.namedAtMost))
      }
      return all[0]
    }
    let matches = WorkspaceMatcher.matches(word, in: all)
    guard let match = matches.first else {
      throw .unknownWorkspace(
        name: word,
        known: all.names(atMost: Self.comparedAtMost),
        on: listings.map(\.server),
        without: listings.compactMap { listing in listing.error.map { (listing.server, $0) } }
      )
    }
    guard matches.count == 1 else {
      throw .ambiguousWorkspace(name: word, candidates: matches.names(atMost: Self.namedAtMost))
    }
    return match
  }
}

/// Finds the workspaces of all servers that a user's word names.
///
/// The first of these rules with a match applies: `Server/Workspace` or `Server → Workspace` by
/// name, a workspace's name or id, a case-insensitive prefix of a name.
package enum WorkspaceMatcher {
  /// Returns all matches of the first rule that has any; several are ambiguous.
  package static func matches(
    _ word: String,
    in all: [ServerWorkspace]
  ) -> [ServerWorkspace] {
    let exact = exactMatches(word, in: all)
    guard exact.isEmpty, !word.isEmpty else { return exact }
    let folded = word.lowercased()
    let rules: [(ServerWorkspace) -> Bool] = [
      { $0.workspace.name.lowercased().hasPrefix(folded) },
      {
        // The server's name and a prefix, as in `studio/opp`; `studio/` alone names no workspace.
        let server = $0.server.name.lowercased() + "/"
        return folded != server && folded.hasPrefix(server)
          && $0.qualifiedName.lowercased().hasPrefix(folded)
      },
    ]
    return first(of: rules, in: all)
  }

  /// Returns the matches by full name or id only.
  package static func exactMatches(
    _ word: String,
    in all: [ServerWorkspace]
  ) -> [ServerWorkspace] {
    guard !word.isEmpty else { return [] }
    let folded = word.lowercased()
    return first(
      of: [
        { $0.qualifiedName == word || arrowName($0) == word },
        { $0.qualifiedName.lowercased() == folded || arrowName($0).lowercased() == folded },
        { $0.workspace.name == word || $0.workspace.id == word },
        { $0.workspace.name.lowercased() == folded },
      ],
      in: all
    )
  }

  private static func first(
    of rules: [(ServerWorkspace) -> Bool],
    in all: [ServerWorkspace]
  ) -> [ServerWorkspace] {
    rules.lazy.map { all.filter($0) }.first { !$0.isEmpty } ?? []
  }

  private static func arrowName(_ item: ServerWorkspace) -> String {
    "\(item.server.name) → \(item.workspace.name)"
  }
}

package struct ServerWorkspace: Sendable, Equatable {
  package var server: PairedServer
  package var workspace: Workspace

  package init(server: PairedServer, workspace: Workspace) {
    self.server = server
    self.workspace = workspace
  }

  /// The composite id; never `nil` for a workspace that a server listed.
  package var reference: WorkspaceReference? {
    WorkspaceReference(serverID: server.id, workspaceID: workspace.id)
  }

  /// `Server/Workspace`, as the user can enter it.
  package var qualifiedName: String { server.qualified(workspace.name) }
}

extension [ServerWorkspace] {
  /// The first names up to the limit; a composite id replaces each name that is not unique.
  package func names(atMost limit: Int = .max) -> [String] {
    let counts = Dictionary(map { ($0.qualifiedName, 1) }, uniquingKeysWith: +)
    return prefix(limit).map { item in
      let name = item.qualifiedName
      return counts[name] == 1 ? name : item.reference?.description ?? name
    }
  }
}

extension ServerWorkspace {
  /// A session of the workspace.
  package func session(_ id: String, workspaceName: String? = nil) -> ServerSession {
    ServerSession(
      server: server,
      id: id,
      workspaceID: workspace.id,
      workspaceName: workspaceName ?? workspace.name
    )
  }

  /// A session that was created in the workspace.
  package func place(of session: Session) -> ServerSession {
    self.session(session.id, workspaceName: session.workspaceName)
  }
}

/// One server's workspaces, and how current they are.
package struct WorkspaceListing: Sendable {
  package var server: PairedServer
  var workspaces: [Workspace] = []
  /// The age of the list: 0 for a live one, `nil` without a list.
  var ageSeconds: Int?
  /// Why the server could not be queried, so that the list, if any, is from the cache.
  package var error: OppiError?

  /// Whether it is from the cache because the server could not be queried.
  var isStale: Bool { error != nil && ageSeconds != nil }

  package var serverWorkspaces: [ServerWorkspace] {
    workspaces.map { ServerWorkspace(server: server, workspace: $0) }
  }
}

package struct WorkspaceQuery: Sendable {
  let connections: Connections
  let cache: WorkspaceCache
  /// Called while an answer takes long; `nil` to wait silently.
  var waiting: Fleet.WaitingNote?

  /// Queries all servers concurrently, and returns their listings sorted by server name.
  ///
  /// Uses a cached list younger than `maxAge` instead of a query; each server has `limit` to
  /// answer. The listings of servers that do not answer come from the cache.
  package func listings(
    of servers: [PairedServer],
    maxAge: Duration = .zero,
    limit: Duration = ServerCalls.limit
  ) async -> [WorkspaceListing] {
    let cached = await cache.load()
    var listings: [WorkspaceListing] = []
    var asked: [PairedServer] = []
    for server in servers {
      var known = listing(of: server, from: cached[server.id])
      if let age = known.ageSeconds, Duration.seconds(age) < maxAge {
        // The list is of no use where this machine has no access.
        known.error = connections.refusal(of: server)
        listings.append(known)
      } else {
        asked.append(server)
      }
    }
    var live: [Fingerprint: [Workspace]] = [:]
    var fleet = Fleet(asked, connections: connections)
    fleet.waiting = waiting
    await fleet.ask(within: limit) {
      (calls, _) throws(OppiError) in
      try await calls.listWorkspaces()
    } onAnswer: { answer in
      let server = answer.server
      switch answer.result {
      case .success(let workspaces):
        live[server.id] = workspaces
        listings.append(.init(server: server, workspaces: workspaces, ageSeconds: 0))
      case .failure(let error):
        var known = listing(of: server, from: cached[server.id])
        known.error = error
        listings.append(known)
      }
    }
    let now = connections.loop.timestamp()
    await cache.store(live.mapValues { .init(fetchedAt: now, workspaces: $0) })
    return await sorted(listings)
  }

  /// Returns the cached listings without querying a server, all or those with a workspace of the
  /// given name or id; omits servers without a cached list.
  package func cachedListings(
    of servers: [PairedServer],
    naming word: String? = nil
  ) async -> [WorkspaceListing] {
    let cached = if let word { await cache.load(naming: word) } else { await cache.load() }
    let known = servers.filter { cached[$0.id] != nil }
    return await sorted(known.map { listing(of: $0, from: cached[$0.id]) })
  }

  private func listing(
    of server: PairedServer,
    from cached: WorkspaceCache.Entry?
  ) -> WorkspaceListing {
    guard let cached else { return WorkspaceListing(server: server) }
    let age = cached.fetchedAt.age(at: connections.loop.timestamp())
    return WorkspaceListing(server: server, workspaces: cached.workspaces, ageSeconds: age)
  }

  /// Sorts by server name and workspace name, without regard to case; returns the listings unsorted
  /// if the task was cancelled.
  private func sorted(_ listings: [WorkspaceListing]) async -> [WorkspaceListing] {
    let sorted = try? await connections.loop.offload(ifLong: listings.areLong) {
      listings.map { listing in
        var listing = listing
        listing.workspaces = listing.workspaces.map { (name: $0.name.lowercased(), workspace: $0) }
          .sorted { ($0.name, $0.workspace.id) < ($1.name, $1.workspace.id) }
          .map(\.workspace)
        return listing
      }
      .sorted {
        ($0.server.name.lowercased(), $0.server.id.text)
          < ($1.server.name.lowercased(), $1.server.id.text)
      }
    }
    return sorted ?? listings
  }
}

extension [WorkspaceListing] {
  /// Whether going through all workspaces takes milliseconds.
  var areLong: Bool { reduce(0) { $0 + $1.workspaces.count } > 1000 }
}

/// The name of a workspace, and where it was specified.
package struct WorkspaceChoice: Sendable {
  package let name: String
  package let source: ValueSource
}

extension Context {
  /// The default workspace of every command without `--workspace`: the environment variable, else
  /// the nearest folder's entry, else the setting; `nil` if none is set.
  package func defaultWorkspace(_ settings: ConfigFile.Settings) throws(FileError)
    -> WorkspaceChoice?
  {
    let variable = "OPPI_WORKSPACE"
    if let name = nonEmpty(variable) {
      return WorkspaceChoice(name: name, source: .variable(variable))
    }
    if let entry = try settings.directory(above: services.workingDirectory()) {
      return WorkspaceChoice(
        name: entry.workspace,
        source: .setting(entry.key, path: settings.path)
      )
    }
    return try settings.text(of: .workspace).map {
      WorkspaceChoice(name: $0, source: .setting(.workspace, path: settings.path))
    }
  }

  /// The workspace for a new interactive session: that of `--workspace`, else
  /// ``defaultWorkspace(_:)``, else the last or the first one.
  package func workspaceToOpen(
    option word: String?,
    _ settings: ConfigFile.Settings
  ) async throws -> WorkspaceReference {
    let choice =
      try word.map { WorkspaceChoice(name: $0, source: .option("--workspace")) }
      ?? defaultWorkspace(settings)
    let servers = try servers()
    do {
      return try await services.workspace(named: choice?.name, on: servers)
    } catch {
      throw choice.map { OppiError(error).tracing($0.source) } ?? OppiError(error)
    }
  }
}

extension Services {
  package var workspaceQuery: WorkspaceQuery {
    WorkspaceQuery(connections: connections, cache: cache)
  }
}
