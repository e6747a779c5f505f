// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiWire

/// Stops that are slow, that fail, or that find nothing to stop.
@Suite struct ActivityReducerStopTests {
  private var talk = Conversation()

  private static let stopped = ActivityChange.ended(.stopped(reason: nil))
  private static let idle = ServerMessage.Kind.stopConfirmed(reason: "Session already idle")
  private static let pause = ServerMessage.Kind.retryStart(
    attempt: 1,
    of: 3,
    delay: .seconds(2),
    error: "overloaded"
  )

  init() { talk.begin() }

  @Test("a stop ends the turn when it is confirmed or when the run ends")
  mutating func stopped() {
    #expect(talk.tell(.stopRequested) == [.notice("Stopping")])
    #expect(talk.activity.status == .stopping)
    talk.tell(.says("so far"), .agentEnd)
    #expect(talk.tell(.stopConfirmed(reason: nil)) == [.ended(.stopped(reason: nil))])
    talk.begin()
    #expect(talk.finish(.stopRequested) == [.ended(.stopped(reason: nil))])
  }

  @Test("a stop after the end of the run does not change its outcome")
  mutating func stoppedTooLate() {
    talk.tell(.says("Done."), .agentEnd)
    #expect(talk.tell(.stopConfirmed(reason: "Session already idle")).isEmpty)
    #expect(talk.tell(.stopRequested) == [.done("Done.")])
    #expect(talk.tell(.stopConfirmed(reason: nil)).isEmpty)
  }

  @Test("after a failed stop, the turn continues")
  mutating func stopFailed() {
    talk.tell(.stopRequested)
    #expect(talk.tell(.stopFailed(reason: "timed out")) == [.notice("Stop failed: timed out")])
    #expect(talk.activity.status == .running)
  }

  @Test("a stop that fails after the turn has ended does not revive the turn")
  mutating func failedTooLate() {
    #expect(talk.tell(.stopRequested, .agentEnd, .stopConfirmed(reason: nil)).last == Self.stopped)
    talk.tell(.stopFailed(reason: "timed out"))
    #expect(talk.activity.isFinished)
  }

  @Test("a stop of the turn before does not end a prompt that has not reached the agent")
  mutating func stopBeforePrompt() {
    _ = talk.finish(.says("One."))
    _ = talk.handOver("next")
    #expect(talk.tell(.stopConfirmed(reason: nil)).isEmpty)
    talk.tell(.agentStart, .hears("next"))
    #expect(talk.finish(.says("Two.")) == [.done("Two.", own: true)])
  }

  private mutating func pauseBeforeRetry() {
    talk.tell(.fails("overloaded"), .says(""), .agentEnd, Self.pause)
  }

  @Test("a turn that ends after a failed stop is stopped")
  mutating func failedStop() {
    talk.tell(.stopRequested, .stopFailed(reason: "timed out"))
    #expect(talk.activity.status == .running)
    #expect(talk.finish(.says("On and on.")) == [Self.stopped])
  }

  @Test("a stop is new once, and a reply that the session is idle does not end it")
  mutating func secondStop() {
    talk.tell(.stopRequested)
    #expect(talk.tell(.stopRequested, Self.idle).isEmpty)
    #expect(talk.activity.status == .stopping)
    #expect(talk.tell(.agentEnd, .stopConfirmed(reason: nil)) == [Self.stopped])
  }

  @Test(
    "a stop, an error and a compaction in the pause before a retry do not end the turn",
    arguments: [
      [idle], [.fails("still overloaded")], [.compactionStart, .compactionEnd(willRetry: false)],
    ]
  )
  mutating func inPause(told: [ServerMessage.Kind]) {
    pauseBeforeRetry()
    for kind in told { #expect(!talk.tell(kind).contains { $0.isTurn }) }
    #expect(!talk.reducer.isSettling)
    talk.tell(.agentStart, .says("Now."))
    #expect(talk.activity.status == .running)
    #expect(talk.finish(.retryEnd(success: true, error: nil)) == [.done("Now.")])
  }

  @Test("the end of a run in the pause before a retry ends the turn")
  mutating func abortedRetry() {
    pauseBeforeRetry()
    #expect(talk.tell(.agentEnd) == [.ended(.failed("overloaded"))])
  }

  @Test("a turn that is stopped in the pause before a retry waits for no retry")
  mutating func stoppedInPause() {
    pauseBeforeRetry()
    #expect(talk.activity.retry != nil)
    #expect(talk.tell(.stopConfirmed(reason: nil)) == [Self.stopped])
    #expect(talk.activity.retry == nil)
  }

  @Test("a cancelled approval stops the turn")
  mutating func cancelledApproval() {
    talk.tell(.says(""), .calls("t"), .asks("p"))
    #expect(
      talk.finish(.permissionCancelled(id: "p"), .returns("t", isError: true)) == [Self.stopped]
    )
  }
}
