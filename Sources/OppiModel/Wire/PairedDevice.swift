// SPDX-License-Identifier: MIT

/// A device that is or was paired with a server; texts are safe to show on one line.
package struct PairedDevice: Sendable, Equatable {
  package var id: String
  /// Any text, not unique.
  package var name: String
  package var createdAt: Timestamp?
  /// `nil` if it was never used.
  package var lastUsedAt: Timestamp?
  /// `nil` unless it was revoked.
  package var revokedAt: Timestamp?
  /// Whether the server has its key; without one, it cannot get access.
  package var hasKey: Bool

  /// Reads the server's object; `nil` if it has no valid id.
  package init?(json: JSONValue) {
    guard let id = json["id"].wireID else { return nil }
    self.id = id
    name = json["name"].line(80) ?? ""
    createdAt = json["createdAt"].int.map(Timestamp.init(milliseconds:))
    lastUsedAt = json["lastUsedAt"].int.map(Timestamp.init(milliseconds:))
    revokedAt = json["revokedAt"].int.map(Timestamp.init(milliseconds:))
    hasKey = json["keyEnrolled"].bool ?? true
  }

  package var isRevoked: Bool { revokedAt != nil }
}
