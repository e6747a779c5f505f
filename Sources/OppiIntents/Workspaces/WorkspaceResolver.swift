// SPDX-License-Identifier: MIT

package import OppiModel
import OppiTransport

/// Turns what a user calls a workspace into the workspace, with as few questions as possible.
package struct WorkspaceResolver: Sendable {
  /// Names in a cached list of at most this age are taken without asking the servers: ids stay the
  /// same, and a workspace that is gone is refused by its server.
  static let trustedAge = Duration.seconds(24 * 60 * 60)

  private let servers: [PairedServer]
  private let query: WorkspaceQuery

  package init(servers: [PairedServer], query: WorkspaceQuery) {
    self.servers = servers
    self.query = query
  }

  /// Finds the one workspace that a word names, or the only one there is when there is no word.
  package func resolve(_ word: String?) async throws(IntentError) -> ServerWorkspace {
    guard !servers.isEmpty else { throw .notPaired }
    if let reference = word.flatMap({ WorkspaceReference($0) }) { return try named(by: reference) }
    let known = query.cachedListings(of: servers)
    if known.count == servers.count, known.allSatisfy(Self.isTrusted),
      let match = try? choose(word, from: known)
    {
      return match
    }
    let listings = await query.listings(of: servers)
    if let error = listings.first(where: { $0.workspaces.isEmpty && $0.error != nil })?.error,
      listings.allSatisfy(\.workspaces.isEmpty)
    {
      throw error
    }
    return try choose(word, from: listings)
  }

  /// A composite id needs no list: the cache only lends the name.
  private func named(by reference: WorkspaceReference) throws(IntentError) -> ServerWorkspace {
    guard let server = servers.first(where: { $0.id == reference.serverID }) else {
      throw .unknownServer(name: reference.serverID.text, known: servers.map(\.name))
    }
    let cached = query.cachedListings(of: [server]).flatMap(\.workspaces)
    let workspace =
      cached.first { $0.id == reference.workspaceID }
      ?? Workspace(id: reference.workspaceID, name: reference.workspaceID)
    return ServerWorkspace(server: server, workspace: workspace)
  }

  private static func isTrusted(_ listing: WorkspaceListing) -> Bool {
    listing.ageSeconds.map { Duration.seconds($0) <= trustedAge } ?? false
  }

  private func choose(
    _ word: String?,
    from listings: [WorkspaceListing]
  ) throws(IntentError) -> ServerWorkspace {
    let all = listings.flatMap { listing in
      listing.workspaces.map { ServerWorkspace(server: listing.server, workspace: $0) }
    }
    guard let word else {
      guard all.count == 1 else { throw .workspaceNeeded(known: Self.names(of: all)) }
      return all[0]
    }
    let matches = WorkspaceMatcher.matches(word, in: all)
    guard let match = matches.first else {
      throw .unknownWorkspace(name: word, known: Self.names(of: all))
    }
    guard matches.count == 1 else {
      throw .ambiguousWorkspace(name: word, candidates: Self.names(of: matches))
    }
    return match
  }

  /// Names that tell the workspaces apart; the composite id where names cannot.
  private static func names(of workspaces: [ServerWorkspace]) -> [String] {
    let names = workspaces.map(\.qualifiedName)
    return zip(workspaces, names).map { workspace, name in
      names.count { $0 == name } == 1 ? name : workspace.reference?.description ?? name
    }
  }
}

extension [PairedServer] {
  /// Finds the server that a word names: its label, its fingerprint, or a prefix of the label that
  /// no other has, in any case of letters.
  package func named(_ word: String) throws(IntentError) -> PairedServer {
    guard !isEmpty else { throw .notPaired }
    let folded = word.lowercased()
    let rules: [(PairedServer) -> Bool] = [
      { $0.name == word || $0.id.text == word },
      { $0.name.lowercased() == folded },
      { !folded.isEmpty && $0.name.lowercased().hasPrefix(folded) },
    ]
    let matches = rules.lazy.map { filter($0) }.first { !$0.isEmpty } ?? []
    guard matches.count == 1 else { throw .unknownServer(name: word, known: map(\.name)) }
    return matches[0]
  }
}
