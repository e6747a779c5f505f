// SPDX-License-Identifier: MIT

import OppiModel

/// A workspace in JSON objects.
struct WorkspaceLabel {
  let serverID: Fingerprint
  /// `nil` if the server does not report it.
  let id: String?
  /// `nil` if the server does not report it.
  let name: String?
}

extension WorkspaceLabel {
  init(server: PairedServer, id: String?, name: String?) {
    self.init(serverID: server.id, id: id, name: name)
  }

  init(_ session: Session, on server: PairedServer) {
    self.init(server: server, id: session.workspaceID, name: session.workspaceName)
  }

  var reference: WorkspaceReference? {
    id.flatMap { WorkspaceReference(serverID: serverID, workspaceID: $0) }
  }

  static let shape: JSONShape<WorkspaceLabel> = [
    .text("id", "Its composite id, or null") { $0.reference?.description },
    .text("name", "Its name, or null") { $0.name },
  ]
}

extension JSONMember {
  static func server(
    _ meaning: String = "The server",
    _ server: @escaping @Sendable (Value) -> PairedServer
  ) -> JSONMember {
    .server(meaning, id: { server($0).id }, name: { server($0).name })
  }

  /// Declares the member `server` for values that have only the server's id and name.
  static func server(
    _ meaning: String = "The server",
    id: @escaping @Sendable (Value) -> Fingerprint,
    name: @escaping @Sendable (Value) -> String
  ) -> JSONMember {
    let shape: JSONShape<Value> = [
      .text("id", "Its identity") { id($0).text }, .text("name", "Its local name", name),
    ]
    return .object("server", meaning, shape) { $0 }
  }

  static func workspace(
    _ meaning: String = "The workspace",
    _ workspace: @escaping @Sendable (Value) -> WorkspaceLabel?
  ) -> JSONMember {
    .object("workspace", meaning, WorkspaceLabel.shape, workspace)
  }
}
