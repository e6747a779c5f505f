// SPDX-License-Identifier: MIT

package import OppiModel

/// A workspace together with its server.
package struct ServerWorkspace: Sendable, Equatable {
  package var server: PairedServer
  package var workspace: Workspace

  package init(server: PairedServer, workspace: Workspace) {
    self.server = server
    self.workspace = workspace
  }

  /// The composite id; `nil` never happens for a workspace that was read from a server.
  package var reference: WorkspaceReference? {
    WorkspaceReference(serverID: server.id, workspaceID: workspace.id)
  }

  /// How the user may name it without doubt: `Server/Workspace`.
  package var qualifiedName: String { "\(server.name)/\(workspace.name)" }
}

extension [ServerWorkspace] {
  /// Names that tell the workspaces apart, of so many of them; the composite id where names cannot.
  package func names(atMost limit: Int) -> [String] {
    let counts = Dictionary(map { ($0.qualifiedName, 1) }, uniquingKeysWith: +)
    return prefix(limit).map { item in
      let name = item.qualifiedName
      return counts[name] == 1 ? name : item.reference?.description ?? name
    }
  }
}
