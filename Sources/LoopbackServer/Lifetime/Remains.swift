// SPDX-License-Identifier: MIT

package import OppiModel

extension LoopbackServer {
  /// What is left of a server that has ended; another one can start from it.
  package struct Remains: Sendable {
    /// The port that the next server takes again.
    package let port: Int
    /// The identity, which stays the same.
    package let fingerprint: Fingerprint
    /// The token that opens the server without pairing, which stays valid.
    package let ownerToken: String
    /// The workspaces, whose ids stay the same.
    package let workspaces: [Workspace]
    /// All tokens that open the server.
    let tokens: Set<String>
    let archive: Archive
  }
}

/// What a server has on disk.
struct Archive: Sendable {
  struct Session: Sendable {
    var record: SessionRecord
    var trace: Trace
  }

  var sessions: [Session] = []
  var choices = LastChoices()
  var approvedCommands: Set<String> = []
}
