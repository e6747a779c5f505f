// SPDX-License-Identifier: MIT

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// What a desktop shows after the effects of a tracker.
struct AlertScreen {
  private struct Key: Hashable {
    let place: SessionID
    let request: WatchedSession.Request
  }

  /// The sessions' own notifications.
  private(set) var own: [SessionID: Alert] = [:]
  private(set) var group: [Alert] = []
  /// The requests that were shown since they are pending.
  private var seen: Set<Key> = []
  private var mistakes: [String] = []

  /// The desktop lost all notifications.
  mutating func clear() { (own, group) = ([:], []) }

  /// The result of a reply replaces a session's own notification.
  mutating func replace(_ place: SessionID) { own[place] = nil }

  mutating func perform(_ effects: [AlertTracker.Effect]) {
    for effect in effects {
      switch effect {
      case .raise(let alert):
        see(alert)
        own[alert.place] = alert
      case .raiseGroup(let alerts):
        for alert in alerts { see(alert) }
        group = alerts
      case .withdraw(let place): own[place] = nil
      case .withdrawGroup: group = []
      }
    }
  }

  private mutating func see(_ alert: Alert) {
    guard let request = alert.request else { return }
    let isNew = seen.insert(Key(place: alert.place, request: request)).inserted
    if isNew, alert.isRepeated { mistakes.append("\(alert.place.sessionID): new, and repeated") }
  }

  /// What is wrong about the screen after a snapshot: a pending request that was not shown, or a
  /// notification of none.
  mutating func problems(
    _ fleet: FleetStatus,
    at now: Timestamp,
    isQuiet: Bool
  ) -> [String] {
    var pending: [SessionID: [WatchedSession.Request]] = [:]
    for server in fleet.servers {
      for session in server.sessions {
        let place = SessionID(serverID: server.id, sessionID: session.id)
        pending[place] = session.requests(at: now)
      }
    }
    let unknown = Set(fleet.servers.filter { $0.failure != nil }.map(\.id))
    func isPending(_ alert: Alert) -> Bool {
      alert.request.map { pending[alert.place]?.contains($0) ?? false } ?? false
    }
    seen = seen.filter {
      unknown.contains($0.place.serverID) || pending[$0.place]?.contains($0.request) == true
    }
    var problems = mistakes
    for (place, alert) in own where alert.request != nil && !unknown.contains(place.serverID) {
      if !isPending(alert) { problems.append("\(place.sessionID): a request stays that is gone") }
    }
    if group.contains(where: { $0.request != nil }),
      !group.contains(where: { unknown.contains($0.place.serverID) || isPending($0) })
    {
      problems.append("the group stays without a request")
    }
    guard !isQuiet else { return problems }
    for (place, requests) in pending where !unknown.contains(place.serverID) {
      guard let first = requests.first else { continue }
      if !seen.contains(Key(place: place, request: first)) {
        problems.append("\(place.sessionID): the most urgent request was not shown")
      }
      let shown = group.filter { $0.place == place } + (own[place].map { [$0] } ?? [])
      if !shown.contains(where: isPending) {
        problems.append("\(place.sessionID): no request is on the screen")
      }
    }
    return problems
  }
}

extension Alert {
  fileprivate var request: WatchedSession.Request? {
    if case .question(let question) = kind { return .question(question.text) }
    return approval.map(WatchedSession.Request.init)
  }
}

extension SessionStatus {
  /// The pending requests, the most urgent first.
  fileprivate func requests(at now: Timestamp) -> [WatchedSession.Request] {
    approvals.filter { !$0.hasExpired(at: now) }.sorted().map(WatchedSession.Request.init)
      + (question.map { [.question($0.text)] } ?? [])
  }
}
