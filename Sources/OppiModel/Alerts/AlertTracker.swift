// SPDX-License-Identifier: MIT

/// Decides which alerts are shown and when: each event once, one notification per session, and none
/// in quiet hours.
///
/// Snapshots of the sessions go in; alerts to show or withdraw come out. Alerts held back in quiet
/// hours are shown with the first snapshot after them if they are still pending.
package struct AlertTracker: Sendable {
  package enum Effect: Sendable, Equatable {
    /// Shows an alert; it replaces the session's previous one.
    case raise(Alert)
    case raiseGroup([Alert])
    case withdraw(SessionPlace)
    case withdrawGroup
  }

  /// The minimum interval between non-urgent alerts of a session.
  package static let pause = Duration.seconds(30 * 60)
  /// The duration after which a running turn is reported.
  package static let longTime = Duration.seconds(60 * 60)
  /// The most alerts that are shown individually at a time.
  package static let groupLimit = 4

  private var sessions: [SessionPlace: WatchedSession] = [:]
  private var seenServers: Set<Fingerprint> = []
  private var group: Set<SessionPlace> = []

  package init() {}

  /// Records that no notification is visible, so that pending alerts are shown again.
  package mutating func forgetShown() {
    for place in sessions.keys { sessions[place]?.shown = nil }
    group = []
  }

  package mutating func forgetShown(of place: SessionPlace) {
    sessions[place]?.shown = nil
    group.remove(place)
  }

  /// Records that a session's notification was replaced by a different one.
  package mutating func replaced(_ place: SessionPlace) {
    sessions[place]?.isShowing = false
    group.remove(place)
  }

  /// Shows requests again that stay pending: one alert for each session, for its most urgent one.
  package mutating func remind(_ alerts: [Alert]) -> [Effect] {
    let chosen = Dictionary(alerts.map { ($0.place, $0) }) { first, second in
      second.isMoreUrgent(than: first) ? second : first
    }
    for place in chosen.keys { sessions[place]?.isShowing = true }
    return effects(Array(chosen.values), [])
  }

  /// Processes a snapshot of all sessions.
  ///
  /// - Parameters:
  ///   - fleet: The sessions; those of an unreachable server count as unchanged.
  ///   - now: The current time.
  ///   - isQuiet: Whether nothing may be shown now.
  /// - Returns: The effects, in the order in which they are to be performed.
  package mutating func look(
    _ fleet: FleetStatus,
    at now: Timestamp,
    isQuiet: Bool = false
  ) -> [Effect] {
    var raised: [Alert] = []
    var withdrawn: [SessionPlace] = []
    for server in fleet.servers where server.failure == nil && server.contactAt != nil {
      let isFirst = seenServers.insert(server.id).inserted
      for session in server.sessions {
        let place = SessionPlace(serverID: server.id, sessionID: session.id)
        var watched = sessions[place] ?? WatchedSession(session, isFirst: isFirst)
        if let kind = watched.look(session, at: now, isQuiet: isQuiet) {
          raised.append(Alert(place: place, kind: kind, server: server.name, session: session))
        } else if watched.isOver {
          withdrawn.append(place)
          watched.isShowing = false
        }
        sessions[place] = watched
      }
      let present = Set(server.sessions.map(\.id))
      withdrawn += forget { $0.serverID == server.id && !present.contains($0.sessionID) }
    }
    let present = Set(fleet.servers.map(\.id))
    seenServers.formIntersection(present)
    withdrawn += forget { !present.contains($0.serverID) }
    return effects(raised, withdrawn)
  }

  /// Forgets removed sessions; returns those with a visible notification.
  private mutating func forget(where isGone: (SessionPlace) -> Bool) -> [SessionPlace] {
    let gone = sessions.keys.filter(isGone)
    let shown = gone.filter { sessions[$0]?.isShowing == true }
    for place in gone { sessions[place] = nil }
    return shown.sorted { $0.sessionID < $1.sessionID }
  }

  private mutating func effects(_ raised: [Alert], _ withdrawn: [SessionPlace]) -> [Effect] {
    var effects: [Effect] = []
    let alerts = raised.sorted { $0.isMoreUrgent(than: $1) }
    if alerts.count > Self.groupLimit {
      // The group replaces individual notifications.
      for alert in alerts { effects.append(.withdraw(alert.place)) }
      effects.append(.raiseGroup(alerts))
      group.formUnion(alerts.map(\.place))
    } else {
      effects += alerts.map(Effect.raise)
      group.subtract(alerts.map(\.place))
    }
    let wasGrouped = group
    group.subtract(withdrawn)
    effects += withdrawn.filter { !wasGrouped.contains($0) }.map(Effect.withdraw)
    if !wasGrouped.isEmpty, group.isEmpty { effects.append(.withdrawGroup) }
    return effects
  }
}

extension Alert {
  /// Orders pending approvals first, by risk and remaining time, then the other urgent alerts.
  fileprivate func isMoreUrgent(than other: Alert) -> Bool {
    switch (approval, other.approval) {
    case (let mine?, let theirs?): mine < theirs
    case (_?, nil): true
    case (nil, _?): false
    case (nil, nil):
      (kind.isUrgent ? 0 : 1, place.sessionID)
        < (other.kind.isUrgent ? 0 : 1, other.place.sessionID)
    }
  }

  package var approval: PendingApproval? {
    switch kind {
    case .approval(let approval, _), .expiring(let approval, _), .again(let approval, _): approval
    default: nil
    }
  }
}

/// The last known state of one session and the alerts already shown for it.
struct WatchedSession: Sendable {
  /// The subject of an alert, which is shown once.
  enum Subject: Sendable, Hashable {
    case approval(id: String, content: Int)
    case expiring(id: String, content: Int)
    case question(String)
    case end(Timestamp)
    case longTurn(Timestamp)

    /// Whether it asks for an action of the user.
    var isPending: Bool {
      switch self {
      case .approval, .expiring, .question: true
      case .end, .longTurn: false
      }
    }
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
  ///
  /// What needs an action is reported once, after quiet hours if it is still pending; past events
  /// are reported at limited frequency, and not later if they occurred in quiet hours.
  mutating func look(
    _ session: SessionStatus,
    at now: Timestamp,
    isQuiet: Bool
  ) -> Alert.Kind? {
    defer { note(session, at: now) }
    let news = news(of: session, at: now)
    isOver = isShowing && shown?.isPending == true && news?.subject.isPending != true
    guard let (kind, subject) = news, shown != subject, !isQuiet else { return nil }
    if !kind.isUrgent {
      if let toldAt, Duration.seconds(toldAt.age(at: now)) < AlertTracker.pause { return nil }
      toldAt = now
    }
    (shown, isOver) = (subject, false)
    return kind
  }

  /// The alert about the session, even if it was reported before; `nil` if there is none.
  private mutating func news(
    of session: SessionStatus,
    at now: Timestamp
  ) -> (kind: Alert.Kind, subject: Subject)? {
    let approvals = session.approvals.filter { !$0.hasExpired(at: now) }
    for approval in approvals where firstSeen[approval.id] == nil {
      firstSeen[approval.id] = now
    }
    if let approval = approvals.min() {
      let expiring = Subject.expiring(id: approval.id, content: approval.contentHash)
      if shown == expiring || isExpiring(approval, at: now) {
        return (.expiring(approval, of: approvals.count), expiring)
      }
      let subject = Subject.approval(id: approval.id, content: approval.contentHash)
      return (.approval(approval, of: approvals.count), subject)
    }
    if let question = session.question {
      return (.question(question), .question(question.text))
    }
    if let ending = ending(of: session) {
      return (ending, .end(session.turn?.endedAt ?? session.lastActivity))
    }
    guard session.phase == .running, let start = session.turn?.startedAt, longTurn != start,
      Duration.seconds(start.age(at: now)) >= AlertTracker.longTime
    else { return nil }
    longTurn = start
    return (.runningLong, .longTurn(start))
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
  fileprivate var isAtWork: Bool { phase == .running || phase == .waiting }
}

/// A session on its server.
///
/// Ids of sessions, workspaces and requests are unique only on their server: every lookup needs both.
package struct SessionPlace: Sendable, Hashable {
  package let serverID: Fingerprint
  package let sessionID: String

  package init(serverID: Fingerprint, sessionID: String) {
    self.serverID = serverID
    self.sessionID = sessionID
  }
}

/// An event of a session that is reported to the user, also without a terminal.
package struct Alert: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// A request needs a human; `of` is the number of such requests in the session.
    case approval(PendingApproval, of: Int)
    /// The request is about to expire, which denies or cancels it.
    case expiring(PendingApproval, of: Int)
    /// The request is pending for a time that the user has set.
    case again(PendingApproval, of: Int)
    case question(SessionStatus.Question)
    /// The turn ended and did not fail.
    case finished(TurnEnd)
    case failed(String)
    /// The turn has run for more than an hour.
    case runningLong

    package var isUrgent: Bool {
      switch self {
      case .approval, .expiring, .again, .question, .failed: true
      case .finished, .runningLong: false
      }
    }

    /// The name in JSON.
    package var word: String {
      switch self {
      case .approval(let approval, _): approval.kind.isDecision ? "approval" : "question"
      case .expiring: "expiring"
      case .again: "again"
      case .question: "question"
      case .finished: "finished"
      case .failed: "failed"
      case .runningLong: "running-long"
      }
    }
  }

  package var place: SessionPlace
  package var kind: Kind
  /// The local name of the server, safe to show.
  package var server: String
  package var session: SessionStatus

  package init(place: SessionPlace, kind: Kind, server: String, session: SessionStatus) {
    self.place = place
    self.kind = kind
    self.server = server
    self.session = session
  }
}

/// A daily time range, such as `22:00-07:00`, which may cross midnight.
package struct QuietHours: Sendable, Equatable {
  /// Minutes since midnight; the end is exclusive.
  private let begin: Int
  private let end: Int

  /// Parses two times of day separated by a hyphen; `nil` for any other text.
  package init?(_ text: String) {
    let times = text.split(separator: "-", omittingEmptySubsequences: false).map(Self.minute)
    guard times.count == 2, let begin = times[0], let end = times[1], begin != end else {
      return nil
    }
    self.begin = begin
    self.end = end
  }

  private static func minute(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.utf8.count) }),
      parts[1].utf8.count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]),
      (0..<24).contains(hour), (0..<60).contains(minute)
    else { return nil }
    return hour * 60 + minute
  }

  /// Whether the range contains a time of day, in minutes since midnight.
  package func contains(minute: Int) -> Bool {
    begin < end ? (begin..<end).contains(minute) : minute >= begin || minute < end
  }
}
