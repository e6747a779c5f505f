// SPDX-License-Identifier: MIT

package import OppiText

/// A tool call that needs approval; its lengths are limited, and a cut request is not whole.
package struct PermissionRequest: Sendable, Equatable {
  /// Enough for the longest command that is classified, and its arguments.
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
  /// The server's deadline on the server's clock; `nil` if there is none.
  package var timeoutAt: Timestamp?
  /// Whether nothing of the call is left out; if not, it can only be denied.
  package let isWhole: Bool
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
    // Without an input, the call is known only by its summary.
    let tellsAll = input != .null || !summary.isEmpty && self.summary == summary
    isWhole = self.input == input && self.tool == tool && tellsAll
    // The part that is left out may be the most dangerous.
    risk =
      isWhole && self.reason == reason
      ? Risk(tool: self.tool, input: self.input, reason: reason ?? "") : .high
  }

  /// All that a decision is about.
  package var subject: JSONValue {
    [.string(tool), input.sorted, .string(summary), .bool(isWhole)]
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

/// The decision on a tool call; the server treats any unknown value as an approval.
package enum PermissionDecision: Sendable {
  /// For this call only.
  case allow
  /// Also for similar calls until the session ends.
  case allowForSession
  /// Also for similar calls in every session, until the rule is removed.
  case allowEverywhere
  case deny

  /// The protocol's value; only `deny` denies.
  package var action: String { self == .deny ? "deny" : "allow" }

  /// The scope in the protocol; the server treats any unknown value as permanent and global.
  package var scope: String {
    switch self {
    case .allow, .deny: "once"
    case .allowForSession: "session"
    case .allowEverywhere: "global"
    }
  }
}
