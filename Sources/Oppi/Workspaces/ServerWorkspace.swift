// SPDX-License-Identifier: MIT

package import OppiModel

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
  package var qualifiedName: String { "\(server.name)/\(workspace.name)" }
}

extension [ServerWorkspace] {
  /// The first names up to the limit; a composite id replaces each name that is not unique.
  func names(atMost limit: Int) -> [String] {
    let counts = Dictionary(map { ($0.qualifiedName, 1) }, uniquingKeysWith: +)
    return prefix(limit).map { item in
      let name = item.qualifiedName
      return counts[name] == 1 ? name : item.reference?.description ?? name
    }
  }
}
