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
  /// Whether `input` is all of it; what is longer than anybody reads is kept in part.
  package var isWhole = true
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
package enum PermissionDecision: Sendable {
  /// For this one call.
  case allow
  /// For calls of the same kind, too, as long as the session lives.
  case allowForSession
  /// For calls of the same kind in every session, until the rule is taken back.
  case allowEverywhere
  case deny

  /// The word on the wire: of all words only `deny` refuses.
  package var action: String { self == .deny ? "deny" : "allow" }

  /// What it holds for, on the wire; any other word would hold everywhere and for ever.
  package var scope: String {
    switch self {
    case .allow, .deny: "once"
    case .allowForSession: "session"
    case .allowEverywhere: "global"
    }
  }
}
