// SPDX-License-Identifier: MIT

import OppiModel

struct ServerSession: Sendable, Equatable {
  var server: PairedServer
  var id: String
  /// `nil` if only the server knows it yet.
  var workspaceID: String?
  var workspaceName: String?
}
