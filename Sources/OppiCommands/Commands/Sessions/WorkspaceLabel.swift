// SPDX-License-Identifier: MIT

import OppiModel

/// A workspace as objects about sessions name it.
struct WorkspaceLabel {
  let server: PairedServer
  /// `nil` where the server does not say.
  let id: String?
  /// `nil` where the server does not say.
  let name: String?

  init(server: PairedServer, id: String?, name: String?) {
    self.server = server
    self.id = id
    self.name = name
  }

  /// The workspace of a session.
  init(_ session: Session, on server: PairedServer) {
    self.init(server: server, id: session.workspaceID, name: session.workspaceName)
  }

  static let shape: JSONShape<WorkspaceLabel> = [
    .member("id", "Its composite id, or null") { label in
      label.id.flatMap { WorkspaceReference(serverID: label.server.id, workspaceID: $0) }
        .map { .string($0.description) } ?? .null
    },
    .member("name", "Its name, or null") { $0.name.map(JSONValue.string) ?? .null },
  ]
}
