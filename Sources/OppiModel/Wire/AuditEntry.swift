// SPDX-License-Identifier: MIT

/// A decision on a tool call in the server's log; texts are safe to show on one line.
package struct AuditEntry: Sendable, Equatable {
  static let summaryLimit = 4096

  package var id: String
  package var at: Timestamp
  package var sessionID: String?
  package var workspaceID: String?
  package var tool: String
  package var summary: String
  package var isAllowed: Bool
  /// `policy`, `user`, `timeout` or `extension_lost`, or a newer value.
  package var decidedBy: String
  /// The scope of a user's decision: `once`, `session` or `global`.
  package var scope: String?
  /// The description of the rule that decided.
  package var rule: String?

  /// A summary as it is kept, on one line and safe to show.
  static func summary(of text: String) -> String {
    RevealedText(text.head(bytes: summaryLimit)).line
  }

  /// Reads the server's object; `nil` if it has no id.
  package init?(json: JSONValue) {
    guard let id = json["id"].wireID else { return nil }
    self.id = id
    at = Timestamp(milliseconds: json["timestamp"].int ?? 0)
    sessionID = json["sessionId"].wireID
    workspaceID = json["workspaceId"].wireID
    tool = json["tool"].line(60) ?? ""
    summary = Self.summary(of: json["displaySummary"].text(.sentence) ?? "")
    // Every value other than `allow` counts as a denial.
    isAllowed = json["decision"] == "allow"
    decidedBy = json["resolvedBy"].line(40) ?? ""
    scope = json["userChoice"]["scope"].line(40)
    rule = json["ruleSummary"].line(200)
  }
}
