// SPDX-License-Identifier: MIT

/// A tool call that waits for approval, as listed: texts are on one line, limited and safe to show.
package struct PendingApproval: Sendable, Equatable {
  package var id: String
  package var tool: String
  /// The server's summary of the call, cut if long.
  package var summary: String
  package var reason: String?
  package var risk: Risk
  /// When it expires and is denied, on this machine's clock; `nil` if never.
  package var expiresAt: Timestamp?
  /// Identifies the content of the call within this process; 0 if unknown.
  package var contentHash = 0

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

  /// `clockOffset` is how far the server's clock is ahead of this machine's.
  package init(_ request: PermissionRequest, clockOffset: Duration) {
    id = request.id
    tool = request.tool.safeLine(limit: 60)
    summary = RevealedText(request.summary).line.safeLine(limit: 400)
    reason = request.reason?.safeLine(limit: 200)
    risk = request.risk
    contentHash = request.contentHash
    expiresAt = request.timeoutAt?.moved(by: .zero - clockOffset)
  }
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
  /// Whether the request has expired, which denies it.
  package func hasExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

  /// The whole seconds left to decide; `nil` if the request never expires.
  package func secondsLeft(at now: Timestamp) -> Int? { expiresAt.map { now.age(at: $0) } }
}
