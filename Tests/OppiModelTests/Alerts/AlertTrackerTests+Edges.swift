// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel

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
            id: FleetLife.serverID(index + 1),
            name: "server \(index)",
            contactAt: .noon,
            sessions: count == 0 ? [] : [Self.waiting("a")]
          )
        }
      )
    }
    #expect(look(fleet([1, 0])) == ["approval a"])
    #expect(look(fleet([1, 1]), at: 10) == ["approval a"])
    let other = SessionPlace(serverID: FleetLife.serverID(2), sessionID: "S")
    #expect(desk.look(fleet([1, 0]), at: .ago(-20)) == [.withdraw(other)])
  }

  @Test("a different call under the same id is raised again")
  mutating func otherCall() {
    func fleet(_ hash: Int) -> FleetStatus {
      var session = Self.waiting("a")
      session.approvals[0].contentHash = hash
      return Self.fleet(session)
    }
    #expect(look(fleet(1)) == ["approval a"])
    #expect(look(fleet(1), at: 10) == [])
    #expect(look(fleet(2), at: 20) == ["approval a"])
  }

  @Test("a request expires soon in the last quarter of its time, and in the last hour at most")
  func lastQuarter() {
    for (whole, begin) in [(120, 90), (3600, 2700), (3604, 4), (7200, 3600)] {
      var tests = AlertTrackerTests()
      let fleet = Self.fleet(Self.waiting("a", until: .ago(-whole)))
      #expect(tests.look(fleet) == ["approval a"])
      #expect(tests.look(fleet, at: begin) == [], "\(whole)")
      #expect(tests.look(fleet, at: begin + 1) == ["expiring a"], "\(whole)")
    }
  }

  @Test("a long turn is raised after one hour, and the next finished turn after 30 minutes")
  func pauses() {
    var long = AlertTrackerTests()
    let running = Self.fleet(.sample("S", .running, turn: TurnSummary(startedAt: .noon)))
    #expect(long.look(running, at: 3599) == [])
    #expect(long.look(running, at: 3600) == ["running-long "])
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

  @Test("four alerts are shown separately, and five as a group")
  func groupLimit() {
    for count in [4, 5] {
      var tests = AlertTrackerTests()
      var fleet = Self.fleet()
      fleet.servers[0].sessions = (1...count).map { number in
        .sample("S\(number)", .waiting, approvals: [.sample("r\(number)")])
      }
      let isGroup = tests.look(fleet).contains { $0.hasPrefix("group") }
      #expect(isGroup == (count > 4))
    }
  }

  @Test("an alert after that of a group is one of its own, and is withdrawn as such")
  mutating func leavesGroup() {
    var fleet = Self.fleet()
    fleet.servers[0].sessions = (1...6).map { number in
      .sample("S\(number)", .waiting, approvals: [.sample("r\(number)")])
    }
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
    guard case .raiseGroup(let alerts)? = desk.remind(all).last else {
      Issue.record("no group")
      return
    }
    #expect(alerts.count == 6)
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
