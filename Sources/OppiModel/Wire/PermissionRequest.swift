// SPDX-License-Identifier: MIT

/// A tool call that waits for the user's word.
package struct PermissionRequest: Sendable, Equatable {
  package var id: String
  package var sessionID: String?
  package var workspaceID: String?
  package var tool: String
  package var input: JSONValue
  package var summary: String
  package var reason: String?
  /// The server's deadline on the server's clock; `nil` where there is none.
  package var timeoutAt: Timestamp?
}

extension PermissionRequest {
  /// Reads the server's object, as pushed over a stream or listed over REST.
  package init?(json: JSONValue) {
    guard let id = json["id"].string, WireID.isValid(id) else { return nil }
    self.init(
      id: id,
      sessionID: json["sessionId"].string,
      workspaceID: json["workspaceId"].string,
      tool: json["tool"].string ?? "",
      input: json["input"],
      summary: json["displaySummary"].string ?? "",
      reason: json["reason"].string,
      timeoutAt: json["expires"] == false
        ? nil : json["timeoutAt"].int.map(Timestamp.init(milliseconds:))
    )
  }
}

/// The user's word on a tool call; the server takes any other word for an approval.
package enum PermissionDecision: String, Sendable {
  case allow
  case deny
}
