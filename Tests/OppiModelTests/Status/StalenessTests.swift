// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel

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
