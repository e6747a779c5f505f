// SPDX-License-Identifier: MIT

/// The last known state of one session and the alerts already shown for it.
struct WatchedSession: Sendable {
  /// The subject of an alert, which is shown once.
  enum Subject: Sendable, Hashable {
    case approval(id: String, content: Int)
    case expiring(id: String, content: Int)
    case question(String)
    case end(Timestamp)
    case longTurn(Timestamp)
  }

  /// The subject of the last alert; `nil` if there was none or its notification was lost.
  var shown: Subject? {
    didSet { isShowing = shown != nil }
  }
  /// Whether the notification may still be visible.
  var isShowing = false
  /// Whether a turn was running or waiting for the user in the last snapshot.
  private var wasAtWork: Bool
  /// The message count and the time of the last activity in the last snapshot.
  private var messageCount: Int
  private var lastActivity: Timestamp
  /// The start of the long turn that was reported.
  private var longTurn: Timestamp?
  /// When the pending requests were first seen.
  private var firstSeen: [String: Timestamp] = [:]
  private var toldAt: Timestamp?

  /// Turns that ended before the first snapshot of the server are not reported.
  init(_ session: SessionStatus, isFirst: Bool) {
    wasAtWork = !isFirst && session.isAtWork
    messageCount = isFirst ? session.messageCount : 0
    lastActivity = isFirst ? session.lastActivity : Timestamp(milliseconds: 0)
  }

  /// Whether the visible notification asks for an action that is no longer needed.
  private(set) var isOver = false

  /// Processes a snapshot; returns the alert to show, or `nil` for nothing new.
  mutating func look(
    _ session: SessionStatus,
    at now: Timestamp,
    isQuiet: Bool
  ) -> Alert.Kind? {
    defer { note(session, at: now) }
    let approvals = session.approvals.filter { !$0.hasExpired(at: now) }
    for approval in approvals where firstSeen[approval.id] == nil {
      firstSeen[approval.id] = now
    }
    if let approval = approvals.min() {
      return tellOfWait(for: approval, count: approvals.count, at: now, isQuiet: isQuiet)
    }
    if let question = session.question {
      return tellOfWait(.question(question), as: .question(question.text), isQuiet: isQuiet)
    }
    let ending = ending(of: session)
    isOver = isShowing && isShownUrgent && ending == nil
    if let ending {
      let end = session.turn?.endedAt ?? session.lastActivity
      return tellOfPast(ending, as: .end(end), at: now, isQuiet: isQuiet)
    }
    guard session.phase == .running, let start = session.turn?.startedAt, longTurn != start,
      Duration.seconds(start.age(at: now)) >= AlertDesk.longTime
    else { return nil }
    longTurn = start
    return tellOfPast(.runningLong, as: .longTurn(start), at: now, isQuiet: isQuiet)
  }

  private mutating func note(_ session: SessionStatus, at now: Timestamp) {
    wasAtWork = session.isAtWork
    messageCount = session.messageCount
    lastActivity = session.lastActivity
    let pending = Set(session.approvals.map(\.id))
    firstSeen = firstSeen.filter { pending.contains($0.key) }
  }

  /// The result of a turn that ended since the last snapshot; `nil` if none did.
  private func ending(of session: SessionStatus) -> Alert.Kind? {
    guard !session.isAtWork else { return nil }
    // The end of an idle session is an activity too, but every turn adds a message. A server may
    // add a little more to a turn that was already seen to be over.
    let hasMoved = session.lastActivity.milliseconds - lastActivity.milliseconds > 1000
    let hasTurn = session.messageCount > messageCount
    guard wasAtWork || hasMoved && hasTurn else { return nil }
    if session.phase == .failed { return .failed(session.turn?.failure ?? "the turn failed") }
    return .finished(session.turn?.end ?? .unknown)
  }

  /// Reports the most urgent request, and again when it is about to expire.
  private mutating func tellOfWait(
    for approval: PendingApproval,
    count: Int,
    at now: Timestamp,
    isQuiet: Bool
  ) -> Alert.Kind? {
    isOver = false
    if isExpiring(approval, at: now) {
      let subject = Subject.expiring(id: approval.id, content: approval.contentHash)
      guard shown != subject, !isQuiet else { return nil }
      shown = subject
      return .expiring(approval, of: count)
    }
    guard shown != .expiring(id: approval.id, content: approval.contentHash) else { return nil }
    return tellOfWait(
      .approval(approval, of: count),
      as: .approval(id: approval.id, content: approval.contentHash),
      isQuiet: isQuiet
    )
  }

  /// Whether little remains of the time that was left when the request was first seen.
  private func isExpiring(_ approval: PendingApproval, at now: Timestamp) -> Bool {
    guard let end = approval.expiresAt, let begin = firstSeen[approval.id], begin < now else {
      return false
    }
    return ApprovalPolicy.isExpiring(
      in: .milliseconds(end.milliseconds - now.milliseconds),
      of: .milliseconds(end.milliseconds - begin.milliseconds)
    )
  }

  /// Reports once that an action is required; in quiet hours the alert is delayed.
  private mutating func tellOfWait(
    _ kind: Alert.Kind,
    as subject: Subject,
    isQuiet: Bool
  ) -> Alert.Kind? {
    isOver = false
    guard shown != subject, !isQuiet else { return nil }
    shown = subject
    return kind
  }

  /// Reports a past event, at limited frequency; events in quiet hours are not reported later.
  private mutating func tellOfPast(
    _ kind: Alert.Kind,
    as subject: Subject,
    at now: Timestamp,
    isQuiet: Bool
  ) -> Alert.Kind? {
    let isTooSoon = toldAt.map { Duration.seconds($0.age(at: now)) < AlertDesk.pause } ?? false
    guard shown != subject, !isQuiet, kind.isUrgent || !isTooSoon else {
      // An earlier alert that required an action is over nevertheless.
      isOver = isShowing && isShownUrgent
      return nil
    }
    if !kind.isUrgent { toldAt = now }
    shown = subject
    isOver = false
    return kind
  }

  private var isShownUrgent: Bool {
    switch shown {
    case .approval, .expiring, .question: true
    case .end, .longTurn, nil: false
    }
  }
}

extension SessionStatus {
  fileprivate var isAtWork: Bool { phase == .running || phase == .waiting }
}
