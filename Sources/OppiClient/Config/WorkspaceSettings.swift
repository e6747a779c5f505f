// SPDX-License-Identifier: MIT

package import CommandTable
import OppiSystem
package import OppiWire

/// The settings for one workspace: its own settings override those for all workspaces.
package struct WorkspaceSettings: Sendable {
  package let settings: ConfigFile.Settings
  /// The key of the workspace's own settings; `nil` if it has none.
  var name: String?

  package init(settings: ConfigFile.Settings, name: String? = nil) {
    (self.settings, self.name) = (settings, name)
  }

  /// Returns the value in effect; `nil` if none is set.
  package func value<Value: ArgumentValue>(of key: ConfigKey, as type: Value.Type = Value.self)
    throws
    -> Value?
  {
    try settings.value(of: holding(key))
  }

  /// Returns the value in effect of a setting that has a default.
  package func valueInEffect<Value: ArgumentValue>(of key: ConfigKey) throws -> Value {
    try settings.valueInEffect(of: holding(key))
  }

  /// Returns the workspace's own value; `nil` if it has none.
  package func ownValue<Value: ArgumentValue>(of key: ConfigKey, as type: Value.Type = Value.self)
    throws
    -> Value?
  {
    try name.flatMap { try settings.value(of: key.inWorkspace($0)) }
  }

  /// The source of the value in effect.
  package func source(of key: ConfigKey) throws -> ValueSource {
    .setting(try holding(key), path: settings.path)
  }

  /// The key of the value in effect.
  private func holding(_ key: ConfigKey) throws(FileError) -> ConfigKey {
    guard let own = name.map(key.inWorkspace), try settings.text(of: own) != nil else { return key }
    return own
  }
}

/// Matches the entries of the setting `workspaces` with workspaces.
///
/// The key of an entry is a composite id, `Server/Workspace`, or a unique name or id.
struct WorkspaceEntries: Sendable {
  /// The keys of the entries, in the order of the file.
  let names: [String]
  /// The known workspaces of all paired servers.
  let known: [ServerWorkspace]

  /// Returns the workspaces that a key matches; several if it is ambiguous.
  func workspaces(named name: String) -> [ServerWorkspace] {
    if let reference = WorkspaceReference(name) {
      return known.filter { $0.reference == reference }
    }
    return WorkspaceMatcher.exactMatches(name, in: known)
  }

  /// Returns the keys of the entries for a workspace.
  func names(of workspace: ServerWorkspace) -> [String] {
    names.filter { name in
      // Cheap filter, so that few keys are compared with all known workspaces.
      let alone = WorkspaceEntries(names: [], known: [workspace])
      return !alone.workspaces(named: name).isEmpty
        && workspaces(named: name).contains { $0.reference == workspace.reference }
    }
  }
}

extension Context {
  /// The settings for a workspace.
  ///
  /// - Throws: If two entries match the workspace, or its entry matches others as well; if the
  ///   workspace's name is unknown and its server cannot be queried.
  package func settings(
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
    // A workspace from a composite id has no name yet.
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

  /// The settings for a workspace that is given by its composite id.
  package func settings(
    _ settings: ConfigFile.Settings,
    in reference: WorkspaceReference
  ) async throws -> WorkspaceSettings {
    let server = try services.serverStore.load().servers.first { $0.id == reference.serverID }
    guard let server else { return WorkspaceSettings(settings: settings) }
    let id = reference.workspaceID
    let workspace = ServerWorkspace(server: server, workspace: Workspace(id: id, name: id))
    return try await self.settings(settings, in: workspace)
  }

  /// The workspaces of all paired servers, as last seen.
  package func knownWorkspaces() async -> [ServerWorkspace] {
    let servers = (try? services.serverStore.load().servers) ?? []
    return await services.workspaceQuery.cachedListings(of: servers).flatMap(\.serverWorkspaces)
  }

  private func listedWorkspaces(of server: PairedServer) async throws -> [ServerWorkspace] {
    let listings = await services.workspaceQuery.listings(of: [server], limit: services.answerLimit)
    if let error = listings.lazy.compactMap(\.error).first { throw error }
    return listings.flatMap(\.serverWorkspaces)
  }
}

/// Where a name was specified.
package enum ValueSource: Sendable, Equatable {
  /// An option, such as `--workspace`.
  case option(String)
  /// An environment variable.
  case variable(String)
  /// The name of a shortcut.
  case shortcut(String)
  case setting(ConfigKey, path: String)

  /// The source as text, such as `$OPPI_WORKSPACE`.
  package var words: String {
    switch self {
    case .option(let name): name
    case .variable(let name): "$\(name)"
    case .shortcut(let name): "the shortcut \(name)"
    case .setting(let key, let path): "\(key.name.asSetting) in \(path)"
    }
  }
}

extension OppiError {
  /// The error with the source of the name that it is about; unchanged for other errors.
  package func tracing(_ source: ValueSource) -> OppiError {
    switch code {
    case .noSuchWorkspace, .noSuchServer, .noSuchModel, .ambiguousName:
      var error = self
      error.message += " (from \(source.words))"
      return error
    default: return self
    }
  }
}
