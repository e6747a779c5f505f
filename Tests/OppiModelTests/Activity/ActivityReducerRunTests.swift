// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel

@Suite struct ActivityReducerRunTests {
  private var talk = Conversation()

  @Test("a run without a successor ends the turn when it is settled, at the time of the run's end")
  mutating func settles() {
    talk.begin()
    #expect(talk.tell(.says("Done."), .agentEnd).last == .textFinished("Done."))
    #expect(talk.reducer.isSettling)
    #expect(talk.settle() == [.turnFinished(.succeeded(answer: "Done."), isOwn: false)])
    #expect(!talk.reducer.isSettling)
    #expect(talk.activity.elapsed(at: talk.now) == .seconds(3))
    #expect(talk.settle().isEmpty)
  }

  @Test("an empty last message is not an answer, even after other text")
  mutating func empty() {
    talk.begin()
    talk.tell(.says("Let me look."), .calls("t"), .returns("t"), .says(""), .agentEnd)
    #expect(talk.settle() == [.turnFinished(.empty, isOwn: false)])
  }

  @Test("text before the last call is not an answer")
  mutating func wordsBeforeCall() {
    talk.begin()
    talk.tell(.says("Let me look."), .calls("t"), .returns("t"), .agentEnd)
    #expect(talk.settle() == [.turnFinished(.empty, isOwn: false)])
  }

  @Test("a blank answer is empty")
  mutating func blank() {
    talk.begin()
    talk.tell(.says(" \n"), .agentEnd)
    #expect(talk.settle() == [.turnFinished(.empty, isOwn: false)])
  }

  @Test("an error that the model recovers from is not a failure")
  mutating func recovers() {
    talk.begin()
    talk.tell(.fails("hiccup"), .textDelta("Fine."), .says("Fine."), .agentEnd)
    #expect(talk.settle() == [.turnFinished(.succeeded(answer: "Fine."), isOwn: false)])
  }

  @Test("an error after a partial answer is a failure")
  mutating func partial() {
    talk.begin()
    talk.tell(.textDelta("Par"), .fails("hang up"), .says("Par"), .agentEnd)
    #expect(talk.settle() == [.turnFinished(.failed("hang up"), isOwn: false)])
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
    #expect(talk.settle() == [.turnFinished(.succeeded(answer: "Now."), isOwn: false)])
  }

  @Test("a retry that is given up fails the turn")
  mutating func retryGivenUp() {
    talk.begin()
    talk.tell(.fails("overloaded"), .agentEnd)
    talk.tell(.retryStart(attempt: 1, of: 3, delay: .zero, error: "overloaded"))
    #expect(
      talk.tell(.retryEnd(success: false, error: "overloaded")) == [
        .turnFinished(.failed("overloaded"), isOwn: false)
      ]
    )
  }

  @Test("a cancelled retry stops the turn without a notice")
  mutating func retryCancelled() {
    talk.begin()
    talk.tell(.fails("overloaded"), .agentEnd)
    talk.tell(.retryStart(attempt: 1, of: 3, delay: .zero, error: "overloaded"))
    #expect(
      talk.tell(.retryEnd(success: false, error: "Retry cancelled")) == [
        .turnFinished(.stopped(reason: nil), isOwn: false)
      ]
    )
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
    #expect(end == (willRetry ? [] : [.turnFinished(.succeeded(answer: "Hm."), isOwn: false)]))
    talk.tell(.agentStart, .says("Better."), .agentEnd)
    let last = talk.settle()
    #expect(last == [.turnFinished(.succeeded(answer: "Better."), isOwn: false)])
  }

  @Test("a run after an end is a new turn if a user message starts it")
  mutating func nextTurn() {
    talk.begin()
    talk.tell(.says("One."), .agentEnd)
    #expect(talk.tell(.agentStart).isEmpty)
    #expect(
      talk.tell(.messageEnd(role: .user, text: "next")) == [
        .turnFinished(.succeeded(answer: "One."), isOwn: false), .turnStarted(isOwn: false),
      ]
    )
    #expect(talk.activity.text.isEmpty)
  }

  @Test("a run after an end continues the turn if no user message starts it")
  mutating func unannouncedRetry() {
    talk.begin()
    talk.tell(.fails("overloaded"), .says(""), .agentEnd, .agentStart)
    #expect(talk.tell(.says("Made good.")) == [.text("Made good."), .textFinished("Made good.")])
    talk.tell(.agentEnd)
    #expect(talk.settle() == [.turnFinished(.succeeded(answer: "Made good."), isOwn: false)])
  }

  @Test("a second failure after an unannounced run is the outcome of the turn")
  mutating func unannouncedFailure() {
    talk.begin()
    talk.tell(.fails("a"), .says(""), .agentEnd, .agentStart, .fails("b"), .says(""), .agentEnd)
    #expect(talk.settle() == [.turnFinished(.failed("b"), isOwn: false)])
  }

  @Test("a refused prompt fails its turn, also without a registered prompt")
  mutating func refused() {
    #expect(
      talk.tell(.fails("No API key")) == [
        .turnStarted(isOwn: false), .turnFinished(.failed("No API key"), isOwn: false),
      ]
    )
    #expect(talk.handOver("go") == [.turnStarted(isOwn: true)])
    #expect(talk.tell(.fails("No API key")) == [.turnFinished(.failed("No API key"), isOwn: true)])
  }

  @Test("a turn of this program starts once")
  mutating func begun() {
    #expect(talk.handOver("go") == [.turnStarted(isOwn: true)])
    #expect(talk.tell(.agentStart, .messageEnd(role: .user, text: "go")).isEmpty)
    #expect(talk.handOver("go").isEmpty)
    talk.tell(.says("Yes."), .agentEnd)
    #expect(
      talk.handOver("on", id: "2") == [
        .turnFinished(.succeeded(answer: "Yes."), isOwn: true), .turnStarted(isOwn: true),
      ]
    )
  }

  @Test("the refusal of another client's prompt does not change the turn")
  mutating func foreignRefusal() {
    talk.begin()
    let text = "Agent is already processing. Specify streamingBehavior"
    #expect(talk.tell(.fails(text)) == [.notice(text)])
    talk.tell(.says("Mine."), .agentEnd)
    #expect(talk.settle() == [.turnFinished(.succeeded(answer: "Mine."), isOwn: false)])
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
    #expect(talk.tell(error) == [.turnFinished(.failed("limit"), isOwn: false)])
  }

  @Test("a prompt sent during another turn is refused, and the other turn continues")
  mutating func refusedWhileBusy() {
    talk.begin()
    #expect(talk.handOver("now").isEmpty)
    let text = "Agent is already processing. Specify streamingBehavior"
    #expect(talk.tell(.fails(text)) == [.turnFinished(.failed(text), isOwn: true)])
    talk.tell(.says("One."), .agentEnd)
    #expect(talk.settle() == [.turnFinished(.succeeded(answer: "One."), isOwn: false)])
  }
}
