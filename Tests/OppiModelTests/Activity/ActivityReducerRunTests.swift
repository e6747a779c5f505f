// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct ActivityReducerRunTests {
  private var talk = Conversation()

  @Test("a run without a successor ends the turn when it is settled, at the time of the run's end")
  mutating func settles() {
    talk.begin()
    #expect(talk.tell(.says("Done."), .agentEnd).last == .textFinished("Done."))
    #expect(talk.reducer.isSettling)
    #expect(talk.settle() == [.done("Done.")])
    #expect(!talk.reducer.isSettling)
    #expect(talk.activity.elapsed(at: talk.now) == .seconds(3))
    #expect(talk.settle().isEmpty)
  }

  @Test(
    "the outcome of a turn follows from the messages of its run",
    arguments: [
      (
        "an empty last message is not an answer, even after other text",
        [.says("Let me look."), .calls("t"), .returns("t"), .says("")], .empty
      ),
      (
        "text before the last call is not an answer",
        [.says("Let me look."), .calls("t"), .returns("t")], .empty
      ),
      ("a blank answer is empty", [.says(" \n")], .empty),
      (
        "an error that the model recovers from is not a failure",
        [.fails("hiccup"), .textDelta("Fine."), .says("Fine.")], .succeeded(answer: "Fine.")
      ),
      (
        "an error after a partial answer is a failure",
        [.textDelta("Par"), .fails("hang up"), .says("Par")], .failed("hang up")
      ),
      (
        "a stop has precedence over a failure, also a stop that failed",
        [.fails("aborted"), .stopRequested, .stopFailed(reason: "timed out")],
        .stopped(reason: nil)
      ),
      (
        "a second failure after an unannounced run is the outcome of the turn",
        [.fails("a"), .says(""), .agentEnd, .agentStart, .fails("b"), .says("")], .failed("b")
      ),
      (
        "what a failed run said is not the answer of a run after it that says nothing",
        [.textDelta("Par"), .fails("hang up"), .says("Par"), .agentEnd, .agentStart], .empty
      ),
    ] as [(String, [ServerMessage.Kind], TurnOutcome)]
  )
  mutating func outcomes(rule: String, told: [ServerMessage.Kind], outcome: TurnOutcome) {
    talk.begin()
    for kind in told { talk.tell(kind) }
    #expect(talk.finish() == [.ended(outcome)], "\(rule)")
  }

  @Test("a retry does not end the turn, and its success is the outcome")
  mutating func retry() {
    talk.begin()
    talk.tell(.fails("overloaded"), .says(""), .agentEnd)
    let retry = ServerMessage.Kind.retryStart(
      attempt: 1,
      of: 3,
      delay: .seconds(2),
      error: "overloaded"
    )
    #expect(talk.tell(retry) == [.notice("Retry 1 of 3: overloaded")])
    #expect(!talk.reducer.isSettling)
    #expect(talk.activity.retry?.attempt == 1)
    #expect(talk.settle().isEmpty)
    talk.tell(.agentStart, .says("Now."), .retryEnd(success: true, error: nil), .agentEnd)
    #expect(talk.activity.retry == nil)
    #expect(talk.settle() == [.done("Now.")])
  }

  @Test(
    "a retry that is given up fails the turn, and a cancelled one stops it without a notice",
    arguments: [
      ("overloaded", .failed("overloaded")), ("Retry cancelled", .stopped(reason: nil)),
    ] as [(String, TurnOutcome)]
  )
  mutating func retryEnds(error: String, outcome: TurnOutcome) {
    talk.begin()
    talk.tell(.fails("overloaded"), .agentEnd)
    talk.tell(.retryStart(attempt: 1, of: 3, delay: .zero, error: "overloaded"))
    #expect(talk.tell(.retryEnd(success: false, error: error)) == [.ended(outcome)])
  }

  @Test(
    "the reason of a retry is the failure of the run unless the run has reported one",
    arguments: [nil, "hang up"] as [String?]
  )
  mutating func reasonOfRetry(failure: String?) {
    talk.begin()
    if let failure { talk.tell(.fails(failure)) }
    talk.tell(.agentEnd, .retryStart(attempt: 1, of: 3, delay: .zero, error: "overloaded"))
    #expect(talk.tell(.agentEnd) == [.ended(.failed(failure ?? "overloaded"))])
  }

  @Test(
    "a compaction ends the turn unless a retry follows it",
    arguments: [true, false]
  )
  mutating func compaction(willRetry: Bool) {
    talk.begin()
    talk.tell(.says("Hm."), .agentEnd, .compactionStart)
    #expect(talk.activity.isCompacting)
    #expect(talk.settle().isEmpty)
    let end = talk.tell(.compactionEnd(willRetry: willRetry))
    #expect(end == (willRetry ? [] : [.done("Hm.")]))
    #expect(!talk.activity.isCompacting)
    talk.tell(.agentStart, .says("Better."), .agentEnd)
    let last = talk.settle()
    #expect(last == [.done("Better.")])
  }

  @Test("a run after an end is a new turn if a user message starts it")
  mutating func nextTurn() {
    talk.begin()
    talk.tell(.says("One."), .agentEnd)
    #expect(talk.tell(.agentStart).isEmpty)
    #expect(
      talk.tell(.messageEnd(role: .user, text: "next")) == [
        .done("One."), .turnStarted(isOwn: false),
      ]
    )
    #expect(talk.activity.text.isEmpty)
  }

  @Test("a run after an end continues the turn if no user message starts it")
  mutating func unannouncedRetry() {
    talk.begin()
    talk.tell(.fails("overloaded"), .says(""), .agentEnd, .agentStart)
    #expect(talk.tell(.says("Made good.")) == [.text("Made good."), .textFinished("Made good.")])
    #expect(talk.finish() == [.done("Made good.")])
  }

  @Test("a refused prompt fails its turn, also without a registered prompt")
  mutating func refused() {
    #expect(
      talk.tell(.fails("No API key")) == [
        .turnStarted(isOwn: false), .ended(.failed("No API key")),
      ]
    )
    #expect(talk.handOver("go") == [.turnStarted(isOwn: true)])
    #expect(talk.tell(.fails("No API key")) == [.ended(.failed("No API key"), own: true)])
  }

  @Test("a refusal right after a run is that of the next prompt, and the turn before keeps its end")
  mutating func refusedAfterRun() {
    talk.begin()
    talk.tell(.says("One."), .agentEnd)
    #expect(
      talk.tell(.fails("No API key")) == [
        .done("One."), .turnStarted(isOwn: false), .ended(.failed("No API key")),
      ]
    )
  }

  @Test("a turn of this program starts once")
  mutating func begun() {
    #expect(talk.handOver("go") == [.turnStarted(isOwn: true)])
    #expect(talk.tell(.agentStart, .messageEnd(role: .user, text: "go")).isEmpty)
    #expect(talk.handOver("go").isEmpty)
    talk.tell(.says("Yes."), .agentEnd)
    #expect(talk.handOver("on", id: "2") == [.done("Yes.", own: true), .turnStarted(isOwn: true)])
  }

  @Test("the refusal of another client's prompt does not change the turn")
  mutating func foreignRefusal() {
    talk.begin()
    let text = "Agent is already processing. Specify streamingBehavior"
    #expect(talk.tell(.fails(text)) == [.notice(text)])
    #expect(talk.finish(.says("Mine.")) == [.done("Mine.")])
  }

  @Test("an error that answers a request is a notice")
  mutating func requestError() {
    talk.begin()
    let message = ServerMessage(.fails("Permission request not found: x"), sessionID: nil)
    #expect(
      talk.reducer.apply(message, at: talk.now) == [.notice("Permission request not found: x")]
    )
    #expect(talk.activity.status == .running)
  }

  @Test("a fatal error ends the turn at once")
  mutating func fatal() {
    talk.begin()
    let error = ServerMessage.Kind.error(message: "limit", code: nil, isFatal: true)
    #expect(talk.tell(error) == [.ended(.failed("limit"))])
  }

  @Test("a prompt sent during another turn is refused, and the other turn continues")
  mutating func refusedWhileBusy() {
    talk.begin()
    #expect(talk.handOver("now").isEmpty)
    let text = "Agent is already processing. Specify streamingBehavior"
    #expect(talk.tell(.fails(text)) == [.ended(.failed(text), own: true)])
    #expect(talk.finish(.says("One.")) == [.done("One.")])
  }
}
