// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiWire
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiTurns

@Suite struct BarTextTests {
  /// A state and its presentations.
  struct Case: Sendable, CustomTestStringConvertible {
    var state: ContentState
    var minimal: String
    var compact: String
    var expanded: [String]
    var text: String

    var testDescription: String { compact }
  }

  private static let work = TurnSummary(
    startedAt: .ago(187),
    operation: "bash: make",
    todo: TodoProgress(completed: 3, total: 7, current: "Fix it")
  )

  private static func request(_ id: String) -> PendingApproval {
    var request = PendingApproval.sample(id, .destructive, expiresAt: .ago(-95))
    request.reason = "Recursive delete"
    return request
  }

  private static let cases = [
    Case(
      state: .of(
        .sample("a", .waiting, turn: work, approvals: [request("b"), request("a")]),
        .sample("c", .running)
      ),
      minimal: "!",
      compact: "! 2 approvals 1:35",
      expanded: [
        "! Waiting for approval: webapp on studio  1:35 left", "bash: make a", "risk: deletes data",
        "reason: Recursive delete", "3 of 7 done: Fix it", "sessions: 1 waiting, 1 running",
      ],
      text: "Waiting for approval, webapp on studio, 1:35 left; bash: make a; risk: deletes data; "
        + "reason: Recursive delete; 3 of 7 done: Fix it; sessions: 1 waiting, 1 running"
    ),
    Case(
      state: .of(.sample("a", .waiting, question: .init(id: "q", text: "Which one?"))),
      minimal: "!",
      compact: "! question",
      expanded: ["! Waiting for an answer: webapp on studio", "Which one?", "sessions: 1 waiting"],
      text: "Waiting for an answer, webapp on studio; Which one? sessions: 1 waiting"
    ),
    Case(
      state: .of(
        .sample("a", .waiting, approvals: [request("b"), request("a")]),
        .sample("c", .waiting, question: .init(id: "q", text: "Which one?"))
      ),
      minimal: "!",
      compact: "! 2 approvals, 1 question 1:35",
      expanded: [
        "! Waiting for approval: webapp on studio  1:35 left", "bash: make a", "risk: deletes data",
        "reason: Recursive delete", "sessions: 2 waiting", "pending: 2 approvals, 1 question",
      ],
      text: "Waiting for approval, webapp on studio, 1:35 left; bash: make a; risk: deletes data; "
        + "reason: Recursive delete; sessions: 2 waiting; pending: 2 approvals, 1 question"
    ),
    Case(
      state: .of(
        .sample("a", .failed, turn: TurnSummary(endedAt: .ago(9), failure: "rate limit"))
      ),
      minimal: "✗",
      compact: "✗ failed",
      expanded: ["✗ Failed: webapp on studio", "rate limit", "sessions: 1 failed"],
      text: "Failed, webapp on studio; rate limit; sessions: 1 failed"
    ),
    Case(
      state: .of(.sample("a", .running, turn: work)),
      minimal: "▶",
      compact: "▶ running 3:07 3/7",
      expanded: [
        "▶ Running: webapp on studio  3:07", "bash: make", "3 of 7 done: Fix it",
        "sessions: 1 running",
      ],
      text: "Running, webapp on studio, 3:07; bash: make; 3 of 7 done: Fix it; "
        + "sessions: 1 running"
    ),
    Case(
      state: .of(.sample("a", .running), .sample("b", .running)),
      minimal: "▶",
      compact: "▶ 2 running",
      expanded: ["▶ Running: webapp on studio", "sessions: 2 running"],
      text: "Running, webapp on studio; sessions: 2 running"
    ),
    Case(
      state: .of(
        .sample(
          "a",
          .idle,
          turn: TurnSummary(startedAt: .ago(70), endedAt: .ago(9), end: .finished)
        )
      ),
      minimal: "✓",
      compact: "✓ idle",
      expanded: ["✓ Idle: webapp on studio  1:01", "sessions: 1 idle"],
      text: "Idle, webapp on studio, 1:01; sessions: 1 idle"
    ),
    Case(
      state: .of(.sample(), .sample("office", heard: .ago(60), failure: "Can't reach office")),
      minimal: "●",
      compact: "● idle",
      expanded: ["● Idle", "Can't reach office, last answer to oppi watch 1 min ago"],
      text: "Idle; Can't reach office, last answer to oppi watch 1 min ago"
    ),
    Case(
      state: .of(.sample(), .sample("off", heard: nil, failure: "Can't reach office")),
      minimal: "●",
      compact: "● idle",
      expanded: ["● Idle", "off: Can't reach office"],
      text: "Idle; off: Can't reach office"
    ),
    Case(
      state: .of(.sample(heard: .ago(400), [.sample("a", .running, turn: work)])),
      minimal: "▶~",
      compact: "▶~ running 0:00 3/7 (6 min old)",
      expanded: [
        "▶ Running: webapp on studio  0:00", "bash: make", "3 of 7 done: Fix it",
        "last known: 1 running", "as of 6 min ago",
      ],
      text: "Running, webapp on studio, 0:00; bash: make; 3 of 7 done: Fix it; "
        + "last known: 1 running; as of 6 min ago"
    ),
    Case(
      state: .of(.sample(heard: .ago(7200), failure: "timed out", [.sample("a", .running)])),
      minimal: "○",
      compact: "○ offline (2 h old)",
      expanded: [
        "○ Offline  last answer to oppi watch 2 h ago", "last known: 1 running",
        "studio: last answer to oppi watch 2 h ago, timed out",
      ],
      text: "Offline, last answer to oppi watch 2 h ago; last known: 1 running; "
        + "studio: last answer to oppi watch 2 h ago, timed out"
    ),
    Case(
      state: .of(.sample(heard: nil, failure: "no token")),
      minimal: "○",
      compact: "○ offline",
      expanded: ["○ Offline", "studio: no token"],
      text: "Offline; studio: no token"
    ),
    Case(
      state: ContentState(FleetStatus(at: .noon, servers: []), at: .noon),
      minimal: "+",
      compact: "+ not paired",
      expanded: ["+ Not paired", "pair with a server: oppi pair -"],
      text: "Not paired; pair with a server: oppi pair -"
    ),
    Case(
      state: ContentState(failure: "servers.json is damaged"),
      minimal: "✗",
      compact: "✗ failed",
      expanded: ["✗ Failed", "servers.json is damaged"],
      text: "Failed; servers.json is damaged"
    ),
  ]

  @Test("each state has a symbol, a short form, lines and a text", arguments: cases)
  func shows(_ test: Case) {
    let glance = BarText(test.state, at: .noon)
    #expect(glance.line(.minimal) == test.minimal)
    #expect(glance.line(.compact) == test.compact)
    #expect(glance.lines(.expanded).map(\.plain) == test.expanded)
    #expect(glance.text == test.text)
  }

  @Test("a symbol is one code point in one column, and each status has its own mark")
  func symbols() {
    let marks = ContentState.Status.allCases.map { StatusMark($0) }
    #expect(marks.allSatisfy { $0.symbol.unicodeScalars.count == 1 })
    #expect(marks.allSatisfy { DisplayWidth.of($0.symbol) == 1 })
    #expect(Set(marks.map { $0.symbol + $0.word }).count == marks.count)
    #expect(Set(Self.cases.map(\.state.status)) == Set(ContentState.Status.allCases))
  }

  @Test("the output for many sessions and servers is bounded")
  func crowd() {
    let sessions = (0..<3000).map { SessionStatus.sample("s\($0)", .running) }
    #expect(BarText(.of(.sample(sessions)), at: .noon).line(.compact) == "▶ 999+ running")
    let servers = (1...200).map { number in
      ServerStatus.sample(String(repeating: "x", count: number), heard: nil, failure: "no")
    }
    let state = ContentState(FleetStatus(at: .noon, servers: servers), at: .noon)
    let lines = BarText(state, at: .noon).lines(.expanded).map(\.plain)
    #expect(lines.count == 7 && lines.last == "195 more servers unreachable")
  }

  @Test("up to 999 sessions are counted exactly", arguments: [(999, "999"), (1000, "999+")])
  func counts(count: Int, number: String) {
    let sessions = (0..<count).map { SessionStatus.sample("s\($0)", .running) }
    #expect(BarText(.of(.sample(sessions)), at: .noon).line(.compact) == "▶ \(number) running")
  }

  private static func expanded(_ state: ContentState) -> [String] {
    BarText(state, at: .noon).lines(.expanded).map(\.plain)
  }

  @Test("a server is named beside a reason in which its name is only the end of a word")
  func partOfName() {
    let away = ServerStatus.sample("ice", heard: nil, failure: "Can't reach office")
    #expect(Self.expanded(.of(.sample(), away)) == ["● Idle", "ice: Can't reach office"])
  }

  @Test("a turn that has finished shows no to-do list")
  func finished() {
    var turn = Self.work
    (turn.endedAt, turn.end) = (.ago(126), .finished)
    let lines = Self.expanded(.of(.sample("a", .idle, turn: turn)))
    #expect(lines == ["✓ Idle: webapp on studio  1:01", "sessions: 1 idle"])
  }

  @Test("seconds are shown as a clock time")
  func clock() {
    let cases = [
      (0, "0:00"), (187, "3:07"), (3599, "59:59"), (3725, "1:02:05"), (-5, "0:00"),
      (Int.max, "999:59:59"), (Int.min, "0:00"),
    ]
    for (seconds, text) in cases { #expect(ElapsedTime.clock(seconds: seconds) == text) }
  }
}
