// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct TurnFateTests {
  private var fate = TurnFate(.running)

  @Test("a failure is the outcome until the turn recovers")
  mutating func failure() {
    fate.fail("busy")
    #expect(fate.outcome == .failed("busy"))
    fate.recover()
    #expect(fate.outcome == nil)
  }

  @Test("a stop has precedence over a failure and is new once")
  mutating func stop() {
    fate.fail("aborted")
    #expect(fate.requestStop() == true)
    #expect(fate.requestStop() == false)
    #expect(fate.status == .stopping)
    #expect(fate.outcome == .stopped(reason: nil))
  }

  @Test("after a failed stop, the outcome is still stopped")
  mutating func failedStop() {
    _ = fate.requestStop()
    fate.failStop()
    #expect(fate.status == .running)
    #expect(fate.outcome == .stopped(reason: nil))
  }

  @Test("a cancelled turn is stopped without a stop request")
  mutating func cancelled() {
    fate.cancel()
    #expect(fate.status == .running)
    #expect(fate.outcome == .stopped(reason: nil))
  }
}
