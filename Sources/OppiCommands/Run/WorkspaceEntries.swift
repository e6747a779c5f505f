// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// Which entries of the setting `workspaces` are about which workspace: each stands there by a
/// composite id, by `Server/Workspace`, or by a name or an id that only one workspace has.
struct WorkspaceEntries: Sendable {
  /// The names of the entries, in the order of the file.
  let names: [String]
  /// The workspaces of all paired servers, as far as they were seen.
  let known: [ServerWorkspace]

  /// Returns the workspaces that a name is of: several where it says too little.
  func workspaces(named name: String) -> [ServerWorkspace] {
    if let reference = WorkspaceReference(name) {
      return known.filter { $0.reference == reference }
    }
    return WorkspaceMatcher.exactMatches(name, in: known)
  }

  /// Returns the names of the entries that are about a workspace.
  func names(of workspace: ServerWorkspace) -> [String] {
    names.filter { name in
      // Few names need a look at all that is known.
      let alone = WorkspaceEntries(names: [], known: [workspace])
      return !alone.workspaces(named: name).isEmpty
        && workspaces(named: name).contains { $0.reference == workspace.reference }
    }
  }
}

extension Context {
  /// The settings as they hold in a workspace.
  ///
  /// - Throws: Where two entries are about the workspace, or the one that is is about others, too;
  ///   where nobody can say what the workspace is called.
  func settings(
    _ settings: ConfigFile.Settings,
    in workspace: ServerWorkspace
  ) async throws -> WorkspaceSettings {
    let names = try settings.workspacesWithSettings()
    guard !names.isEmpty else { return WorkspaceSettings(settings: settings) }
    var known = await knownWorkspaces()
    let isKnown = known.contains { $0.reference == workspace.reference }
    if !isKnown, names.contains(where: { WorkspaceReference($0) == nil }) {
      known += try await listedWorkspaces(of: workspace.server)
    }
    // Whoever has the composite id alone does not know the name.
    let named = known.first { $0.reference == workspace.reference }
    if named == nil { known.append(workspace) }
    let workspace = named ?? workspace
    let entries = WorkspaceEntries(names: names, known: known)
    let own = entries.names(of: workspace)
    for name in own where entries.workspaces(named: name).count > 1 {
      let several = entries.workspaces(named: name).names(atMost: 5)
      throw settings.unusable(
        ConfigKey.entry(ofWorkspace: name),
        "matches several workspaces; use one of \(several.joined(separator: ", "))"
      )
    }
    if own.count > 1 {
      throw settings.unusable(
        ConfigKey.entry(ofWorkspace: own[1]),
        "is the same workspace as \(ConfigKey.entry(ofWorkspace: own[0])); remove one of them"
      )
    }
    return WorkspaceSettings(settings: settings, name: own.first)
  }

  /// The settings as they hold in a workspace of a paired server.
  func settings(
    _ settings: ConfigFile.Settings,
    in reference: WorkspaceReference
  ) async throws -> WorkspaceSettings {
    let server = try intents.serverStore.load().servers.first { $0.id == reference.serverID }
    guard let server else { return WorkspaceSettings(settings: settings) }
    let id = reference.workspaceID
    let workspace = ServerWorkspace(server: server, workspace: Workspace(id: id, name: id))
    return try await self.settings(settings, in: workspace)
  }

  /// The workspaces of all paired servers as they were seen last.
  func knownWorkspaces() async -> [ServerWorkspace] {
    let servers = (try? intents.serverStore.load().servers) ?? []
    return await intents.workspaceQuery.cachedListings(of: servers).flatMap(\.serverWorkspaces)
  }

  private func listedWorkspaces(of server: PairedServer) async throws -> [ServerWorkspace] {
    let listings = await intents.workspaceQuery.listings(of: [server], limit: intents.answerLimit)
    if let error = listings.lazy.compactMap(\.error).first { throw error }
    return listings.flatMap(\.serverWorkspaces)
  }
}
