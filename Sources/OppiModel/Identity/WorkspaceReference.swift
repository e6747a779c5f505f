// SPDX-License-Identifier: MIT

/// The composite id of a workspace over all paired servers: `<serverFingerprint>|<workspaceId>`.
///
/// The separator is `|` because fingerprints contain `:`.
package struct WorkspaceReference: Sendable, Hashable {
  package let serverID: Fingerprint
  package let workspaceID: String

  /// Joins the two halves; `nil` where the workspace id is not one.
  package init?(serverID: Fingerprint, workspaceID: String) {
    guard WireID.isValid(workspaceID) else { return nil }
    self.serverID = serverID
    self.workspaceID = workspaceID
  }

  /// Parses the written form strictly; `nil` for anything else.
  package init?(_ text: some StringProtocol) {
    let halves = text.split(separator: "|", omittingEmptySubsequences: false)
    guard halves.count == 2, let serverID = Fingerprint(halves[0]) else { return nil }
    self.init(serverID: serverID, workspaceID: String(halves[1]))
  }
}

extension WorkspaceReference: CustomStringConvertible {
  package var description: String { "\(serverID)|\(workspaceID)" }
}
