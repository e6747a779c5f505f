// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// What a server's gate does with tool calls; texts are safe to show on one line.
package struct ServerPolicy: Sendable, Equatable {
  /// A rule of the gate.
  package struct Rule: Sendable, Equatable {
    package var id: String
    /// `nil` for all tools.
    package var tool: String?
    /// `allow`, `ask` or `deny`, or a newer value.
    package var decision: String
    /// `session`, `workspace` or `global`.
    package var scope: String
    package var sessionID: String?
    /// `preset`, `learned` or `manual`.
    package var source: String
    /// A description by the server.
    package var label: String
    /// On the server's clock; `nil` if it does not expire.
    package var expiresAt: Timestamp?

    /// Whether a user's decision made the rule.
    package var isLearned: Bool { source == "learned" }

    /// Reads the server's object; `nil` if it has no id.
    package init?(json: JSONValue) {
      guard let id = json["id"].wireID else { return nil }
      self.id = id
      tool = json["tool"].line(60)
      decision = json["decision"].line(20) ?? ""
      scope = json["scope"].line(20) ?? ""
      sessionID = json["sessionId"].wireID
      source = json["source"].line(20) ?? ""
      let label = json["label"].text(.sentence) ?? json["pattern"].text(.sentence) ?? ""
      self.label = RevealedText(label.head(bytes: 4096)).line
      expiresAt = json["expiresAt"].int.map(Timestamp.init(milliseconds:))
    }
  }

  /// The decision without a matching rule: `allow`, `ask` or `deny`, or a newer value.
  package var fallback: String
  package var rules: [Rule]

  /// Reads the server's answer about the fallback; `nil` if it is none.
  package static func fallback(json: JSONValue) -> String? { json["fallback"].line(20) }

  package init(fallback: String, rules: [Rule]) {
    (self.fallback, self.rules) = (fallback, rules)
  }
}

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

  fileprivate func isAbout(_ request: PermissionRequest) -> Bool {
    sessionID == request.sessionID && tool == request.tool.safeLine(limit: 60)
      && summary == Self.summary(of: request.summary)
  }
}

/// How requests ended that a server no longer lists, by its record of decisions.
package enum RecordedDecisions {
  /// How much older an entry may be than the last list with the request.
  ///
  /// The list was made before it arrived; an entry that is older is about an earlier call.
  private static let tolerance = Duration.milliseconds(250)

  /// The entries that belong to requests, by the ids of the requests.
  ///
  /// The record does not name requests, so an entry belongs to a request with the same call of the
  /// same session. If several entries do, and they differ, none is returned.
  ///
  /// `listedAt` is when the requests were last listed, on the server's clock; earlier entries are
  /// about other calls.
  package static func entries(
    of requests: [PermissionRequest],
    in record: [AuditEntry],
    listedAt: Timestamp
  ) -> [String: AuditEntry] {
    let earliest = listedAt.moved(by: .zero - tolerance)
    let recent = record.filter { $0.at >= earliest }
    var found: [String: AuditEntry] = [:]
    for request in requests {
      let matches = recent.filter { $0.isAbout(request) }
      guard let first = matches.first,
        matches.allSatisfy({ ($0.isAllowed, $0.decidedBy) == (first.isAllowed, first.decidedBy) })
      else { continue }
      found[request.id] = first
    }
    return found
  }
}
