// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// A decision or an answer that this machine sent, with what was shown for it.
///
/// Has no typed text, which may be a secret, but the server's own options.
package struct SentReply: Sendable, Equatable {
  /// In bytes; a longer text is cut, and its digest is that of the whole.
  static let shownLimit = 4096
  private static let summaryLimit = 300

  package var at = Timestamp(milliseconds: 0)
  /// The command that sent it, such as `chat`.
  package var surface = ""
  /// Whether an option or a setting sent it, not the user.
  package var isAutomatic = false
  package var serverID: Fingerprint?
  package var server = ""
  package var sessionID: String?
  package var requestID = ""
  package var kind = ""
  package var tool = ""
  /// As in the server's own record.
  package var summary = ""
  package var reply = ""
  package var effect = RequestReply.Effect.answer
  package var result = ""
  /// The start of the text that was shown, not made safe to show.
  package var shown = ""
  /// The SHA-256 of the whole text.
  package var digest = ""

  /// The result of a reply that is being sent.
  package static let pending = "sent"

  /// A reply that is about to be sent.
  package init(
    _ reply: RequestReply,
    to request: HumanRequest,
    in sessionID: String?,
    at now: Timestamp
  ) {
    at = now
    self.sessionID = sessionID ?? request.sessionID
    (requestID, kind) = (request.id, request.kind.word)
    tool = request.permission?.tool.safeLine(limit: 60) ?? request.kind.word
    summary =
      request.permission.map { AuditEntry.summary(of: $0.summary) }
      ?? request.line.safeLine(limit: Self.summaryLimit)
    (self.reply, effect) = (reply.words(for: request), reply.effect(on: request))
    result = Self.pending
    let text = request.shownText
    shown = text.head(bytes: Self.shownLimit)
    digest = SHA256.hex(of: Array(text.utf8))
  }

  private init() {}

  /// Sets the result; `outcome` is `nil` if the server is not known to have received the reply.
  package mutating func end(_ outcome: DecisionOutcome?, at now: Timestamp) {
    (result, at) = (outcome?.word ?? "failed", now)
  }

  /// Whether this is the result of an earlier entry, which was written before the reply was sent.
  package func isResult(of earlier: SentReply) -> Bool {
    var end = self
    (end.at, end.result) = (earlier.at, Self.pending)
    return end == earlier && result != Self.pending
  }

  package static let shape = RecordShape(
    SentReply(),
    [
      .required("at", { $1(&$0.at) }, .iso8601),
      .defaulted("surface", { $1(&$0.surface) }, .line(40)),
      .defaulted("automatic", { $1(&$0.isAutomatic) }, .bool),
      .optional("serverId", { $1(&$0.serverID) }, .fingerprint),
      .defaulted("server", { $1(&$0.server) }, .line(80)),
      .optional("sessionId", { $1(&$0.sessionID) }, .wireID),
      .required("requestId", { $1(&$0.requestID) }, .line(200)),
      .defaulted("kind", { $1(&$0.kind) }, .line(40)),
      .defaulted("tool", { $1(&$0.tool) }, .line(60)),
      .defaulted("summary", { $1(&$0.summary) }, .line(AuditEntry.summaryLimit)),
      .required("reply", { $1(&$0.reply) }, .line(400)),
      .defaulted("effect", { $1(&$0.effect) }, .word),
      .required("result", { $1(&$0.result) }, .line(20)),
      .defaulted("shown", { $1(&$0.shown) }, .text),
      .defaulted("sha256", { $1(&$0.digest) }, .line(64)),
    ]
  )

  /// How far the clocks of a server and of this machine may differ.
  private static let clockTolerance = Duration.seconds(120)

  /// Whether an entry of a server's record is about the same decision.
  ///
  /// The file's summaries have only single spaces, and those of this program as many as the call.
  package func isRecorded(as entry: AuditEntry) -> Bool {
    let distance = entry.at.milliseconds - at.milliseconds
    let limit = AuditEntry.summaryLimit
    return entry.sessionID == sessionID && entry.tool == tool
      && entry.isAllowed == (effect == .allow)
      && .milliseconds(abs(distance)) <= Self.clockTolerance
      && entry.summary.safeLine(limit: limit) == summary.safeLine(limit: limit)
  }
}

extension DecisionOutcome {
  /// The result in the record.
  package var word: String {
    switch self {
    case .decided: "confirmed"
    case .tooLate: "too-late"
    case .changed: "changed"
    case .unconfirmed: "unconfirmed"
    case .unknown: "unknown"
    }
  }
}

extension RequestReply {
  /// The reply in words, without typed text.
  package func words(for request: HumanRequest) -> String {
    switch self {
    case .decision(.allow): "allow once"
    case .decision(.allowForSession): "allow for the session"
    case .decision(.allowEverywhere): "allow everywhere"
    case .decision(.deny): "deny"
    case .answer(.cancelled): "cancel"
    case .answer(.confirmed(let yes)): yes ? "yes" : "no"
    case .answer(.value(let value)):
      request.question?.options.first { $0.value == value }
        .map { RevealedText($0.label).line.safeLine(limit: 200) } ?? "own text"
    case .answer: "several answers"
    }
  }
}

extension HumanRequest {
  /// All texts that are shown for a decision, as the server wrote them.
  fileprivate var shownText: String {
    switch self {
    case .permission(let request):
      ([request.tool]
        + request.parts.map { [$0.label, $0.text].compactMap(\.self).joined(separator: ": ") })
        .joined(separator: "\n")
    case .question(let question):
      ([question.extensionName].compactMap(\.self) + question.shownTexts).joined(separator: "\n")
    }
  }
}

/// What is known about a decision after sending it.
package enum DecisionOutcome: Sendable, Equatable, CaseIterable {
  case decided
  /// The request was already decided, has expired or is gone.
  case tooLate
  /// Another call is pending under the request's id; nothing was decided.
  case changed
  /// Sent over a stream of an older server, which does not confirm; the call's next event shows it.
  case unconfirmed
  /// It was sent, and the result is unknown.
  case unknown

  package var isSettled: Bool { self == .decided || self == .tooLate }
}

extension PermissionDecision {
  package var past: String { self == .deny ? "denied" : "approved" }
}
