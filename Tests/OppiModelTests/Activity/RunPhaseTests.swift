// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct RunPhaseTests {
  private static let end = Timestamp(seconds: 1)
  private static let now = Timestamp(seconds: 2)

  @Test("an expected retry replaces an expected compaction, and not the reverse")
  func sequels() {
    var run = RunPhase.ended(.unknown, at: Self.end)
    #expect(run.doubtfulEnd == Self.end)
    run.expect(.compaction)
    #expect(run == .ended(.compaction, at: Self.end))
    #expect(run.doubtfulEnd == nil)
    run.expect(.retry)
    run.expect(.compaction)
    #expect(run == .ended(.retry, at: Self.end))
  }

  @Test("a run that has not ended has no successor", arguments: [RunPhase.none, .awaited, .active])
  func noSequel(run: RunPhase) {
    var changed = run
    changed.expect(.retry)
    #expect(changed == run)
  }

  @Test("a turn ends with its last completed run, or now if a run is active")
  func turnEnd() {
    #expect(RunPhase.ended(.retry, at: Self.end).turnEnd(at: Self.now) == Self.end)
    #expect(RunPhase.resumed(endedAt: Self.end, at: Self.now).turnEnd(at: Self.now) == Self.end)
    #expect(RunPhase.active.turnEnd(at: Self.now) == Self.now)
    #expect(RunPhase.none.turnEnd(at: Self.now) == nil)
    #expect(RunPhase.awaited.turnEnd(at: Self.now) == nil)
  }

  @Test("a ready session is idle unless a retry is announced")
  func ready() {
    #expect(!RunPhase.active.goesOn(.ready))
    #expect(!RunPhase.ended(.unknown, at: Self.end).goesOn(.ready))
    #expect(RunPhase.ended(.retry, at: Self.end).goesOn(.ready))
    #expect(RunPhase.none.goesOn(.busy))
    #expect(!RunPhase.active.goesOn(.stopped))
  }
}
