// SPDX-License-Identifier: MIT

/// A tool call that waits for the user's word, as it is listed: texts are on one line, bounded and
/// safe to show.
package struct PendingApproval: Sendable, Equatable {
  package var id: String
  package var tool: String
  /// What the call would do, in the server's words; of a long one the start.
  package var summary: String
  package var reason: String?
  package var risk: Risk
  /// When it is denied by itself, on this machine's clock; `nil` where it is never.
  package var expiresAt: Timestamp?
  /// Tells what would run from anything else under the same id, as long as the program runs; 0 where
  /// that is not known.
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

  /// Lists a request.
  ///
  /// - Parameters:
  ///   - request: The server's request.
  ///   - clockOffset: How far the server's clock is ahead of this machine's.
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
  /// The highest risk first, then what expires soonest; what never does comes last.
  package static func < (first: Self, second: Self) -> Bool {
    if first.risk != second.risk { return first.risk > second.risk }
    let last = Timestamp(milliseconds: .max)
    return (first.expiresAt ?? last, first.id) < (second.expiresAt ?? last, second.id)
  }
}

extension PendingApproval {
  /// Whether it was denied by itself.
  package func hasExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }

  /// How many whole seconds are left to decide; `nil` where there is no end.
  package func secondsLeft(at now: Timestamp) -> Int? { expiresAt.map { now.age(at: $0) } }
}
