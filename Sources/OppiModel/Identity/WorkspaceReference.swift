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

/// The ids that the server gives to workspaces, sessions and permission requests.
package enum WireID {
  /// Whether the text may stand in a request path as it is: 1 to 64 characters of base64url, which
  /// may begin with `-` or `_`.
  package static func isValid(_ text: some StringProtocol) -> Bool {
    (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isIDByte)
  }

  private static func isIDByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
