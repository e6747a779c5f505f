// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct AlertTrackerTests {
  static let place = SessionID.sample()
  static let serverID = Fingerprint.sample(1)

  var desk = AlertTracker()

  static func fleet(_ sessions: SessionStatus..., failure: String? = nil) -> FleetStatus {
    var server = ServerStatus.sample(heard: .noon, failure: failure, sessions)
    server.id = serverID
    return FleetStatus(at: .noon, servers: [server])
  }

  static func waiting(_ ids: String..., until end: Timestamp? = nil) -> SessionStatus {
    .sample("S", .waiting, approvals: ids.map { .sample($0, expiresAt: end) })
  }

  /// Sessions with one request each.
  private static func many(_ count: Int) -> FleetStatus {
    var fleet = fleet()
    fleet.servers[0].sessions = (1...count).map { number in
      .sample("S\(number)", .waiting, approvals: [.sample("r\(number)")])
    }
    return fleet
  }

  mutating func look(
    _ fleet: FleetStatus,
    at seconds: Int = 0,
    isQuiet: Bool = false
  ) -> [String] {
    Self.words(desk.look(fleet, at: .ago(-seconds), isQuiet: isQuiet))
  }

  private static func words(_ effects: [AlertTracker.Effect]) -> [String] {
    effects.map { effect in
      switch effect {
      case .raise(let alert): "\(alert.kind.word) \(alert.approval?.id ?? "")"
      case .raiseGroup(let alerts): "group of \(alerts.count)"
      case .withdraw: "withdraw"
      case .withdrawGroup: "withdraw group"
      }
    }
  }

  @Test("a request is raised once, replaced by the next, and withdrawn when none is pending")
  mutating func approvals() {
    #expect(look(Self.fleet(Self.waiting("a", "b"))) == ["approval a"])
    #expect(look(Self.fleet(Self.waiting("a", "b")), at: 10) == [])
    #expect(look(Self.fleet(Self.waiting("b")), at: 20) == ["approval b"])
    #expect(look(Self.fleet(.sample("S", .running)), at: 30) == ["withdraw"])
    #expect(look(Self.fleet(.sample("S", .running)), at: 40) == [])
  }

  @Test("a request held back by quiet hours is raised after them if it is still pending")
  mutating func quiet() {
    #expect(look(Self.fleet(Self.waiting("a")), isQuiet: true) == [])
    #expect(look(Self.fleet(Self.waiting("b")), at: 60, isQuiet: true) == [])
    #expect(look(Self.fleet(Self.waiting("b")), at: 120) == ["approval b"])
  }

  @Test("a finished turn is raised once, and per session at most every 30 minutes")
  mutating func ends() {
    func ended(_ seconds: Int) -> FleetStatus {
      let turn = TurnSummary(
        startedAt: .ago(1 - seconds),
        endedAt: .ago(-seconds),
        end: .finished
      )
      var session = SessionStatus.sample("S", .idle, lastActivity: .ago(-seconds), turn: turn)
      session.messageCount = 1000 + seconds
      return Self.fleet(session)
    }
    #expect(look(ended(-100)) == [], "the turn ended before the first snapshot")
    #expect(look(Self.fleet(.sample("S", .running)), at: 10) == [])
    #expect(look(ended(20), at: 21) == ["finished "])
    #expect(look(ended(20), at: 40) == [])
    #expect(look(ended(60), at: 61) == [], "a whole turn between two snapshots, but too soon")
    #expect(look(ended(2000), at: 2001) == ["finished "])
  }

  /// A session that is not running, with `count` messages and its last activity at `seconds`.
  private static func resting(
    _ phase: SessionPhase,
    _ count: Int,
    at seconds: Int,
    _ turn: TurnSummary? = nil
  ) -> FleetStatus {
    var session = SessionStatus.sample("S", phase, lastActivity: .ago(-seconds), turn: turn)
    session.messageCount = count
    return fleet(session)
  }

  @Test(
    "the end of an idle session is not the end of a turn",
    arguments: [
      nil, TurnSummary(end: .unknown), TurnSummary(endedAt: .ago(-9), end: .finished),
      TurnSummary(endedAt: .ago(-605), end: .finished), TurnSummary(end: .failed),
    ]
  )
  mutating func endAtRest(turn: TurnSummary?) {
    let first = TurnSummary(endedAt: .ago(-9), end: .finished)
    for known in [nil, first] {
      desk = AlertTracker()
      #expect(look(Self.resting(.idle, 2, at: 9, known), at: 10) == [])
      #expect(look(Self.resting(.done, 2, at: 600, turn), at: 610) == [])
      #expect(look(Self.resting(.idle, 2, at: 700, turn), at: 710) == [], "reopened")
    }
  }

  @Test("a turn between two polls is detected by the message count, with or without details")
  mutating func unseenTurn() {
    let cases: [(SessionPhase, TurnSummary?, String)] = [
      (.idle, nil, "finished "), (.idle, TurnSummary(end: .unknown), "finished "),
      (.failed, TurnSummary(failure: "no", end: .failed), "failed "),
    ]
    for (phase, turn, words) in cases {
      desk = AlertTracker()
      #expect(look(Self.resting(.idle, 2, at: 9), at: 10) == [])
      #expect(look(Self.resting(phase, 3, at: 10, turn), at: 11) == [], "a late message")
      #expect(look(Self.resting(phase, 4, at: 12, turn), at: 13) == [words])
    }
  }

  @Test("a turn with an unknown outcome is raised as unknown")
  mutating func unknownEnd() {
    #expect(look(Self.fleet(.sample("S", .running))) == [])
    let effects = desk.look(Self.resting(.done, 2, at: 9), at: .ago(-10))
    let kind: Alert.Kind? = if case .raise(let alert)? = effects.first { alert.kind } else { nil }
    #expect(kind == .finished(.unknown))
  }

  @Test("a failure is raised at once and replaces a question")
  mutating func failures() {
    let question = SessionStatus.Question(id: "S", text: "Which?")
    #expect(look(Self.fleet(.sample("S", .waiting, question: question))) == ["question "])
    let turn = TurnSummary(
      startedAt: .ago(9),
      endedAt: .ago(-9),
      failure: "overloaded",
      end: .failed
    )
    #expect(look(Self.fleet(.sample("S", .failed, turn: turn)), at: 10) == ["failed "])
    #expect(look(Self.fleet(.sample("S", .failed, turn: turn)), at: 20) == [])
  }

  @Test("an unreachable server changes nothing, and a removed server withdraws its notifications")
  mutating func away() {
    #expect(look(Self.fleet(Self.waiting("a"))) == ["approval a"])
    #expect(look(Self.fleet(failure: "away"), at: 60) == [])
    #expect(look(Self.fleet(Self.waiting("a")), at: 120) == [])
    #expect(look(FleetStatus(at: .noon, servers: []), at: 180) == ["withdraw"])
  }

  @Test("a pending request is raised again after the desktop lost its notification")
  mutating func lost() {
    #expect(look(Self.fleet(Self.waiting("a"))) == ["approval a"])
    desk.forgetShown()
    #expect(look(Self.fleet(Self.waiting("a")), at: 10) == ["approval a"])
  }
}

extension AlertTrackerTests {
  @Test("only the notification of the removed session is withdrawn")
  mutating func removed() {
    func fleet(_ ids: [String]) -> FleetStatus {
      var fleet = Self.fleet()
      fleet.servers[0].sessions = ids.map { id in
        SessionStatus.sample(id, .waiting, approvals: [.sample("r-\(id)")])
      }
      return fleet
    }
    #expect(look(fleet(["S", "T"])).count == 2)
    let effects = desk.look(fleet(["T"]), at: .ago(-10))
    #expect(effects == [.withdraw(Self.place)])
    #expect(look(fleet(["T"]), at: 20) == [])
    // Nothing is withdrawn for a session without a notification.
    desk.replaced(.sample("T"))
    #expect(look(fleet([]), at: 30) == [])
  }

  @Test("equal ids on two servers are different sessions and requests")
  mutating func otherServer() {
    func fleet(_ counts: [Int]) -> FleetStatus {
      FleetStatus(
        at: .noon,
        servers: counts.enumerated().map { index, count in
          ServerStatus(
            id: Fingerprint.sample(index + 1),
            name: "server \(index)",
            contactAt: .noon,
            sessions: count == 0 ? [] : [Self.waiting("a")]
          )
        }
      )
    }
    #expect(look(fleet([1, 0])) == ["approval a"])
    #expect(look(fleet([1, 1]), at: 10) == ["approval a"])
    let other = SessionID(serverID: Fingerprint.sample(2), sessionID: "S")
    #expect(desk.look(fleet([1, 0]), at: .ago(-20)) == [.withdraw(other)])
  }

  @Test("a different call under the same id is raised again")
  mutating func otherCall() {
    func fleet(_ digest: String) -> FleetStatus {
      var session = Self.waiting("a")
      session.approvals[0].digest = digest
      return Self.fleet(session)
    }
    #expect(look(fleet("1")) == ["approval a"])
    #expect(look(fleet("1"), at: 10) == [])
    #expect(look(fleet("2"), at: 20) == ["approval a"])
  }

  @Test("a request is raised again in the last quarter of its time, and in the last hour at most")
  func lastQuarter() {
    for (whole, begin) in [(120, 90), (3600, 2700), (3604, 4), (7200, 3600)] {
      var tests = AlertTrackerTests()
      let fleet = Self.fleet(Self.waiting("a", until: .ago(-whole)))
      #expect(tests.look(fleet) == ["approval a"])
      #expect(tests.look(fleet, at: begin) == [], "\(whole)")
      #expect(tests.look(fleet, at: begin + 1) == ["expiring a"], "\(whole)")
      #expect(tests.look(fleet, at: begin + 5) == [], "\(whole)")
      #expect(tests.look(fleet, at: whole + 1) == ["withdraw"], "the request was auto-denied")
    }
  }

  @Test("a long turn is raised once, after one hour, and the next finished turn after 30 minutes")
  func pauses() {
    var long = AlertTrackerTests()
    let running = Self.fleet(.sample("S", .running, turn: TurnSummary(startedAt: .noon)))
    #expect(long.look(running, at: 3599) == [])
    #expect(long.look(running, at: 3600) == ["running-long "])
    #expect(long.look(running, at: 9000) == [])
    for (pause, isTold) in [(1799, false), (1800, true)] {
      var ends = AlertTrackerTests()
      for (index, at) in [10, 10 + pause].enumerated() {
        _ = ends.look(Self.fleet(.sample("S", .running)), at: at - 5)
        let turn = TurnSummary(startedAt: .ago(5 - at), endedAt: .ago(-at))
        let ended = Self.fleet(.sample("S", .idle, lastActivity: .ago(-at), turn: turn))
        let told = ends.look(ended, at: at)
        #expect(told == (index == 0 || isTold ? ["finished "] : []), "\(pause)")
      }
    }
  }

  @Test("after the clock was set back, the next finished turn is raised at once")
  mutating func endsOnAnotherClock() {
    // The clock is corrected by less than a minute at last.
    for (at, isTold) in [(10_000, true), (1000, true), (941, false)] {
      _ = look(Self.fleet(.sample("S", .running)), at: at - 5)
      let turn = TurnSummary(startedAt: .ago(5 - at), endedAt: .ago(-at))
      let ended = Self.fleet(.sample("S", .idle, lastActivity: .ago(-at), turn: turn))
      #expect(look(ended, at: at) == (isTold ? ["finished "] : []), "\(at)")
    }
  }

  @Test("after the clock was set back, a request is still raised before it expires")
  mutating func expiresOnAnotherClock() {
    #expect(look(Self.fleet(Self.waiting("a", until: .ago(-1120))), at: 1000) == ["approval a"])
    let fleet = Self.fleet(Self.waiting("a", until: .ago(-120)))
    #expect(look(fleet) == [])
    #expect(look(fleet, at: 90) == [])
    #expect(look(fleet, at: 91) == ["expiring a"])
  }

  @Test("turns that ended while a server was not paired are not raised", arguments: [false, true])
  mutating func pairedAgain(isRemoved: Bool) {
    #expect(look(Self.fleet()) == [])
    if isRemoved { #expect(look(FleetStatus(at: .noon, servers: []), at: 10) == []) }
    let turn = TurnSummary(startedAt: .ago(-20), endedAt: .ago(-30), end: .finished)
    let ended = look(Self.resting(.idle, 4, at: 30, turn), at: 40)
    #expect(ended == (isRemoved ? [] : ["finished "]))
  }

  @Test("four alerts are shown separately, and five as a group")
  func groupLimit() {
    for count in [4, 5] {
      var tests = AlertTrackerTests()
      let isGroup = tests.look(Self.many(count)).contains { $0.hasPrefix("group") }
      #expect(isGroup == (count > 4))
    }
  }

  @Test("an alert after that of a group is one of its own, and is withdrawn as such")
  mutating func leavesGroup() {
    var fleet = Self.many(6)
    #expect(look(fleet).last == "group of 6")
    fleet.servers[0].sessions[0] = .sample("S1", .waiting, approvals: [.sample("new")])
    #expect(look(fleet, at: 10) == ["approval new"])
    fleet.servers[0].sessions[0] = .sample("S1", .running)
    #expect(look(fleet, at: 20) == ["withdraw"])
  }

  private static func reminder(_ session: String, _ id: String, _ risk: Risk = .write) -> Alert {
    let approval = PendingApproval.sample(id, risk)
    return .sample(.again(approval, of: 1), .sample(session, .waiting, approvals: [approval]))
  }

  @Test("requests of one session are shown again together, as its most urgent one")
  mutating func reminds() {
    let effects = desk.remind([
      Self.reminder("S", "a"), Self.reminder("S", "b", .high), Self.reminder("T", "c"),
    ])
    #expect(effects == [.raise(Self.reminder("S", "b", .high)), .raise(Self.reminder("T", "c"))])
  }

  @Test("many requests are shown again as one group")
  mutating func remindsOfMany() {
    let all = (0..<6).map { Self.reminder("S\($0)", "r\($0)") }
    #expect(Self.words(desk.remind(all)).last == "group of 6")
  }

  @Test("a request that was shown again is withdrawn when it is decided")
  mutating func withdrawsReminder() {
    #expect(look(Self.fleet(Self.waiting("a"))) == ["approval a"])
    _ = desk.remind([Self.reminder("S", "a")])
    #expect(look(Self.fleet(Self.waiting("a")), at: 10) == [], "it is not shown a third time")
    #expect(look(Self.fleet(.sample("S", .running)), at: 20) == ["withdraw"])
  }

  @Test(
    "quiet hours exclude their end and may span midnight",
    arguments: [
      ("22:00-07:00", [1320, 1439, 0, 419], [420, 1319]),
      ("9:30-10:00", [570, 599], [569, 600]),
    ] as [(String, [Int], [Int])]
  )
  func quietHours(text: String, inside: [Int], outside: [Int]) throws {
    let hours = try #require(QuietHours(text))
    #expect(inside.allSatisfy(hours.contains(minute:)))
    #expect(!outside.contains(where: hours.contains(minute:)))
  }

  @Test(
    "invalid quiet hours are rejected",
    arguments: [
      "", "22-7", "22:00", "24:00-07:00", "22:60-07:00", "a:00-b:00", "07:00-07:00", "1:2-3:4",
    ]
  )
  func unusableQuietHours(text: String) {
    #expect(QuietHours(text) == nil)
  }
}
