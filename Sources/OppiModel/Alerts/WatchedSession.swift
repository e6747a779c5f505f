// SPDX-License-Identifier: MIT

import OppiText

/// The last known state of one session, the last alert about it, and what its notification shows.
struct WatchedSession: Sendable {
  /// A pending request, identified by its content.
  enum Request: Sendable, Hashable {
    case approval(id: String, content: String)
    case question(String)

    init(_ approval: PendingApproval) {
      self = .approval(id: approval.id, content: approval.digest)
    }
  }

  /// The subject of an alert.
  enum Subject: Sendable, Hashable {
    case request(Request, isExpiring: Bool = false)
    case end(Timestamp, hasFailed: Bool)
    case longTurn(Timestamp)

    /// `nil` for a past event.
    var request: Request? {
      if case .request(let request, _) = self { request } else { nil }
    }
  }

  /// Where the last alert may still be visible.
  enum Medium: Sendable, Equatable {
    /// In the session's own notification.
    case own
    /// In the notification of the group, with this alert.
    case group(Alert)
  }

  /// How long before the previous snapshot a new turn may seem to have ended: a snapshot takes time,
  /// and clocks are compared to the second.
  private static let leeway = Duration.seconds(60)

  var medium: Medium?
  /// Whether the visible alert asks for an action that is no longer needed.
  private(set) var isOver = false
  /// The subject of the last alert; `nil` if its request is no longer pending.
  private var reported: Subject?
  /// What is on the screen, or was until a result replaced it.
  ///
  /// It is not the last alert if the user was reminded of another request.
  private(set) var displayed: Subject?
  /// Whether a pending request must be shown again.
  private var isLost = false
  /// Whether a turn was running or waiting for the user in the last snapshot.
  private var wasAtWork: Bool
  private var hadFailed: Bool
  /// The message count and the time of the last activity in the last snapshot.
  private var messageCount: Int
  private var lastActivity: Timestamp
  /// Whether the last turn ended without its outcome having been read.
  private var isEndUnread = false
  /// The start of the long turn that was reported.
  private var longTurn: Timestamp?
  /// When the pending requests were first seen.
  private var firstSeen: [String: Timestamp] = [:]
  private var toldAt: Timestamp?

  /// Creates the state of a session that is seen for the first time.
  ///
  /// `previous` is the time of the server's previous snapshot, `nil` if there was none: earlier turns
  /// are not reported. A session that it did not list is new, or was opened again after days.
  init(_ session: SessionStatus, since previous: Timestamp?) {
    let isNews = previous.map { session.isNews(since: $0.moved(by: .zero - Self.leeway)) } ?? false
    wasAtWork = false
    hadFailed = !isNews && session.phase == .failed
    messageCount = isNews ? 0 : session.messageCount
    lastActivity = isNews ? Timestamp(milliseconds: 0) : session.lastActivity
  }

  /// The alert that the group's notification shows; `nil` if there is none.
  var grouped: Alert? {
    if case .group(let alert)? = medium { alert } else { nil }
  }

  /// Records that a pending request must be shown again.
  mutating func forgetShown() { isLost = true }

  /// Records that a request is shown in place of the last alert.
  mutating func remind(_ alert: Alert) {
    (displayed, isLost) = (alert.approval.map { .request(Request($0)) }, false)
  }

  /// Processes a snapshot; returns the alert to show and whether it was shown before, or `nil` for
  /// nothing new.
  ///
  /// What needs an action is reported once, after quiet hours if it is still pending; past events
  /// are reported at limited frequency, and not later if they occurred in quiet hours.
  mutating func look(
    _ session: SessionStatus,
    at now: Timestamp,
    isQuiet: Bool
  ) -> (kind: Alert.Kind, isRepeated: Bool)? {
    defer { note(session, at: now) }
    let approvals = session.approvals.filter { !$0.hasExpired(at: now) }
    forgetRequests(besides: approvals.map(Request.init), session.question)
    guard let (kind, subject) = news(of: session, approvals, at: now), !isQuiet else { return nil }
    let isRepeated = subject == reported
    guard !isRepeated || isLost && subject.request != nil else { return nil }
    if !kind.isUrgent {
      // A clock that was set back must not delay the next one for years.
      let age = toldAt?.knownAge(at: now).map { Duration.seconds($0) }
      if let age, age < AlertTracker.pause { return nil }
      toldAt = now
    }
    (reported, displayed, isLost, isOver) = (subject, subject, false, false)
    return (kind, isRepeated)
  }

  /// Forgets requests that are no longer pending, which may come again as they were.
  private mutating func forgetRequests(
    besides approvals: [Request],
    _ question: SessionStatus.Question?
  ) {
    let pending = approvals + (question.map { [.question($0.text)] } ?? [])
    func isGone(_ subject: Subject?) -> Bool {
      subject?.request.map { !pending.contains($0) } ?? false
    }
    if isGone(reported) { reported = nil }
    isOver = isGone(displayed)
    if isOver { (displayed, isLost) = (nil, true) }
  }

  /// The alert about the session, even if it was reported before; `nil` if there is none.
  private mutating func news(
    of session: SessionStatus,
    _ approvals: [PendingApproval],
    at now: Timestamp
  ) -> (kind: Alert.Kind, subject: Subject)? {
    // A clock that was set back must not hide that a request is about to expire.
    for approval in approvals where firstSeen[approval.id].map({ $0 > now }) ?? true {
      firstSeen[approval.id] = now
    }
    if let approval = approvals.min() {
      let request = Request(approval)
      let expiring = Subject.request(request, isExpiring: true)
      if reported == expiring || isExpiring(approval, at: now) {
        return (.expiring(approval, of: approvals.count), expiring)
      }
      return (.approval(approval, of: approvals.count), .request(request))
    }
    if let question = session.question {
      return (.question(question), .request(.question(question.text)))
    }
    if let ending = ending(of: session) {
      let end = session.turn?.endedAt ?? session.lastActivity
      return (ending, .end(end, hasFailed: session.phase == .failed))
    }
    guard session.phase == .running, let start = session.turn?.startedAt, longTurn != start,
      Duration.seconds(start.age(at: now)) >= AlertTracker.longTime
    else { return nil }
    longTurn = start
    return (.runningLong, .longTurn(start))
  }

  private mutating func note(_ session: SessionStatus, at now: Timestamp) {
    wasAtWork = session.isAtWork
    hadFailed = session.phase == .failed
    messageCount = session.messageCount
    lastActivity = session.lastActivity
    let pending = Set(session.approvals.map(\.id))
    firstSeen = firstSeen.filter { pending.contains($0.key) }
  }

  /// The result of a turn that ended since the last snapshot, or whose failure was read since; `nil`
  /// if there is none.
  private mutating func ending(of session: SessionStatus) -> Alert.Kind? {
    guard !session.isAtWork else { return nil }
    let hasFailed = session.phase == .failed
    // The end of an idle session is an activity too, but every turn adds a message. A server may
    // add a little more to a turn that was already seen to be over.
    let hasMoved = session.lastActivity.milliseconds - lastActivity.milliseconds > 1000
    let hasTurn = session.messageCount > messageCount
    let hasEnded = wasAtWork || hasMoved && hasTurn
    // Without a turn, the agent could not be started.
    let isNewFailure = !hadFailed && (session.messageCount == 0 || isEndUnread && !hasMoved)
    isEndUnread = session.turn == nil && (hasEnded || isEndUnread && !hasMoved)
    guard hasEnded || hasFailed && isNewFailure else { return nil }
    if hasFailed {
      let reason = session.messageCount == 0 ? "the agent could not start" : "the turn failed"
      return .failed(session.turn?.failure ?? reason)
    }
    return .finished(session.turn?.end ?? .unknown)
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
}

extension SessionStatus {
  /// Whether a session that was not listed before a moment may have had a turn since.
  fileprivate func isNews(since moment: Timestamp) -> Bool {
    // Conversations have the times of their turns; other failures are those of a loaded agent.
    if let time = turn?.endedAt ?? turn?.startedAt { return time > moment }
    return phase == .failed || createdAt.map { $0 > moment } == true
  }
}
