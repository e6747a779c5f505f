// SPDX-License-Identifier: MIT

/// A tool call that needs approval, with no more of it than a person could read: a part that is left
/// out makes it one that is not whole.
package struct PermissionRequest: Sendable, Equatable {
  /// Room for the longest command that is judged, and for what it is called with.
  private static let inputLimit = 132 << 10
  private static let summaryLimit = 16 << 10
  private static let toolLimit = 200
  private static let reasonLimit = 1024

  package let id: String
  package var sessionID: String?
  package var workspaceID: String?
  package let tool: String
  package let input: JSONValue
  package let summary: String
  package let reason: String?
  /// The server's deadline on the server's clock; `nil` where there is none.
  package var timeoutAt: Timestamp?
  /// Whether this is all that would run; where it is not, it can only be denied.
  package let isWhole: Bool
  /// What it may do at worst.
  package let risk: Risk

  package init(
    id: String,
    sessionID: String? = nil,
    workspaceID: String? = nil,
    tool: String,
    input: JSONValue,
    summary: String,
    reason: String? = nil,
    timeoutAt: Timestamp? = nil
  ) {
    self.id = id
    self.sessionID = sessionID
    self.workspaceID = workspaceID
    self.tool = tool.head(bytes: Self.toolLimit)
    self.input = input.bounded(bytes: Self.inputLimit)
    self.summary = summary.head(bytes: Self.summaryLimit)
    self.reason = reason?.head(bytes: Self.reasonLimit)
    self.timeoutAt = timeoutAt
    // Where there is no input the summary is all that is known of it.
    let tellsAll = input != .null || self.summary == summary
    isWhole = self.input == input && self.tool == tool && tellsAll
    // What was left out may be the worst of it.
    risk =
      isWhole && self.reason == reason
      ? Risk(tool: self.tool, input: self.input, reason: reason ?? "") : .high
  }
}

extension PermissionRequest {
  /// Reads the server's object, as pushed over a stream or listed over REST.
  package init?(json: JSONValue) {
    guard let id = json["id"].wireID else { return nil }
    self.init(
      id: id,
      sessionID: json["sessionId"].text(.name),
      workspaceID: json["workspaceId"].text(.name),
      tool: json["tool"].text(.name) ?? "",
      input: json["input"],
      summary: json["displaySummary"].text(.content) ?? "",
      reason: json["reason"].text(.sentence),
      timeoutAt: json["expires"] == false
        ? nil : json["timeoutAt"].int.map(Timestamp.init(milliseconds:))
    )
  }
}

/// The user's decision on a tool call; the server takes any other word for an approval.
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
