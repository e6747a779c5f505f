// SPDX-License-Identifier: MIT

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
