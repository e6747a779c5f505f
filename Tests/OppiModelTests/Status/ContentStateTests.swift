// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct ContentStateTests {
  private static let ended = TurnSummary(startedAt: .ago(100), endedAt: .ago(60), end: .finished)
  private static let failed = TurnSummary(endedAt: .ago(60), failure: "rate limit", end: .failed)
  private static let question = SessionStatus.Question(id: "q", text: "Which one?")

  /// One session for each state, the most urgent first.
  private static let byUrgency: [(status: ContentState.Status, session: SessionStatus)] = [
    (.awaitingApproval, .sample("a", .waiting, approvals: [.sample("r")])),
    (.awaitingAnswer, .sample("b", .waiting, question: question)),
    (.error, .sample("c", .failed, turn: failed)),
    (.processing, .sample("d", .running)),
    (.completed, .sample("e", .idle, turn: ended)),
    (.idle, .sample("f", .idle)),
  ]

  @Test("the more urgent of two sessions is shown in any order")
  func priority() {
    for (first, urgent) in Self.byUrgency.enumerated() {
      #expect(ContentState.of(urgent.session).status == urgent.status)
      for other in Self.byUrgency[(first + 1)...] {
        for pair in [[urgent.session, other.session], [other.session, urgent.session]] {
          let state = ContentState.of(.sample(pair))
          #expect(state.status == urgent.status)
          #expect(state.shown?.status.id == urgent.session.id)
          let apart = ContentState.of(.sample("one", [pair[0]]), .sample("other", [pair[1]]))
          #expect(apart.shown?.status.id == urgent.session.id)
        }
      }
    }
  }

  @Test("requests are ordered by risk, then by expiry, with endless requests last")
  func approvals() {
    let requests: [PendingApproval] = [
      .sample("a", .high), .sample("b", .destructive, expiresAt: .ago(-5)),
      .sample("c", .destructive, expiresAt: .ago(-50)), .sample("d", .destructive),
      .sample("e", .read, expiresAt: .ago(-1)),
    ]
    for (index, request) in requests.enumerated() {
      let rest = requests[index...].reversed().map {
        SessionStatus.sample("of-\($0.id)", .waiting, approvals: [$0])
      }
      let state = ContentState.of(.sample(rest))
      #expect(state.approval == request)
      #expect(state.shown?.status.id == "of-\(request.id)")
      #expect(state.pendingApprovals == rest.count)
    }
  }

  @Test("of two servers with equal ids, the same one is shown in any order, with its own call")
  func twins() {
    let servers = ["attic", "studio"].map { name -> ServerStatus in
      var request = PendingApproval.sample("same", .high)
      request.summary = "ls \(name)"
      return .sample(name, [.sample("a", .waiting, approvals: [request])])
    }
    for pair in [servers, servers.reversed()] {
      let state = ContentState.of(pair[0], pair[1])
      #expect(state.shown?.server == "attic" && state.approval?.summary == "ls attic")
    }
  }

  @Test("an expired request is not pending, and its session is running")
  func expired() {
    let late = PendingApproval.sample("late", .high, expiresAt: .noon)
    let state = ContentState.of(.sample("a", .waiting, approvals: [late]))
    #expect(state.status == .processing && state.approval == nil && state.pendingApprovals == 0)
    #expect(state.counts == [.running: 1])
    #expect(state.shown?.status.phase == .running && state.shown?.status.approvals == [])
    let next = PendingApproval.sample("next", .read, expiresAt: .ago(-1))
    let both = ContentState.of(.sample("a", .waiting, approvals: [late, next]))
    #expect(both.approval == next && both.pendingApprovals == 1)
    #expect(next.secondsLeft(at: .noon) == 1 && late.secondsLeft(at: .noon) == 0)
  }

  @Test("the most recently active of equally urgent sessions is shown")
  func latest() {
    let state = ContentState.of(
      .sample("a", .running, lastActivity: .ago(9)),
      .sample("c", .running, lastActivity: .ago(3)),
      .sample("b", .running, lastActivity: .ago(3))
    )
    #expect(state.shown?.status.id == "b")
    #expect(state.counts == [.running: 3])
  }

  @Test(
    "an ended turn is shown for 15 minutes",
    arguments: [(900, true), (901, false)],
    [SessionPhase.failed, .idle, .done]
  )
  func dismissed(age: (seconds: Int, isShown: Bool), phase: SessionPhase) {
    let turn = TurnSummary(
      startedAt: .ago(2000),
      endedAt: .ago(age.seconds),
      end: phase == .failed ? .failed : .finished
    )
    let state = ContentState.of(.sample("a", phase, turn: turn))
    let shown: ContentState.Status = phase == .failed ? .error : .completed
    #expect(state.status == (age.isShown ? shown : .idle))
    #expect((state.shown == nil) == !age.isShown)
  }

  private static let ends: [TurnEnd?] = TurnEnd.allCases.map { $0 } + [nil]

  @Test(
    "only a turn with a known success is completed",
    arguments: ends,
    [SessionPhase.idle, .done]
  )
  func completed(end: TurnEnd?, phase: SessionPhase) {
    let turn = TurnSummary(startedAt: .ago(90), endedAt: .ago(60), end: end)
    let state = ContentState.of(.sample("a", phase, turn: turn))
    #expect(state.status == (end == .finished ? .completed : .idle))
  }

  @Test("the outcome of the last turn is unknown without a summary")
  func outcome() {
    var session = SessionStatus.sample("a", .idle)
    #expect(session.outcome == nil, "no prompt was ever sent")
    session.messageCount = 1
    #expect(session.outcome == .unknown)
    session.turn = Self.ended
    #expect(session.outcome == .finished)
    session.phase = .failed
    session.turn = nil
    #expect(session.outcome == .failed, "its agent could not be started")
    for phase in [SessionPhase.running, .waiting] {
      session.phase = phase
      #expect(session.outcome == nil)
    }
  }

  @Test("a failed session without a turn is an error, and an ended session is idle")
  func withoutTurn() {
    #expect(ContentState.of(.sample("a", .failed)).status == .error)
    #expect(ContentState.of(.sample("a", .failed, lastActivity: .ago(1000))).status == .idle)
    #expect(ContentState.of(.sample("a", .done)).status == .idle)
    #expect(ContentState.of().status == .idle)
  }

  @Test("the operation is the current activity or the failure")
  func operation() {
    let work = TurnSummary(startedAt: .ago(187), operation: "bash: make", failure: "no")
    let state = ContentState.of(.sample("a", .running, turn: work))
    #expect(state.operation == "bash: make" && state.elapsedSeconds == 187)
    #expect(ContentState.of(.sample("a", .failed, turn: Self.failed)).operation == "rate limit")
  }

  @Test("the elapsed time of an ended turn is constant, even without a known end")
  func elapsed() {
    #expect(ContentState.of(.sample("a", .idle, turn: Self.ended)).elapsedSeconds == 40)
    let endless = TurnSummary(startedAt: .ago(100), end: .finished)
    let session = SessionStatus.sample("a", .idle, lastActivity: .ago(30), turn: endless)
    #expect(ContentState.of(session).elapsedSeconds == 70)
    let tomorrow = TurnSummary(startedAt: .ago(-9))
    #expect(ContentState.of(.sample("a", .running, turn: tomorrow)).elapsedSeconds == 0)
  }

  @Test("extreme moments do not overflow")
  func extremes() {
    let moments = [Int.min, 0, Int.max].map { Timestamp(milliseconds: $0) }
    for now in moments {
      for then in moments {
        let turn = TurnSummary(startedAt: then, endedAt: nil)
        let request = PendingApproval.sample("r", expiresAt: then)
        let session = SessionStatus.sample(
          "a",
          .waiting,
          lastActivity: then,
          turn: turn,
          approvals: [request]
        )
        let state = ContentState.of(.sample(heard: then, failure: "no", [session]), at: now)
        #expect(state.ageSeconds ?? 0 >= 0 && state.elapsedSeconds ?? 0 >= 0)
        #expect(request.secondsLeft(at: now) ?? 0 >= 0)
      }
    }
  }
}

@Suite struct StalenessTests {
  private static let running = SessionStatus.sample(
    "a",
    .running,
    turn: TurnSummary(startedAt: .ago(1000))
  )

  @Test("a snapshot is stale if the server was last heard more than 5 minutes ago")
  func stale() {
    let present = ContentState.of(.sample(heard: .ago(300), [Self.running]))
    #expect(!present.isStale && present.ageSeconds == 300 && present.status == .processing)
    let old = ContentState.of(.sample(heard: .ago(301), [Self.running]))
    #expect(old.isStale && old.ageSeconds == 301 && old.status == .processing)
  }

  @Test("a server that was heard in the future, by a clock that was set back since, is stale")
  func future() {
    let soon = ContentState.of(.sample(heard: .ago(-60), failure: "no", [Self.running]))
    #expect(!soon.isStale && soon.ageSeconds == 0 && soon.status == .processing)
    let late = ContentState.of(.sample(heard: .ago(-61), failure: "no", [Self.running]))
    #expect(late.isStale && late.ageSeconds == nil && late.status == .offline)
    #expect(late.absences.map(\.ageSeconds) == [nil])
  }

  @Test("the elapsed time of a turn stops at the last contact")
  func elapsed() {
    let old = ContentState.of(.sample(heard: .ago(600), [Self.running]))
    #expect(old.elapsedSeconds == 400)
  }

  @Test("the status is offline if every server fails and was not heard for 5 minutes")
  func offline() {
    let never = ContentState.of(.sample(heard: nil, failure: "Can't reach studio"))
    #expect(never.status == .offline && never.isStale && never.ageSeconds == nil)
    #expect(
      never.absences == [.init(server: "studio", reason: "Can't reach studio", ageSeconds: nil)]
    )
    let late = ContentState.of(.sample(heard: .ago(400), failure: "no", [Self.running]))
    #expect(late.status == .offline && late.ageSeconds == 400)
    #expect(late.shown?.status.id == "a")
    // A short disconnection is not offline.
    let soon = ContentState.of(.sample(heard: .ago(60), failure: "no", [Self.running]))
    #expect(soon.status == .processing && soon.absences.map(\.ageSeconds) == [60])
  }

  @Test("an absent server does not hide sessions of reachable servers")
  func others() {
    let gone = ServerStatus.sample(
      "office",
      heard: .ago(9000),
      failure: "no",
      [.sample("b", .waiting, approvals: [.sample("r", .high)])]
    )
    let state = ContentState.of(gone, .sample([Self.running]))
    #expect(state.status == .processing && !state.isStale)
    #expect(state.pendingApprovals == 0 && state.approval == nil)
    #expect(state.counts == [.running: 1])
    #expect(state.absences == [.init(server: "office", reason: "no", ageSeconds: 9000)])
    #expect(ContentState.of(gone, .sample([])).status == .idle)
  }

  @Test("without servers the status is notPaired and not stale")
  func notPaired() {
    let state = ContentState.of()
    #expect(ContentState(FleetStatus(at: .noon, servers: []), at: .noon).status == .notPaired)
    #expect(state.status == .idle)
    #expect(!ContentState(FleetStatus(at: .noon, servers: []), at: .noon).isStale)
  }

  @Test("the passage of time alone is not a change")
  func timeless() {
    func state(at now: Timestamp, heard: Timestamp) -> ContentState {
      ContentState.of(
        .sample(heard: heard, [Self.running]),
        .sample("office", heard: .ago(500), failure: "no"),
        at: now
      )
    }
    let (now, later) = (
      state(at: .noon, heard: .ago(1)), state(at: .ago(-60), heard: .ago(-50))
    )
    #expect(now != later && now.timeless == later.timeless)
    var busy = Self.running
    busy.lastActivity = .noon
    busy.cost = 0.7
    #expect(ContentState.of(.sample([busy])).timeless == ContentState.of(Self.running).timeless)
    #expect(now.timeless != ContentState.of(.sample([])).timeless)
  }

  @Test(
    "a snapshot counts as maintained for 90 s, in either direction",
    arguments: [(90, true), (91, false), (-90, true), (-91, false), (Int.max, false)]
  )
  func kept(age: Int, isKept: Bool) {
    let at = age == .max ? Timestamp(milliseconds: .min) : .ago(age)
    #expect(FleetStatus(at: at, servers: []).isKept(at: .noon) == isKept)
  }

  @Test("progress is a percentage from 0 to 100 for any numbers")
  func percentage() {
    let cases = [(0, 3, 0), (1, 3, 33), (3, 3, 100), (9, 3, 100), (-5, 3, 0), (.max, .max, 100)]
    for (completed, total, percentage) in cases {
      #expect(TodoProgress(completed: completed, total: total).percentage == percentage)
    }
    for total in [0, -1, .min] {
      #expect(TodoProgress(completed: 1, total: total).percentage == nil)
    }
  }
}
