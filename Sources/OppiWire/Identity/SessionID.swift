// SPDX-License-Identifier: MIT

/// A session on its server.
///
/// Ids of sessions, workspaces and requests are unique only on their server: every lookup needs both.
package struct SessionID: Sendable, Hashable {
  package let serverID: Fingerprint
  package let sessionID: String

  package init(serverID: Fingerprint, sessionID: String) {
    self.serverID = serverID
    self.sessionID = sessionID
  }
}
