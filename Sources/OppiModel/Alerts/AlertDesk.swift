// SPDX-License-Identifier: MIT

/// Decides which alerts are shown and when: each event once, one notification per session, and none
/// in quiet hours.
///
/// Snapshots of the sessions go in; alerts to show or withdraw come out. Alerts held back in quiet
/// hours are shown with the first snapshot after them if they are still pending.
package struct AlertDesk: Sendable {
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
      withdrawn += forgetGone(from: server)
    }
    withdrawn += forgetServers(besides: Set(fleet.servers.map(\.id)))
    return effects(raised, withdrawn)
  }

  /// Forgets removed sessions; returns those with a visible notification.
  private mutating func forgetGone(from server: ServerStatus) -> [SessionPlace] {
    let present = Set(server.sessions.map(\.id))
    return forget { $0.serverID == server.id && !present.contains($0.sessionID) }
  }

  private mutating func forgetServers(besides present: Set<Fingerprint>) -> [SessionPlace] {
    seenServers.formIntersection(present)
    return forget { !present.contains($0.serverID) }
  }

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
