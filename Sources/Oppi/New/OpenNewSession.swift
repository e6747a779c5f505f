// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// Opens an empty session in a named workspace, in the default one, or in that of a launch target.
struct OpenNewSession: Sendable {
  private static let limit = Duration.seconds(10)

  private let servers: [PairedServer]
  private let query: WorkspaceQuery
  private let connections: Connections
  private let models: ModelCatalog
  private let lastUsed: LastUsedStore
  private let timeout: Duration?
  private let warn: @Sendable (FileError, _ sessionID: String) async -> Void

  /// The default timeout is 10 s; `warn` gets the error if a new session cannot be recorded as the
  /// last one.
  init(
    servers: [PairedServer],
    query: WorkspaceQuery,
    connections: Connections,
    models: ModelCatalog,
    lastUsed: LastUsedStore,
    timeout: Duration? = nil,
    warn: @escaping @Sendable (FileError, _ sessionID: String) async -> Void = { _, _ in }
  ) {
    self.servers = servers
    self.query = query
    self.connections = connections
    self.models = models
    self.lastUsed = lastUsed
    self.timeout = timeout
    self.warn = warn
  }

  // MARK: - The workspace

  /// Returns the named workspace; without a name, the last used one, or the first one of the first
  /// server.
  func workspace(
    named word: String?,
    on servers: [PairedServer]
  ) async throws(IntentError) -> WorkspaceReference {
    guard let first = servers.first else { throw .notPaired }
    if let word {
      let resolver = WorkspaceResolver(servers: servers, query: query)
      guard let reference = try await resolver.resolve(word).reference else {
        throw .unknownWorkspace(name: word, known: [])
      }
      return reference
    }
    let last: WorkspaceReference?
    do {
      last = try lastUsed.load()?.workspace
    } catch {
      throw .file(error)
    }
    if let last, servers.contains(where: { $0.id == last.serverID }) {
      return last
    }
    return try await firstWorkspace(of: first)
  }

  private func firstWorkspace(
    of server: PairedServer
  ) async throws(IntentError) -> WorkspaceReference {
    var listings = await query.cachedListings(of: [server])
    if listings.allSatisfy(\.workspaces.isEmpty) { listings = await query.listings(of: [server]) }
    if let workspace = listings.flatMap(\.workspaces).first,
      let reference = ServerWorkspace(server: server, workspace: workspace).reference
    {
      return reference
    }
    throw listings.lazy.compactMap(\.error).first ?? .workspaceNeeded(known: [])
  }

  // MARK: - The session

  /// Creates a session in a workspace, and records it as the last one; `model` replaces the
  /// workspace's default.
  func open(
    in reference: WorkspaceReference,
    model: String? = nil
  ) async throws(IntentError) -> ServerSession {
    let resolver = WorkspaceResolver(servers: servers, query: query)
    let target = try await resolver.resolve(reference.description)
    let api = try await connections.client(for: target.server)
    let deadline = api.loop.now + (timeout ?? Self.limit)
    var offered: ModelCatalog.OfferedModel?
    if let model {
      offered = try await models.model(model, of: target.server, over: api, until: deadline)
    }
    var new = NewSession(workspaceID: reference.workspaceID, name: nil, model: offered)
    new.key = target.server.dialect?.creation.key(for: api.loop.newID())
    let session = try await api.createSession(new, until: deadline)
    do throws(FileError) {
      try await lastUsed.store(.init(workspace: reference, sessionID: session.id))
    } catch {
      await warn(error, session.id)
    }
    return ServerSession(
      server: target.server,
      id: session.id,
      workspaceID: reference.workspaceID,
      workspaceName: session.workspaceName ?? target.workspace.name
    )
  }

  /// Claims the launch target; of several concurrent claims exactly one succeeds.
  ///
  /// Discards a target that is too old. A target whose session cannot be created stays claimed
  /// until this process ends.
  func claim(
    from targets: LaunchTargetStore
  ) throws(IntentError) -> LaunchTargetStore.Claim {
    let claim: LaunchTargetStore.Claim?
    do {
      claim = try targets.claim()
    } catch {
      throw .file(error)
    }
    guard let claim else { throw .noLaunchTarget }
    let now = connections.loop.timestamp()
    guard claim.target.isRecent(at: now) else {
      claim.settle()
      throw .staleLaunchTarget(age: claim.target.age(at: now))
    }
    return claim
  }
}
