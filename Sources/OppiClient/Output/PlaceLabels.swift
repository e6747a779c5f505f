// SPDX-License-Identifier: MIT

package import OppiWire

/// A workspace in JSON objects.
package struct WorkspaceLabel {
  package let serverID: Fingerprint
  /// `nil` if the server does not report it.
  package let id: String?
  /// `nil` if the server does not report it.
  package let name: String?

  package init(serverID: Fingerprint, id: String?, name: String?) {
    (self.serverID, self.id, self.name) = (serverID, id, name)
  }
}

extension WorkspaceLabel {
  package init(server: PairedServer, id: String?, name: String?) {
    self.init(serverID: server.id, id: id, name: name)
  }

  package init(_ session: Session, on server: PairedServer) {
    self.init(server: server, id: session.workspaceID, name: session.workspaceName)
  }

  package var reference: WorkspaceReference? {
    id.flatMap { WorkspaceReference(serverID: serverID, workspaceID: $0) }
  }

  static let shape: JSONShape<WorkspaceLabel> = [
    .text("id", "Its composite id, or null") { $0.reference?.description },
    .text("name", "Its name, or null") { $0.name },
  ]
}

extension JSONMember {
  package static func server(
    _ meaning: String = "The server",
    _ server: @escaping @Sendable (Value) -> PairedServer
  ) -> JSONMember {
    .server(meaning, id: { server($0).id }, name: { server($0).name })
  }

  /// Declares the member `server` for values that have only the server's id and name.
  package static func server(
    _ meaning: String = "The server",
    id: @escaping @Sendable (Value) -> Fingerprint,
    name: @escaping @Sendable (Value) -> String
  ) -> JSONMember {
    let shape: JSONShape<Value> = [
      .text("id", "Its identity") { id($0).text }, .text("name", "Its local name", name),
    ]
    return .object("server", meaning, shape) { $0 }
  }

  package static func workspace(
    _ meaning: String = "The workspace",
    _ workspace: @escaping @Sendable (Value) -> WorkspaceLabel?
  ) -> JSONMember {
    .object("workspace", meaning, WorkspaceLabel.shape, workspace)
  }
}
