// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct TurnBuilderTests {
  private var turn = TurnBuilder(after: TurnBuilder(), at: Timestamp(seconds: 1), own: nil)

  @Test("a failure is the outcome until the turn recovers")
  mutating func failure() {
    turn.fail("busy")
    #expect(turn.outcome == .failed("busy"))
    turn.recover()
    #expect(turn.outcome == .empty)
  }

  @Test("a stop has precedence over a failure and is new once")
  mutating func stop() {
    turn.fail("aborted")
    #expect(turn.requestStop() == true)
    #expect(turn.requestStop() == false)
    #expect(turn.known.status == .stopping)
    #expect(turn.outcome == .stopped(reason: nil))
  }

  @Test("after a failed stop, the outcome is still stopped")
  mutating func failedStop() {
    _ = turn.requestStop()
    turn.failStop()
    #expect(turn.known.status == .running)
    #expect(turn.outcome == .stopped(reason: nil))
  }

  @Test("a cancelled turn is stopped without a stop request")
  mutating func cancelled() {
    turn.cancel()
    #expect(turn.known.status == .running)
    #expect(turn.outcome == .stopped(reason: nil))
  }
}

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
