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

/// A server in JSON objects.
struct NamedServer {
  let id: Fingerprint
  let name: String

  static let shape: JSONShape<NamedServer> = [
    .text("id", "Its identity") { $0.id.text },
    .text("name", "Its local name") { $0.name },
  ]
}

extension JSONMember {
  static func server(
    _ meaning: String = "The server",
    _ server: @escaping @Sendable (Value) -> PairedServer
  ) -> JSONMember {
    .object("server", meaning, NamedServer.shape) { value in
      let server = server(value)
      return NamedServer(id: server.id, name: server.name)
    }
  }

  /// Declares the member `server` for values that have only the server's id and name.
  static func server(
    _ meaning: String = "The server",
    id: @escaping @Sendable (Value) -> Fingerprint,
    name: @escaping @Sendable (Value) -> String
  ) -> JSONMember {
    .object("server", meaning, NamedServer.shape) { NamedServer(id: id($0), name: name($0)) }
  }

  static func workspace(
    _ meaning: String = "The workspace",
    _ workspace: @escaping @Sendable (Value) -> WorkspaceLabel?
  ) -> JSONMember {
    .object("workspace", meaning, WorkspaceLabel.shape, workspace)
  }
}
