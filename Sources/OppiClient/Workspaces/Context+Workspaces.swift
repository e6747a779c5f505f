// SPDX-License-Identifier: MIT

package import OppiTerminal
import OppiText
import OppiWire

extension Context {
  /// The server of a named workspace, or all servers without a name.
  ///
  /// - Throws: If no server is paired, or the workspace does not exist.
  package func fleet(
    inWorkspace word: String?
  ) async throws -> (fleet: Fleet, workspace: ServerWorkspace?) {
    let servers = try pairedServers()
    let workspace = try await workspace(named: word)
    return (fleet(of: workspace.map { [$0.server] } ?? servers), workspace)
  }

  /// A query that shows on a terminal for which servers the command waits.
  package var workspaceQuery: WorkspaceQuery {
    var query = services.workspaceQuery
    query.waiting = output.waiting
    return query
  }

  /// A resolver for workspaces on the command's servers.
  package func workspaces() throws -> WorkspaceResolver {
    WorkspaceResolver(
      servers: try servers(),
      query: workspaceQuery,
      limit: services.answerLimit
    )
  }

  /// The workspace of `--workspace`; `nil` without that option.
  package func workspace(named word: String?) async throws -> ServerWorkspace? {
    guard let word else { return nil }
    do {
      return try await workspaces().resolve(word)
    } catch {
      throw OppiError(error).tracing(.option("--workspace"))
    }
  }

  /// The workspace of a name that is to be saved; an unknown one is an error, but an unreachable
  /// server only a warning.
  package func workspace(
    toSave word: String?,
    from source: ValueSource? = .option("--workspace")
  ) async throws -> ServerWorkspace? {
    guard let word else { return nil }
    do {
      return try await workspaces().resolve(word)
    } catch {
      let error = OppiError(error)
      guard [.serverUnreachable, .timedOut, .serverError].contains(error.code) else {
        throw source.map(error.tracing) ?? error
      }
      await output.warn("could not check the workspace: \(error.message)")
      return nil
    }
  }
}

extension Context {
  /// The line that names a session, its workspace and its server.
  package func introduction(of session: ServerSession) async -> StyledText {
    var name = session.workspaceName
    if name == nil, let id = session.workspaceID {
      name =
        await services.cache.load()[session.server.id]?.workspaces.first { $0.id == id }?.name ?? id
    }
    let workspace = name.map { " in \($0.safeLine(limit: 120))" } ?? ""
    return StyledText("Session \(session.id)\(workspace) on \(session.server.name)")
  }
}

extension Services {
  /// Returns the named workspace; without a name, the last used one, or the first one of the first
  /// server.
  func workspace(
    named word: String?,
    on servers: [PairedServer]
  ) async throws(OppiError) -> WorkspaceReference {
    guard let first = servers.first else { throw .notPaired }
    if let word {
      let resolver = WorkspaceResolver(servers: servers, query: workspaceQuery)
      guard let reference = try await resolver.resolve(word).reference else {
        throw .unknownWorkspace(name: word)
      }
      return reference
    }
    let last = try OppiError.reading(history.lastUsed())?.workspace
    if let last, servers.contains(where: { $0.id == last.serverID }) {
      return last
    }
    return try await firstWorkspace(of: first)
  }

  private func firstWorkspace(
    of server: PairedServer
  ) async throws(OppiError) -> WorkspaceReference {
    let query = workspaceQuery
    var listings = await query.cachedListings(of: [server])
    if listings.allSatisfy(\.workspaces.isEmpty) { listings = await query.listings(of: [server]) }
    if let workspace = listings.flatMap(\.workspaces).first,
      let reference = ServerWorkspace(server: server, workspace: workspace).reference
    {
      return reference
    }
    throw listings.lazy.compactMap(\.error).first ?? .workspaceNeeded(known: [])
  }
}
