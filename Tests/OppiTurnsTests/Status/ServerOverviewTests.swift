// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTestSupport
@testable import OppiTurns

/// The state of a server's sessions.
@Suite struct ServerOverviewTests {
  private static func overview(
    _ sessions: [Session],
    requests: [HumanRequest] = [],
    of number: UInt8 = 1
  ) throws -> ServerOverview {
    ServerOverview(
      server: try .sample(number),
      sessions: sessions,
      requests: requests,
      clockOffset: .zero,
      at: .noon
    )
  }

  @Test("a session with a pending dialog has a question, unless its request is listed")
  func questions() throws {
    let sessions = (0...2).map { Session.sample("session\($0)", pendingCount: $0) }
    let counted = try Self.overview(sessions).statuses
    #expect(
      counted.map(\.question?.text) == [nil, "a question is pending", "2 questions are pending"]
    )
    #expect(counted.map(\.phase) == [.idle, .waiting, .waiting])
    let dialog = UserQuestion.sample("confirm", ["title": "Proceed?", "sessionId": "session1"])
    let listed = try Self.overview(sessions, requests: [.question(dialog)]).statuses
    #expect(listed.map { $0.question == nil } == [true, true, false])
    #expect(listed.map { $0.approvals.map(\.id) } == [[], ["q"], []])
  }

  @Test("what was last seen of other servers is kept, unless a watch has seen more since")
  func lastSeen() {
    inFlowWorld([]) { home in
      let context = home.context
      func ids() -> Set<String> { Set(context.lastSeen.map(\.status.id)) }
      context.remember([try Self.overview([.sample("first")])])
      context.remember([try Self.overview([.sample("other")], of: 2)])
      #expect(ids() == ["first", "other"])
      context.remember([try Self.overview([.sample("second")])])
      #expect(ids() == ["second", "other"])
      let seen = ServerStatus(try Self.overview([.sample("watched")]))
      for (seconds, expected) in [(-60, ["second", "other"]), (60, ["watched"])] {
        let moment = context.now().moved(by: .seconds(seconds))
        try context.statusFile.save(FleetStatus(at: moment, servers: [seen]))
        #expect(ids() == Set(expected), "\(seconds)")
      }
    }
  }

  @Test("the latest result of a turn counts, and none of a session that is gone or went on")
  func results() throws {
    let (read, unread) = (Session.sample("read"), Session.sample("unread"))
    var overview = try Self.overview([read, unread, .sample("continued", messageCount: 4)])
    overview.ended = ["read": EndedTurn(of: read, TurnSummary(end: .finished))]
    var before: EndedTurns.OfServer = [:]
    for id in ["read", "unread", "continued", "gone"] {
      before[id] = EndedTurn(of: .sample(id), TurnSummary(end: .failed))
    }
    let ends = overview.endedTurns(knowing: before).mapValues(\.turn.end)
    #expect(ends == ["read": .finished, "unread": .failed])
  }

  @Test("a reported error is the result of a last turn whose end is not known, and of no other")
  func errors() throws {
    let sessions = ["known", "unknown", "unread", "quiet"].map { Session.sample($0) }
    var overview = try Self.overview(sessions + [Session.sample("busy", "busy")])
    for (id, end) in [("known", TurnEnd.finished), ("unknown", .unknown)] {
      overview.ended[id] = EndedTurn(of: .sample(id), TurnSummary(end: end))
    }
    let failures = ["known", "unknown", "unread", "busy"].map { ($0, "no credit") }
    let explained = overview.explained(by: Dictionary(uniqueKeysWithValues: failures))
    #expect(
      explained.ended.mapValues(\.turn.end)
        == ["known": .finished, "unknown": .failed, "unread": .failed]
    )
    #expect(explained.ended["unknown"]?.turn.failure == "no credit")
  }

  @Test("a reported error is not the result of a turn that was found to run")
  func errorBeforeTurn() throws {
    var overview = try Self.overview([.sample("live")])
    overview.turns["live"] = Turn()
    #expect(overview.explained(by: ["live": "no credit"]).ended.isEmpty)
  }

  @Test("a turn that asks has a question only where the server lists no dialogs")
  func askingTurns() throws {
    var talk = Conversation()
    talk.begin()
    talk.tell(.says(""), .calls("t", "ask", ["questions": [["question": "Which one?"]]]))
    var overview = try Self.overview([.sample("s")])
    overview.turns["s"] = talk.activity
    #expect(overview.statuses.map(\.question?.text) == ["Which one?"])
    overview.way = .dialogs
    #expect(overview.statuses.map(\.question?.text) == [nil])
  }

  @Test("a snapshot of a server with too many sessions has the most urgent and the latest")
  func urgent() throws {
    let idle = (0..<1200).map { SessionStatus.sample("i\($0)", .idle, lastActivity: .ago($0)) }
    let ended = (0..<40).map { SessionStatus.sample("e\($0)", .done, lastActivity: .ago($0)) }
    let waiting = SessionStatus.sample("w", .waiting, lastActivity: .ago(100_000))
    let stored = Self.stored(ended + idle.reversed() + [waiting])
    let ids = stored.filter { $0.phase != .done }.map(\.id)
    #expect(ids == ["w"] + (0..<999).map { "i\($0)" })
    #expect(stored.filter { $0.phase == .done }.map(\.id) == (0..<30).map { "e\($0)" })
  }

  @Test("a snapshot keeps the order of a thousand sessions that have not ended")
  func order() {
    let sessions = (0..<1000).map { SessionStatus.sample("i\($0)", $0 == 5 ? .waiting : .idle) }
    #expect(Self.stored(sessions).map(\.id) == sessions.map(\.id))
  }

  private static func stored(_ sessions: [SessionStatus]) -> [SessionStatus] {
    ServerStatus.sample(sessions).forSnapshot.sessions
  }
}

/// The columns of a session in a list, and its mark.
@Suite struct SessionWordsTests {
  @Test("a session is described by what it waits for, else by how its turn ended")
  func notes() {
    let now = Timestamp(seconds: 1_800_000_000)
    let limit = TurnSummary(
      failure: "Claude AI usage limit reached|1800000120",
      resetAt: now.moved(by: .seconds(120)),
      end: .limited
    )
    let clock = LocalTime.minute(of: now.moved(by: .seconds(120)), seenAt: now)
    let dialog = UserQuestion.sample("input", ["title": "Which branch?"])
    let asks = PendingApproval(.question(dialog), clockOffset: .zero)
    let waits = SessionStatus.sample("a", .waiting, approvals: [asks, .sample("r")])
    #expect(waits.note(at: now) == "approval: make r")
    let asked = SessionStatus.sample("a", .waiting, approvals: [asks])
    #expect(
      asked.note(at: now).hasPrefix("question: ") && asked.note(at: now).contains("Which branch?")
    )
    for (phase, turn, note) in [
      (.idle, TurnSummary(end: .unknown), "outcome unknown"),
      (.done, TurnSummary(end: .unknown), ""), (.idle, TurnSummary(end: .stopped), "stopped"),
      (.failed, TurnSummary(failure: "no credit", end: .failed), "no credit"),
      (
        .failed, TurnSummary(failure: "429 busy", end: .limited), "usage limit reached: 429 busy"
      ),
      (.failed, limit, "usage limit reached; resets \(clock) (in 2 min)"),
      (.running, TurnSummary(operation: "bash: make"), "bash: make"),
    ] as [(SessionPhase, TurnSummary, String)] {
      #expect(SessionStatus.sample("a", phase, turn: turn).note(at: now) == note, "\(phase)")
    }
  }

  @Test(
    "a cost is in dollars and cents, rounded, and left out below half a cent",
    arguments: [
      (nil, ""), (0.004, ""), (0.005, "$0.01"), (1.1, "$1.10"), (1.996, "$2.00"),
      (12.05, "$12.05"),
    ] as [(Double?, String)]
  )
  func cost(cost: Double?, text: String) {
    var session = SessionStatus.sample("a", .idle)
    session.cost = cost
    #expect(session.costText == text)
  }

  private static let ends: [TurnEnd?] = TurnEnd.allCases.map { $0 } + [nil]

  @Test(
    "only an idle session whose last turn finished has a check mark",
    arguments: SessionPhase.allCases,
    ends
  )
  func checkMark(phase: SessionPhase, end: TurnEnd?) {
    let session = SessionStatus.sample("a", phase, turn: TurnSummary(end: end))
    let mark = StatusMark(session)
    #expect((mark.symbol == "✓") == (phase == .idle && end == .finished))
    #expect((mark.style == .success) == (mark.symbol == "✓"))
    #expect(mark.word == phase.word)
  }

  @Test("an idle session without a known outcome has a neutral mark")
  func unknown() {
    var session = SessionStatus.sample("a", .idle)
    for count in 0...1 {
      session.messageCount = count
      #expect(StatusMark(session) == StatusMark("●", "idle"))
    }
  }

  @Test("a ready session has no check mark, since its outcome is unknown")
  func ready() {
    #expect(StatusMark(Session.Status.ready).symbol == "●")
  }
}

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

  @Test("of many sessions, the first 40 busy ones and the latest 200 others are queried")
  func limits() throws {
    let busy = (1...41).map { Self.session("b\($0)", "busy") }
    let resting = (1...201).map { Self.session("r\($0)", ago: $0) }
    let ids = try Self.plan(resting.reversed() + busy).jobs.map(\.session.id)
    #expect(ids == busy.prefix(40).map(\.id) + resting.prefix(200).map(\.id))
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
