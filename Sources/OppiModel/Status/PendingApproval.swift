// SPDX-License-Identifier: MIT

/// A request that needs a human, as listed: texts are on one line, limited and safe to show.
package struct PendingApproval: Sendable, Equatable {
  package var id: String
  package var kind = HumanRequest.Kind.permission
  /// The tool to be called; for a dialog, its kind.
  package var tool: String
  /// The server's summary of the call, or the text of a dialog, cut if long.
  package var summary: String
  /// The reason that the server gives, or the extension that asks.
  package var reason: String?
  /// Estimated; the risk of a dialog serves only for sorting and for refusing a hasty answer.
  package var risk: Risk
  /// When it expires and is denied or cancelled, on this machine's clock; `nil` if never.
  package var expiresAt: Timestamp?
  /// The SHA-256 of its content, in hexadecimal digits; empty if unknown.
  package var digest = ""

  package init(
    id: String,
    tool: String,
    summary: String,
    reason: String? = nil,
    risk: Risk,
    expiresAt: Timestamp? = nil
  ) {
    self.id = id
    self.tool = tool
    self.summary = summary
    self.reason = reason
    self.risk = risk
    self.expiresAt = expiresAt
  }

  /// Its summary comes from the call itself, not from the server's description; `clockOffset` is how
  /// far the server's clock is ahead of this machine's.
  package init(_ request: HumanRequest, clockOffset: Duration) {
    (id, kind, risk) = (request.id, request.kind, request.risk)
    tool = request.permission?.tool.safeLine(limit: 60) ?? request.kind.word
    summary = request.line.safeLine(limit: 400)
    reason =
      request.permission?.reason?.safeLine(limit: 200)
      ?? request.question?.extensionName.map { "asked by \($0)" }
    digest = request.digest
    expiresAt = request.timeoutAt?.moved(by: .zero - clockOffset)
  }

  static let shape = RecordShape(
    // An unknown risk may be any.
    PendingApproval(id: "", tool: "", summary: "", risk: .high),
    [
      .required("id", { $1(&$0.id) }, .wireID).means("The request's id"),
      .defaulted("kind", { $1(&$0.kind) }, .kind)
        .means("permission for a tool call; for a dialog ask, select, confirm, input or editor"),
      .defaulted("tool", { $1(&$0.tool) }, .line(60)).means(
        "The tool to be called, or the dialog's kind"
      ),
      .defaulted("summary", { $1(&$0.summary) }, .line(400))
        .means("A summary of the call or the dialog's text, truncated if long"),
      .optional("reason", { $1(&$0.reason) }, .line(200))
        .means("The reason given by the server, or the extension that asks; absent if none"),
      .defaulted("risk", { $1(&$0.risk) }, .word)
        .means("The estimated risk: read, write, exfiltration, destructive or high"),
      .optional("expiresAt", { $1(&$0.expiresAt) }, .milliseconds)
        .means("When it is auto-denied, on this machine's clock; absent if never"),
      .defaulted("sha256", { $1(&$0.digest) }, .line(64)).means("The SHA-256 of its content"),
    ]
  )
}

extension PendingApproval: Comparable {
  /// The highest risk first, then the earliest expiry; requests that never expire come last.
  package static func < (first: Self, second: Self) -> Bool {
    if first.risk != second.risk { return first.risk > second.risk }
    let last = Timestamp(milliseconds: .max)
    return (first.expiresAt ?? last, first.id) < (second.expiresAt ?? last, second.id)
  }
}

extension PendingApproval {
  /// The estimated risk of a call in words; `nil` for a dialog, of which only a text is known.
  package var riskWord: String? { kind == .permission ? risk.word : nil }

  /// Whether the request has expired, which denies it.
  package func hasExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

  /// The whole seconds left to decide; `nil` if the request never expires.
  package func secondsLeft(at now: Timestamp) -> Int? { expiresAt.map { now.age(at: $0) } }
}

extension JSONField<HumanRequest.Kind> {
  fileprivate static var kind: JSONField { spelled(\.word) { HumanRequest.Kind($0) } }
}

extension JSONField<Risk> {
  fileprivate static var word: JSONField {
    spelled(\.word) { word in Risk.allCases.first { $0.word == word } }
  }
}
