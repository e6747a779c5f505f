// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// Decides which alerts are shown and when: each event once, one notification per session, and none
/// in quiet hours.
///
/// Snapshots of the sessions go in; alerts to show or withdraw come out. Alerts held back in quiet
/// hours are shown with the first snapshot after them if they are still pending.
package struct AlertTracker: Sendable {
  package enum Effect: Sendable, Equatable {
    /// Shows an alert; it replaces the session's previous one.
    case raise(Alert)
    /// Shows alerts in the notification of the group; it replaces the previous one.
    case raiseGroup([Alert])
    case withdraw(SessionID)
    case withdrawGroup
  }

  /// The minimum interval between non-urgent alerts of a session.
  package static let pause = Duration.seconds(30 * 60)
  /// The duration after which a running turn is reported.
  package static let longTime = Duration.seconds(60 * 60)
  /// The most alerts that are shown individually at a time.
  package static let groupLimit = 4

  private var sessions: [SessionID: WatchedSession] = [:]
  /// The time of each server's last answer.
  private var seenAt: [Fingerprint: Timestamp] = [:]
  /// Whether the group notification is visible and shows requests.
  private var isGroupVisible = false

  package init() {}

  /// Records that no notification is visible, so that pending requests are shown again.
  package mutating func forgetShown() {
    for place in sessions.keys {
      sessions[place]?.forgetShown()
      sessions[place]?.medium = nil
    }
    isGroupVisible = false
  }

  /// Shows a session's pending request again with the next snapshot; its notification may still be
  /// visible.
  package mutating func forgetShown(of place: SessionID) {
    sessions[place]?.forgetShown()
  }

  /// Whether a session's alert on the screen is about the request with this id and content.
  package func displays(_ id: String, content: String, at place: SessionID) -> Bool {
    sessions[place]?.displayed?.request == .approval(id: id, content: content)
  }

  /// Records that a session's notification was replaced by a different one.
  package mutating func replaced(_ place: SessionID) {
    sessions[place]?.medium = nil
  }

  /// Shows requests again that stay pending: one alert for each session, for its most urgent one.
  package mutating func remind(_ alerts: [Alert]) -> [Effect] {
    let chosen = Dictionary(alerts.map { ($0.place, $0) }) { first, second in
      second.isMoreUrgent(than: first) ? second : first
    }
    for (place, alert) in chosen { sessions[place]?.remind(alert) }
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
    var withdrawn: [SessionID] = []
    for server in fleet.servers where server.failure == nil {
      guard let contactAt = server.contactAt else { continue }
      let previous = seenAt.updateValue(contactAt, forKey: server.id)
      for session in server.sessions {
        let place = SessionID(serverID: server.id, sessionID: session.id)
        var watched = sessions[place] ?? WatchedSession(session, since: previous)
        if let (kind, isRepeated) = watched.look(session, at: now, isQuiet: isQuiet) {
          var alert = Alert(place: place, kind: kind, server: server.name, session: session)
          alert.isRepeated = isRepeated
          raised.append(alert)
        } else if watched.isOver {
          if watched.medium == .own { withdrawn.append(place) }
          watched.medium = nil
        }
        sessions[place] = watched
      }
      let present = Set(server.sessions.map(\.id))
      withdrawn += forget { $0.serverID == server.id && !present.contains($0.sessionID) }
    }
    let present = Set(fleet.servers.map(\.id))
    seenAt = seenAt.filter { present.contains($0.key) }
    withdrawn += forget { !present.contains($0.serverID) }
    return effects(raised, withdrawn)
  }

  /// Forgets removed sessions; returns those with a visible notification of their own.
  private mutating func forget(where isGone: (SessionID) -> Bool) -> [SessionID] {
    let gone = sessions.keys.filter(isGone)
    let shown = gone.filter { sessions[$0]?.medium == .own }
    for place in gone { sessions[place] = nil }
    return shown.sorted { $0.sessionID < $1.sessionID }
  }

  private mutating func effects(_ raised: [Alert], _ withdrawn: [SessionID]) -> [Effect] {
    var effects: [Effect] = []
    let alerts = raised.sorted { $0.isMoreUrgent(than: $1) }
    if alerts.count > Self.groupLimit {
      // The group replaces individual notifications.
      for alert in alerts { effects.append(.withdraw(alert.place)) }
      effects.append(.raiseGroup(group(of: alerts)))
    } else {
      for alert in alerts { sessions[alert.place]?.medium = .own }
      effects += alerts.map(Effect.raise)
    }
    effects += withdrawn.map(Effect.withdraw)
    if isGroupVisible, !sessions.values.contains(where: { $0.grouped != nil }) {
      isGroupVisible = false
      effects.append(.withdrawGroup)
    }
    return effects
  }

  /// Adds alerts to the group; returns all that its notification shows, with the requests that it
  /// showed before and that are still pending.
  private mutating func group(of alerts: [Alert]) -> [Alert] {
    for alert in alerts {
      // Nothing is withdrawn for a past event.
      sessions[alert.place]?.medium = alert.kind.isRequest ? .group(alert) : nil
    }
    let requests = sessions.values.compactMap(\.grouped)
    isGroupVisible = !requests.isEmpty
    let added = Set(alerts.map(\.place))
    let kept = requests.filter { !added.contains($0.place) }.map { alert in
      var alert = alert
      alert.isRepeated = true
      return alert
    }
    return (alerts + kept).sorted { $0.isMoreUrgent(than: $1) }
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

    /// Whether it asks for an action, and is over once that is taken.
    var isRequest: Bool {
      switch self {
      case .approval, .expiring, .again, .question: true
      case .finished, .failed, .runningLong: false
      }
    }

    /// The name in JSON.
    package var word: String {
      switch self {
      case .approval(let approval, _): approval.needs == .approval ? "approval" : "question"
      case .expiring: "expiring"
      case .again: "again"
      case .question: "question"
      case .finished: "finished"
      case .failed: "failed"
      case .runningLong: "running-long"
      }
    }
  }

  package var place: SessionID
  package var kind: Kind
  /// The local name of the server, safe to show.
  package var server: String
  package var session: SessionStatus
  /// Whether the same alert was shown before, and its notification was lost or replaced.
  package var isRepeated = false

  package init(place: SessionID, kind: Kind, server: String, session: SessionStatus) {
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
