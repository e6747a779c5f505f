// SPDX-License-Identifier: MIT

package import OppiModel

package struct ServerSession: Sendable, Equatable {
  package var server: PairedServer
  package var id: String
  /// `nil` if only the server knows it yet.
  package var workspaceID: String?
  package var workspaceName: String?

  package init(
    server: PairedServer,
    id: String,
    workspaceID: String? = nil,
    workspaceName: String? = nil
  ) {
    self.server = server
    self.id = id
    self.workspaceID = workspaceID
    self.workspaceName = workspaceName
  }
}
