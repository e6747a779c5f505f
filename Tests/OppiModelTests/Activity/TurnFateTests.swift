// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct TurnFateTests {
  private var fate = TurnFate(.running)

  @Test("a failure is the turn's end until something makes it good")
  mutating func failure() {
    fate.fail("busy")
    #expect(fate.outcome == .failed("busy"))
    fate.recover()
    #expect(fate.outcome == nil)
  }

  @Test("a stop counts more than a failure, and is news once")
  mutating func stop() {
    fate.fail("aborted")
    #expect(fate.requestStop() == true)
    #expect(fate.requestStop() == false)
    #expect(fate.status == .stopping)
    #expect(fate.outcome == .stopped(reason: nil))
  }

  @Test("a stop that failed may still come true")
  mutating func failedStop() {
    _ = fate.requestStop()
    fate.failStop()
    #expect(fate.status == .running)
    #expect(fate.outcome == .stopped(reason: nil))
  }

  @Test("the end of the session is a stop that nobody announced")
  mutating func cancelled() {
    fate.cancel()
    #expect(fate.status == .running)
    #expect(fate.outcome == .stopped(reason: nil))
  }
}
