// SPDX-License-Identifier: MIT

import TestSupport

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// Random requests, turns, replies, reminders, quiet hours and losses of one server and one desktop.
struct AlertWalk {
  private var random: SeededGenerator
  private var now = Timestamp.noon
  private var desk = AlertTracker()
  private var screen = AlertScreen()
  private var sessions: [SessionStatus]
  /// Sessions that were idle for too long to be listed.
  private var unlisted: Set<String> = []
  private var isAway = false
  private var isQuiet = false
  private var count = 0
  /// The ends of each session that were not reported.
  private var unreported: [String: Int] = [:]
  /// When an end of a turn, or a long turn, of each session was reported.
  private var toldAt: [SessionID: Timestamp] = [:]
  private(set) var problems: [String] = []

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    sessions = (1...8).map { number in
      var session = SessionStatus.sample("S\(number)", .idle, turn: Self.oldTurn(at: .noon))
      session.messageCount = 2
      return session
    }
  }

  private static func oldTurn(at now: Timestamp) -> TurnSummary {
    let end = now.moved(by: .seconds(-8 * 86_400))
    return TurnSummary(startedAt: end, endedAt: end, end: .finished)
  }

  private mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private var fleet: FleetStatus {
    let listed = sessions.filter { !unlisted.contains($0.id) }
    let failure = isAway ? "away" : nil
    return FleetStatus(at: now, servers: [.sample(heard: now, failure: failure, listed)])
  }

  private func place(_ session: SessionStatus) -> SessionID {
    SessionID(serverID: fleet.servers[0].id, sessionID: session.id)
  }

  mutating func step() {
    now = now.moved(by: .seconds(1 + number(number(20) == 0 ? 4000 : 120)))
    if number(10) == 0 { isQuiet.toggle() }
    if number(10) == 0 { isAway.toggle() }
    for index in sessions.indices where number(3) == 0 {
      var session = sessions[index]
      change(&session)
      sessions[index] = session
    }
    perform(desk.look(fleet, at: now, isQuiet: isQuiet))
    guard !isAway else { return }
    let session = number(sessions.count)
    switch number(12) {
    case 0:
      desk.forgetShown()
      screen.clear()
    case 1: desk.forgetShown(of: place(sessions[session]))
    case 2: reply(to: session)
    case 3 where !isQuiet: remind()
    default: break
    }
  }

  private mutating func perform(_ effects: [AlertTracker.Effect]) {
    for case .raise(let alert) in effects { note(alert) }
    for case .raiseGroup(let alerts) in effects {
      for alert in alerts { note(alert) }
    }
    screen.perform(effects)
    problems += screen.problems(fleet, at: now, isQuiet: isQuiet)
  }

  private mutating func note(_ alert: Alert) {
    let shown = screen.own[alert.place]
    if let id = alert.approval?.id, shown?.approval?.id == id, alert.kind.word != "again",
      shown?.kind.word == alert.kind.word, !alert.isRepeated
    {
      problems.append("\(id): raised again")
    }
    if !alert.kind.isUrgent, let last = toldAt.updateValue(now, forKey: alert.place) {
      let isSoon = Duration.seconds(last.age(at: now)) < AlertTracker.pause
      if isSoon { problems.append("\(alert.place.sessionID): told again too soon") }
    }
    if isQuiet { problems.append("\(alert.place.sessionID): told in quiet hours") }
    switch alert.kind {
    case .finished, .failed:
      unreported[alert.place.sessionID, default: 0] -= 1
      if unreported[alert.place.sessionID] ?? 0 < 0 {
        problems.append("\(alert.place.sessionID): an end that was not one")
      }
    case .approval, .expiring, .again, .question, .runningLong: break
    }
  }

  private mutating func change(_ session: inout SessionStatus) {
    let isAtWork = [.running, .waiting].contains(session.phase)
    if unlisted.contains(session.id) {
      guard number(4) == 0 else { return }
      // It is opened, which is an activity.
      unlisted.remove(session.id)
      session.turn = Self.oldTurn(at: now)
    } else if !isAtWork, number(4) == 0 {
      unlisted.insert(session.id)
      // Nothing is known of it when it is listed again.
      toldAt[place(session)] = nil
    } else if !isAtWork {
      session.phase = .running
      session.messageCount += 1
      session.turn = TurnSummary(startedAt: now)
    } else {
      goOn(&session)
    }
    session.lastActivity = now
  }

  /// Continues a running turn.
  private mutating func goOn(_ session: inout SessionStatus) {
    switch number(6) {
    case 0, 1:
      count += 1
      let end = number(2) == 0 ? now.moved(by: .seconds(60 + number(600))) : nil
      let risk: Risk = number(2) == 0 ? .write : .high
      session.approvals.append(.sample("r\(count)", risk, expiresAt: end))
    case 2: if !session.approvals.isEmpty { session.approvals.removeFirst() }
    case 3:
      let question = SessionStatus.Question(id: session.id, text: "Continue?")
      session.question = session.question == nil ? question : nil
    case 4:
      (session.approvals, session.question) = ([], nil)
      let hasFailed = number(3) == 0
      session.turn?.endedAt = now
      session.turn?.end = hasFailed ? .failed : .finished
      session.turn?.failure = hasFailed ? "overloaded" : nil
      session.phase = hasFailed ? .failed : .idle
      session.messageCount += 1
      unreported[session.id, default: 0] += 1
      return
    default: break
    }
    settle(&session)
  }

  private func settle(_ session: inout SessionStatus) {
    session.approvals = session.approvals.filter { !$0.hasExpired(at: now) }.sorted()
    let isPending = !session.approvals.isEmpty || session.question != nil
    session.phase = isPending ? .waiting : .running
  }

  /// Decides a request of a session; the result replaces its notification.
  private mutating func reply(to index: Int) {
    let place = place(sessions[index])
    guard !sessions[index].approvals.isEmpty else { return }
    let request = sessions[index].approvals.remove(at: number(sessions[index].approvals.count))
    settle(&sessions[index])
    guard desk.displays(request.id, content: request.digest, at: place) else { return }
    desk.replaced(place)
    screen.replace(place)
  }

  /// Reminds of some requests.
  private mutating func remind() {
    var alerts: [Alert] = []
    for session in fleet.servers[0].sessions {
      for approval in session.approvals where !approval.hasExpired(at: now) && number(2) == 0 {
        let kind = Alert.Kind.again(approval, of: session.approvals.count)
        let name = fleet.servers[0].name
        alerts.append(Alert(place: place(session), kind: kind, server: name, session: session))
      }
    }
    perform(desk.remind(alerts))
  }
}
