// SPDX-License-Identifier: MIT

/// Decides what a person is told of all sessions, and when: each thing once, one notification a
/// session, and nothing in quiet hours.
///
/// Looks at the sessions go in, and what is to be shown or taken away comes out. What was held back
/// in quiet hours and still waits comes out with the first look after them.
package struct AlertDesk: Sendable {
  package enum Effect: Sendable, Equatable {
    /// Shows an alert in the place of what was shown of its session.
    case raise(Alert)
    /// Shows one thing in the place of many.
    case raiseGroup([Alert])
    /// Takes away what is shown of a session.
    case withdraw(SessionPlace)
    case withdrawGroup
  }

  /// What is not urgent is told of a session no more often.
  package static let pause = Duration.seconds(30 * 60)
  /// A turn that runs for longer is told of.
  package static let longTime = Duration.seconds(60 * 60)
  /// So many alerts at a time are shown one by one.
  package static let groupLimit = 4

  private var sessions: [SessionPlace: WatchedSession] = [:]
  private var seenServers: Set<Fingerprint> = []
  /// The sessions that are told of together.
  private var group: Set<SessionPlace> = []

  package init() {}

  /// Takes it that nothing is shown any more, so that what waits is shown again.
  package mutating func forgetShown() {
    for place in sessions.keys { sessions[place]?.shown = nil }
    group = []
  }

  /// Takes it that nothing is shown of a session any more, so that what waits there is shown again.
  package mutating func forgetShown(of place: SessionPlace) {
    sessions[place]?.shown = nil
    group.remove(place)
  }

  /// Takes it that what was shown of a session has given way to something else.
  package mutating func replaced(_ place: SessionPlace) {
    sessions[place]?.isShowing = false
    group.remove(place)
  }

  /// Takes a look at all sessions.
  ///
  /// - Parameters:
  ///   - fleet: The sessions; of a server that could not be asked nothing is taken to have changed.
  ///   - now: The present moment.
  ///   - isQuiet: Whether nothing may be shown now.
  /// - Returns: What is to be shown and taken away, in this order.
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

  /// Sessions that were removed; returns those of which something is shown.
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
      // What was shown one by one gives way.
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
  /// What waits for the user's word first, by its risk and the time that is left.
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

  /// The request that it is about.
  package var approval: PendingApproval? {
    switch kind {
    case .approval(let approval, _), .expiring(let approval, _): approval
    default: nil
    }
  }
}
