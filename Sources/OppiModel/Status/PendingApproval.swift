// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// A request that needs a human, as listed: texts are on one line, limited and safe to show.
package struct PendingApproval: Sendable, Equatable {
  package var id: String
  package var kind = RequestKind.permission
  package var needs = RequestNeed.approval
  /// The tool to be called; for a dialog, its kind.
  package var tool: String
  /// The server's summary of the call, or the text of a dialog, cut if long.
  package var summary: String
  /// The reason that the server gives, or the extension that asks, and what happens without an answer.
  package var reason: String?
  /// Estimated; `nil` if it is unknown.
  package var risk: Risk?
  /// When it expires and is denied or cancelled, on this machine's clock; `nil` if never.
  package var expiresAt: Timestamp?
  /// The SHA-256 of its content, in hexadecimal digits; empty if unknown.
  package var digest = ""

  package init(
    id: String,
    tool: String,
    summary: String,
    reason: String? = nil,
    risk: Risk?,
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
    (id, kind, needs, risk) = (request.id, request.kind, request.needs, request.risk)
    tool = request.permission?.tool.safeLine(limit: 60) ?? request.kind.word
    summary = request.line.safeLine(limit: 400)
    let asker = request.question?.extensionName.map { "asked by \($0)" }
    let notes = [asker, request.allowanceNote].compactMap(\.self)
    reason =
      request.permission?.reason?.safeLine(limit: 200)
      ?? (notes.isEmpty ? nil : notes.joined(separator: ", "))
    digest = request.digest
    expiresAt = request.timeoutAt?.moved(by: .zero - clockOffset)
  }

  static let shape = RecordShape(
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
      .custom("needs") {
        .string($0.needs.rawValue)
      } read: { word, _, approval in
        // Earlier files have no such member, and a select of theirs counted as a question.
        let isDecision = [.permission, .confirm].contains(approval.kind)
        approval.needs =
          word?.string.flatMap(RequestNeed.init(rawValue:)) ?? (isDecision ? .approval : .answer)
        return true
      }
      .means("approval or answer: what its session waits for"),
      .custom("risk") {
        $0.risk.map { .string($0.word) } ?? .null
      } read: { word, json, approval in
        // Earlier files have the worst risk of any word of a dialog, and no need. The risk of a newer
        // version may be any.
        let isKnown = word != .null && (approval.kind == .permission || json["needs"] != .null)
        let risk = Risk.allCases.first { $0.word == word?.string }
        approval.risk = isKnown ? risk ?? .high : nil
        return true
      }
      .means("The estimated risk: read, write, exfiltration, destructive or high; null if unknown"),
      .optional("expiresAt", { $1(&$0.expiresAt) }, .milliseconds)
        .means("When it is auto-denied, on this machine's clock; absent if never"),
      .defaulted("sha256", { $1(&$0.digest) }, .line(64)).means("The SHA-256 of its content"),
    ]
  )
}

extension PendingApproval: Comparable {
  /// An unknown risk is sorted as that of an unknown program.
  private static let unknownRisk = Risk.write

  private var urgency: Risk { risk ?? Self.unknownRisk }

  /// Whether neither comes first by its risk and its expiry.
  func isAsUrgent(as other: PendingApproval) -> Bool {
    urgency == other.urgency && expiresAt == other.expiresAt
  }

  /// The highest risk first, then the earliest expiry; requests that never expire come last.
  package static func < (first: Self, second: Self) -> Bool {
    guard first.urgency == second.urgency else { return first.urgency > second.urgency }
    let last = Timestamp(milliseconds: .max)
    return (first.expiresAt ?? last, first.id) < (second.expiresAt ?? last, second.id)
  }
}

extension PendingApproval {
  package var isHighRisk: Bool { risk?.isHigh ?? false }

  /// Whether the request has expired, which denies it.
  package func hasExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

  /// The whole seconds left to decide; `nil` if the request never expires.
  package func secondsLeft(at now: Timestamp) -> Int? { expiresAt.map { now.age(at: $0) } }
}

extension JSONField<RequestKind> {
  fileprivate static var kind: JSONField { spelled(\.word) { RequestKind($0) } }
}
