// SPDX-License-Identifier: MIT

import OppiWire
import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText

/// What the tracker takes for shown is what is on the screen.
@Suite struct AlertScreenTests {
  private var tests = AlertTrackerTests()

  private mutating func look(
    _ sessions: SessionStatus...,
    at seconds: Int = 0,
    isQuiet: Bool = false
  ) -> [String] {
    tests.look(Self.fleet(sessions, at: seconds), at: seconds, isQuiet: isQuiet)
  }

  /// The server's answer at a time.
  private static func fleet(_ sessions: [SessionStatus], at seconds: Int) -> FleetStatus {
    var fleet = AlertTrackerTests.fleet()
    fleet.servers[0].contactAt = .ago(-seconds)
    fleet.servers[0].sessions = sessions
    return fleet
  }

  private static func waiting(_ ids: String..., in session: String = "S") -> SessionStatus {
    let approvals = ids.map { PendingApproval.sample($0) }
    return .sample(session, .waiting, approvals: approvals)
  }

  private static func waiting(
    _ numbers: ClosedRange<Int>,
    until end: Timestamp? = nil
  ) -> [SessionStatus] {
    numbers.map { number in
      .sample("S\(number)", .waiting, approvals: [.sample("r\(number)", expiresAt: end)])
    }
  }

  @Test("pending requests are always on the screen, and others are not", arguments: 0..<60)
  func walk(seed: Int) {
    var walk = AlertWalk(seed: UInt64(seed))
    for step in 0..<500 {
      walk.step()
      #expect(walk.problems == [], "step \(step)")
      guard walk.problems.isEmpty else { return }
    }
  }

  @Test("a question that is asked again is a new alert, and one that was only lost is repeated")
  mutating func asksAgain() {
    let question = SessionStatus.Question(id: "S", text: "Continue?")
    let asking = SessionStatus.sample("S", .waiting, question: question)
    #expect(look(asking) == ["question "])
    #expect(look(asking, at: 5) == [])
    #expect(look(.sample("S", .running), at: 10) == ["withdraw"])
    func isRepeated(_ effects: [AlertTracker.Effect]) -> Bool? {
      if case .raise(let alert)? = effects.first { alert.isRepeated } else { nil }
    }
    let again = Self.fleet([asking], at: 20)
    #expect(isRepeated(tests.desk.look(again, at: .ago(-20))) == false)
    tests.desk.forgetShown(of: .sample())
    #expect(isRepeated(tests.desk.look(again, at: .ago(-25))) == true)
  }

  @Test("a request that is to be shown again is withdrawn if it is gone by then")
  mutating func goneMeanwhile() {
    #expect(look(Self.waiting("a")) == ["approval a"])
    tests.desk.forgetShown(of: .sample())
    #expect(look(.sample("S", .running), at: 10) == ["withdraw"])
  }

  @Test("a request decided in quiet hours is withdrawn, and the next one is shown after them")
  mutating func quiet() {
    #expect(look(Self.waiting("a", "b")) == ["approval a"])
    #expect(look(Self.waiting("b"), at: 10, isQuiet: true) == ["withdraw"])
    #expect(look(Self.waiting("b"), at: 20, isQuiet: true) == [])
    #expect(look(Self.waiting("b"), at: 30) == ["approval b"])
  }

  @Test(
    "after a reminder of another request, the first one is shown again once the other is decided",
    arguments: [false, true]
  )
  mutating func reminded(isPressed: Bool) {
    #expect(look(Self.waiting("a", "b")) == ["approval a"])
    let reminder = Alert.sample(.again(.sample("b"), of: 2))
    #expect(tests.desk.remind([reminder]) == [.raise(reminder)])
    #expect(look(Self.waiting("a", "b"), at: 10) == [], "the reminder stays")
    #expect(tests.desk.displays("b", content: "", at: .sample()))
    #expect(!tests.desk.displays("a", content: "", at: .sample()))
    #expect(!tests.desk.displays("b", content: "1", at: .sample()))
    if isPressed {
      tests.desk.replaced(.sample())
      #expect(look(Self.waiting("a", "b"), at: 11) == [], "the result stays")
    }
    #expect(look(Self.waiting("a"), at: 20) == ["approval a"])
    #expect(look(Self.waiting("a"), at: 30) == [])
  }

  // MARK: - The group

  private mutating func look(
    _ sessions: [SessionStatus],
    at seconds: Int
  ) -> [String] {
    tests.look(Self.fleet(sessions, at: seconds), at: seconds)
  }

  @Test("the group is withdrawn when the last of its requests is shown on its own")
  mutating func leftOneByOne() {
    let end = Timestamp.ago(-120)
    #expect(look(Self.waiting(1...5, until: end), at: 0).last == "group of 5")
    #expect(look(Self.waiting(3...5, until: end), at: 10) == [])
    let expiring = ["expiring r3", "expiring r4", "expiring r5"]
    #expect(look(Self.waiting(3...5, until: end), at: 100) == expiring + ["withdraw group"])
    #expect(look([], at: 110) == ["withdraw", "withdraw", "withdraw"])
  }

  @Test("the group is withdrawn when the last of its requests was decided by a button")
  mutating func decidedOneByOne() {
    #expect(look(Self.waiting(1...5), at: 0).last == "group of 5")
    #expect(look(Self.waiting(5...5), at: 10) == [])
    tests.desk.replaced(.sample("S5"))
    #expect(look(Self.waiting(5...5), at: 11) == ["withdraw group"])
    #expect(look([], at: 20) == [])
  }

  @Test("ended turns in a group do not keep it")
  mutating func endsInGroup() {
    let running = (4...6).map { SessionStatus.sample("S\($0)", .running) }
    let idle = (4...6).map { SessionStatus.sample("S\($0)", .idle) }
    #expect(look(running, at: 0) == [])
    #expect(look(Self.waiting(1...3) + idle, at: 10).last == "group of 6")
    #expect(look(idle, at: 20) == ["withdraw group"])
    // Without a request, a group disappears by itself.
    let later = (1...5).map { SessionStatus.sample("T\($0)", .running) }
    #expect(look(later, at: 30) == [])
    let ended = (1...5).map { SessionStatus.sample("T\($0)", .idle) }
    #expect(look(ended, at: 40).last == "group of 5")
    #expect(look(ended, at: 50) == [])
  }

  @Test("the next group keeps the pending requests of the one that it replaces")
  mutating func nextGroup() {
    #expect(look(Self.waiting(1...5), at: 0).last == "group of 5")
    let effects = tests.desk.look(Self.fleet(Self.waiting(2...10), at: 10), at: .ago(-10))
    guard case .raiseGroup(let alerts)? = effects.last else {
      Issue.record("no group")
      return
    }
    let repeated = alerts.filter(\.isRepeated).map(\.place.sessionID).sorted()
    #expect(alerts.count == 9 && repeated == ["S2", "S3", "S4", "S5"])
    #expect(look(Self.waiting(2...2), at: 20) == [])
    #expect(look([], at: 30) == ["withdraw group"])
  }
}

// MARK: - Ends of turns

extension AlertScreenTests {
  /// The alerts of a session that is listed first by the answer after that of noon.
  private static func appearing(
    _ phase: SessionPhase,
    _ turn: TurnSummary?,
    messages: Int = 4,
    created seconds: Int = 86_400
  ) -> [String] {
    var tests = AlertScreenTests()
    _ = tests.look(at: 0)
    var session = SessionStatus.sample("S", phase, lastActivity: .ago(-5), turn: turn)
    (session.messageCount, session.createdAt) = (messages, .ago(seconds))
    let effects = tests.look(session, at: 10)
    return effects + tests.look(session, at: 20)
  }

  @Test("of a session that was not listed before, only a turn since the last answer is reported")
  func appears() {
    let day = 86_400
    for (begin, end, isNew) in [
      (8 * day, 8 * day, false), (100, 61, false), (100, 59, true), (-1, -4, true),
    ] {
      var turn = TurnSummary(startedAt: .ago(begin), endedAt: .ago(end), end: .finished)
      #expect(Self.appearing(.idle, turn) == (isNew ? ["finished "] : []), "\(end)")
      turn = TurnSummary(startedAt: .ago(end), failure: "overloaded", end: .failed)
      #expect(Self.appearing(.failed, turn) == (isNew ? ["failed "] : []), "\(end)")
    }
    #expect(Self.appearing(.idle, nil, created: 61) == [], "it may have ended long ago")
    #expect(Self.appearing(.idle, nil, created: 59) == ["finished "], "its turn was not read")
    #expect(Self.appearing(.idle, nil, messages: 0, created: 59) == [])
    #expect(Self.appearing(.failed, TurnSummary(failure: "no", end: .failed)) == ["failed "])
    #expect(Self.appearing(.idle, nil, messages: 0) == [], "it was only created")
  }

  @Test("an agent that could not start is reported as failed, once")
  mutating func notStarted() {
    #expect(Self.appearing(.failed, nil, messages: 0) == ["failed "])
    #expect(look(.sample("S", .failed)) == [], "it failed before the first snapshot")
    #expect(look(.sample("S", .done), at: 10) == [])
    #expect(look(.sample("S", .failed), at: 20) == ["failed "])
    #expect(look(.sample("S", .failed), at: 30) == [])
  }

  @Test("a failure that was read after the end is reported, unless something else happened since")
  func readLater() {
    let failure = TurnSummary(failure: "overloaded", end: .failed)
    func session(
      _ phase: SessionPhase,
      _ turn: TurnSummary?,
      activeAt seconds: Int = 5
    ) -> SessionStatus {
      var session = SessionStatus.sample("S", phase, lastActivity: .ago(-seconds), turn: turn)
      session.messageCount = 4
      return session
    }
    for unread in [1, 3] {
      for (activeAt, expected) in [(5, ["failed "]), (86_400, [])] {
        var tests = AlertScreenTests()
        #expect(tests.look(session(.running, nil)) == [])
        for round in 1...unread {
          let ended = tests.look(session(.idle, nil), at: 10 * round)
          #expect(ended == (round == 1 ? ["finished "] : []))
        }
        let later = session(.failed, failure, activeAt: activeAt)
        #expect(tests.look(later, at: 86_400) == expected, "\(activeAt)")
        #expect(tests.look(later, at: 86_410) == [])
      }
    }
    var known = AlertScreenTests()
    #expect(known.look(session(.idle, nil)) == [], "it ended before the first snapshot")
    #expect(known.look(session(.failed, failure), at: 10) == [])
  }
}
