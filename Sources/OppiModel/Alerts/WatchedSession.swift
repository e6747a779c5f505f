// SPDX-License-Identifier: MIT

/// What is known and was told of one session.
struct WatchedSession: Sendable {
  /// What a notification can be about, to be told once.
  enum Subject: Sendable, Hashable {
    case approval(id: String, content: Int)
    case expiring(id: String, content: Int)
    case question(String)
    case end(Timestamp)
    case longTurn(Timestamp)
  }

  /// What was told last; `nil` where nothing was, or where it was lost.
  var shown: Subject? {
    didSet { isShowing = shown != nil }
  }
  /// Whether that may still be seen.
  var isShowing = false
  /// Whether a turn ran, or waited for a person, at the last look.
  private var wasAtWork: Bool
  /// How many messages it had, and when something happened in it last, as far as was seen.
  private var messageCount: Int
  private var lastActivity: Timestamp
  /// The long turn that was told of.
  private var longTurn: Timestamp?
  /// When the requests that wait were first seen.
  private var firstSeen: [String: Timestamp] = [:]
  private var toldAt: Timestamp?

  /// Begins to watch a session; what ended before its server was first looked at is old.
  init(_ session: SessionStatus, isFirst: Bool) {
    wasAtWork = !isFirst && session.isAtWork
    messageCount = isFirst ? session.messageCount : 0
    lastActivity = isFirst ? session.lastActivity : Timestamp(milliseconds: 0)
  }

  /// Whether what is shown asks for something that nobody needs to do any more.
  private(set) var isOver = false

  /// Takes a look, and returns what is to be told; `nil` for nothing new.
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

  /// What the turn came to that was over since the last look; `nil` where none was.
  private func ending(of session: SessionStatus) -> Alert.Kind? {
    guard !session.isAtWork else { return nil }
    // A session that ends at rest moves, too, but every turn has a message. A server may write down
    // a little more of a turn that was seen to be over.
    let hasMoved = session.lastActivity.milliseconds - lastActivity.milliseconds > 1000
    let hasTurn = session.messageCount > messageCount
    guard wasAtWork || hasMoved && hasTurn else { return nil }
    if session.phase == .failed { return .failed(session.turn?.failure ?? "the turn failed") }
    return .finished(session.turn?.end ?? .unknown)
  }

  /// Tells of the most urgent request, and once more when it is about to expire.
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

  /// Whether little is left of the time that there was when it was first seen.
  private func isExpiring(_ approval: PendingApproval, at now: Timestamp) -> Bool {
    guard let end = approval.expiresAt, let begin = firstSeen[approval.id], begin < now else {
      return false
    }
    return ApprovalPolicy.isExpiring(
      in: .milliseconds(end.milliseconds - now.milliseconds),
      of: .milliseconds(end.milliseconds - begin.milliseconds)
    )
  }

  /// Tells what somebody has to do, once; in quiet hours it waits.
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

  /// Tells what has happened, but not too often; what happened in quiet hours is old after them.
  private mutating func tellOfPast(
    _ kind: Alert.Kind,
    as subject: Subject,
    at now: Timestamp,
    isQuiet: Bool
  ) -> Alert.Kind? {
    let isTooSoon = toldAt.map { Duration.seconds($0.age(at: now)) < AlertDesk.pause } ?? false
    guard shown != subject, !isQuiet, kind.isUrgent || !isTooSoon else {
      // What asked for something before is over even so.
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
  /// Whether a turn runs, or waits for a person.
  fileprivate var isAtWork: Bool { phase == .running || phase == .waiting }
}
