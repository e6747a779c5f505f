// SPDX-License-Identifier: MIT

import OppiModel
import TestSupport
import Testing

@testable import Oppi

/// The choice of the sessions to query.
@Suite struct ReadPlanTests {
  private static let now = 1_800_000_000

  private static func session(
    _ id: String,
    _ status: String = "ready",
    ago seconds: Int = 0,
    count: Int = 2
  ) -> Session {
    .sample(
      id,
      status,
      lastActivity: Timestamp(seconds: now - seconds),
      messageCount: count
    )
  }

  private static func plan(
    _ sessions: [Session],
    known: EndedTurns.OfServer = [:],
    isOlder: Bool = false
  ) throws -> ReadPlan {
    let overview = ServerOverview(
      server: try .sample(1),
      sessions: sessions,
      requests: [],
      clockOffset: .seconds(-3600),
      at: Timestamp(seconds: now + 3600)
    )
    return ReadPlan(overview, known: known, isOlder: isOlder)
  }

  private static func ended(_ session: Session, _ end: TurnEnd = .failed) -> EndedTurns.OfServer {
    [session.id: EndedTurn(of: session, TurnSummary(end: end))]
  }

  @Test("every loaded session is queried, regardless of number and age")
  func loaded() throws {
    let sessions = (1...60).map { Self.session("s\($0)", ago: $0 * 100_000) }
    let plan = try Self.plan(sessions)
    #expect(plan.jobs.map(\.session.id) == sessions.map(\.id))
    #expect(plan.jobs.allSatisfy { $0.depth == .outcome })
  }

  @Test("end times are queried for the latest eight sessions, up to 15 minutes old")
  func times() throws {
    let sessions = (1...10).map { Self.session("s\($0)", "stopped", ago: $0) }
    #expect(try Self.plan(sessions).jobs.map(\.depth) == Array(repeating: .ended, count: 8))
    let ages = [900, 901].map { Self.session("s\($0)", ago: $0) }
    #expect(try Self.plan(ages).jobs.map(\.depth) == [.ended, .outcome])
  }

  @Test("busy sessions come first, and sessions without prompts are skipped")
  func order() throws {
    let sessions = [
      Self.session("a"), Self.session("b", "busy", ago: 99),
      Self.session("c", count: 0),
      Self.session("d", "starting", count: 0),
    ]
    #expect(try Self.plan(sessions).jobs.map(\.session.id) == ["b", "a"])
  }

  @Test("a turn that is known and current is not queried again")
  func known() throws {
    let session = Self.session("a", ago: 5)
    let plan = try Self.plan([session], known: Self.ended(session))
    #expect(plan.jobs.isEmpty && plan.ended["a"]?.turn.end == .failed)
    let moved = Self.session("a", ago: 4)
    let next = try Self.plan([moved], known: Self.ended(session))
    #expect(next.jobs.count == 1 && next.ended.isEmpty)
    #expect(next.jobs[0].known?.turn.end == .failed)
  }

  @Test("a failure of a stopped session is kept for a day, unless a prompt followed")
  func remembered() throws {
    let failed = Self.session("a", ago: 100_000)
    for (age, count, isKnown) in [(86_400, 2, true), (86_401, 2, false), (10, 3, false)] {
      let stopped = Self.session("a", "stopped", ago: age, count: count)
      let plan = try Self.plan([stopped], known: Self.ended(failed))
      #expect((plan.ended["a"] != nil) == isKnown, "\(age) \(count)")
    }
    let stopped = Self.session("a", "stopped", ago: 10)
    let doubtful = try Self.plan([stopped], known: Self.ended(failed, .unknown))
    #expect(doubtful.ended.isEmpty && doubtful.jobs.count == 1)
  }

  @Test("an older server is queried for the presence of each session, known or not")
  func older() throws {
    let session = Self.session("a", ago: 5000)
    let empty = Self.session("b", ago: 6000, count: 0)
    let plan = try Self.plan([session, empty], known: Self.ended(session), isOlder: true)
    #expect(plan.jobs.map(\.depth) == [.presence, .presence])
    #expect(plan.ended["a"] != nil)
    let stopped = Self.session("a", "stopped", ago: 5000)
    #expect(try Self.plan([stopped], isOlder: true).jobs.isEmpty)
  }
}
