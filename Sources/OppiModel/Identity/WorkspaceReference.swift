// SPDX-License-Identifier: MIT

/// The id of a workspace across all paired servers: `<serverFingerprint>|<workspaceId>`.
///
/// The separator is `|` because fingerprints contain `:`.
package struct WorkspaceReference: Sendable, Hashable {
  package let serverID: Fingerprint
  package let workspaceID: String

  /// Fails if the workspace id is invalid.
  package init?(serverID: Fingerprint, workspaceID: String) {
    guard WireID.isValid(workspaceID) else { return nil }
    self.serverID = serverID
    self.workspaceID = workspaceID
  }

  /// Parses `<serverFingerprint>|<workspaceId>`; `nil` for any other text.
  package init?(_ text: some StringProtocol) {
    let halves = text.split(separator: "|", omittingEmptySubsequences: false)
    guard halves.count == 2, let serverID = Fingerprint(halves[0]) else { return nil }
    self.init(serverID: serverID, workspaceID: String(halves[1]))
  }
}

extension WorkspaceReference: CustomStringConvertible {
  package var description: String { "\(serverID)|\(workspaceID)" }
}
