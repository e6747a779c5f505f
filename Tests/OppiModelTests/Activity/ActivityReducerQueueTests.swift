// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// Several turns in one run, and whether each belongs to this program.
@Suite struct ActivityReducerQueueTests {
  private var talk = Conversation()

  private static let followUp = QueuedMessage(id: "f", kind: .followUp, text: "and then")
  private static let steer = QueuedMessage(id: "s", kind: .steer, text: "no, left")

  /// Plays a recording; the given prompt is registered as own `time` ms after the first frame.
  private func changes(
    _ name: String,
    handingOver prompt: (text: String, id: String)?,
    after time: Int = 0
  ) throws -> [ActivityChange] {
    let recording = try Recording(name)
    let start = try #require(recording.frames.first?.time.milliseconds)
    var replay = try Replay(sessionID: #require(recording.sessionIDs.first))
    var prompt = prompt
    for frame in recording.frames {
      if let own = prompt, frame.time.milliseconds - start >= time {
        replay.begin(clientTurnID: own.id, prompt: own.text, isQueued: time > 0, at: frame.time)
        prompt = nil
      }
      replay.play(frame)
    }
    replay.settle()
    return replay.steps.map(\.change)
  }

  /// The finished turns: "own" if so, then the first word of the answer, or the outcome.
  private func ends(_ changes: [ActivityChange]) -> [String] {
    changes.compactMap { change in
      guard case .turnFinished(let outcome, let isOwn) = change else { return nil }
      if case .succeeded(let answer) = outcome {
        return "\(isOwn ? "own " : "")\(answer.split(separator: " ").first ?? "")"
      }
      return "\(isOwn ? "own " : "")\(outcome.word)"
    }
  }

  @Test("a queued message that starts ends the turn before it with that turn's outcome")
  mutating func followUp() {
    talk.begin()
    talk.tell(.queueState([Self.followUp]), .says("One."))
    let changes = talk.tell(
      .queueItemStarted(Self.followUp),
      .queueState([]),
      .hears("and then"),
      .says("Two."),
      .agentEnd
    )
    #expect(
      changes == [
        .done("One."), .turnStarted(isOwn: false), .text("Two."), .textFinished("Two."),
      ]
    )
    #expect(talk.settle() == [.done("Two.")])
    #expect(talk.reducer.previousTurn?.outcome == .succeeded(answer: "One."))
  }

  @Test("a turn without an answer is finished when the next turn starts")
  mutating func emptyBeforeFollowUp() {
    talk.begin()
    talk.tell(.says(""), .queueItemStarted(Self.followUp), .hears("and then"))
    #expect(talk.activity.startedAt == Timestamp(seconds: 4))
    #expect(talk.activity.status == .running)
  }

  @Test("a queued prompt whose server empties the queue before it starts the prompt has its turn")
  mutating func leavesFirst() {
    talk.begin()
    _ = talk.handOver("and then", id: "f", queued: true)
    talk.tell(.queueState([Self.followUp]), .says("One."))
    let changes = talk.tell(.queueState([]), .queueItemStarted(Self.followUp), .hears("and then"))
    #expect(changes == [.done("One."), .turnStarted(isOwn: true)])
    #expect(talk.finish(.says("Two.")) == [.done("Two.", own: true)])
  }

  @Test("a prompt that has left the queue without a stop, and does not start, has no known outcome")
  mutating func leavesForGood() {
    talk.begin()
    _ = talk.handOver("and then", id: "f", queued: true)
    talk.tell(.queueState([Self.followUp]), .queueState([]), .says("One."), .agentEnd)
    let unknown = ActivityChange.ended(.unknown(reason: UnknownReason.stillQueued), own: true)
    #expect(talk.settle() == [.done("One."), unknown])
  }

  @Test("a message that left the queue in one turn is not dropped by the stop of the next one")
  mutating func leavesInEarlierTurn() {
    talk.begin()
    talk.tell(.queueState([Self.followUp]), .queueState([]), .says("One."), .agentEnd)
    #expect(talk.settle() == [.done("One.")])
    talk.begin()
    #expect(
      talk.tell(.stopRequested, .agentEnd, .stopConfirmed(reason: nil))
        == [.notice("Stopping"), .ended(.stopped(reason: nil))]
    )
  }

  @Test(
    "a prompt that leaves the queue only after a turn is dropped if a stop ended it, unless it starts",
    arguments: [true, false],
    [true, false]
  )
  mutating func leavesAfterStop(isStopped: Bool, starts: Bool) {
    talk.begin()
    _ = talk.handOver("and then", id: "f", queued: true)
    talk.tell(.queueState([Self.followUp]), .says("One."))
    if isStopped { talk.tell(.stopRequested) }
    talk.tell(.agentEnd, isStopped ? .stopConfirmed(reason: nil) : .agentSettled)
    #expect(talk.tell(.queueState([])).isEmpty && talk.reducer.isSettling)
    if starts {
      #expect(talk.tell(.queueItemStarted(Self.followUp)) == [.turnStarted(isOwn: true)])
    } else {
      let outcome = isStopped ? TurnOutcome.dropped : .unknown(reason: UnknownReason.stillQueued)
      #expect(talk.settle().last == .ended(outcome, own: true))
    }
  }

  @Test("a steering message continues the turn")
  mutating func steer() {
    talk.begin()
    talk.tell(.queueState([Self.steer]), .says("One."))
    let changes = talk.tell(.queueItemStarted(Self.steer), .queueState([]), .hears("no, left"))
    #expect(changes.isEmpty)
    #expect(talk.finish(.says("Left.")) == [.done("Left.")])
  }

  @Test("without queue frames, a message after a complete answer starts a turn")
  mutating func legacyFollowUp() {
    talk.begin()
    talk.tell(.says("One."))
    #expect(talk.tell(.hears("and then")) == [.done("One."), .turnStarted(isOwn: false)])
    talk.tell(.says("Looking."), .calls("t"), .returns("t"))
    #expect(talk.tell(.hears("no, left")).isEmpty)
    #expect(talk.finish(.says("Left.")) == [.done("Left.")])
  }

  @Test(
    "after a gap, a message is matched with the queued messages by its text",
    arguments: [true, false]
  )
  mutating func gap(steers: Bool) {
    talk.begin()
    talk.tell(.queueState([steers ? Self.steer : Self.followUp]), .says(steers ? "One." : ""))
    let changes = talk.tell(.hears(steers ? "no, left" : "and then"))
    #expect(changes.isEmpty == steers)
    #expect(talk.tell(.queueState([])).isEmpty)
  }

  @Test("a run after a retry continues the turn unless a message starts it")
  mutating func retry() {
    talk.begin()
    talk.tell(.fails("busy"), .agentEnd)
    talk.tell(.retryStart(attempt: 1, of: 3, delay: .seconds(2), error: "busy"), .agentStart)
    #expect(talk.tell(.hears("another")) == [.ended(.failed("busy")), .turnStarted(isOwn: false)])
  }

  @Test("the queue's id identifies the turn of a queued prompt")
  func ownQueued() throws {
    let prompt = (text: "echo second from B", id: "turn-b1")
    #expect(
      try ends(changes("105-queue-two-clients", handingOver: prompt, after: 430))
        == ["word1", "first", "own second", "stopped"]
    )
    #expect(
      try ends(changes("105c-legacy-queue-two-clients", handingOver: prompt, after: 430))
        == ["word1", "first", "own second", "stopped", "word1", "third", "fourth"]
    )
  }

  @Test("the turn of a prompt is the run that starts next")
  func ownDirect() throws {
    #expect(
      try ends(changes("105-queue-two-clients", handingOver: ("slow 3", "turn-a1")))
        == ["own word1", "first", "second", "stopped"]
    )
  }

  @Test("messages that disappear from the queue are dropped, own prompts included")
  func dropped() throws {
    let prompt = (text: "echo fourth from B", id: "turn-b2")
    let changes = try changes("105-queue-two-clients", handingOver: prompt, after: 4160)
    #expect(ends(changes) == ["word1", "first", "second", "own stopped", "stopped"])
    #expect(changes.contains(.ended(.dropped, own: true)))
    let dropped = changes.compactMap { change -> [String]? in
      if case .queueDropped(let messages) = change { messages.map(\.id) } else { nil }
    }
    // Another client withdrew the first, which shows only at the stop.
    #expect(dropped == [["turn-b3", "turn-a4", "turn-b2"]])
  }

  @Test("a queued prompt that has not started when the run ends may still be queued")
  mutating func notBegun() {
    talk.begin()
    #expect(talk.handOver("later", queued: true).isEmpty)
    #expect(talk.handOver("later", queued: true).isEmpty, "it waits once")
    talk.tell(.says("One."), .agentEnd)
    #expect(
      talk.settle() == [
        .done("One."),
        .ended(.unknown(reason: UnknownReason.stillQueued), own: true),
      ]
    )
    #expect(!talk.reducer.isSettling)
  }

  @Test("a queued prompt waits for a turn of which nothing was heard, however long that is silent")
  mutating func unheardTurn() {
    #expect(talk.handOver("later", queued: true) == [.turnStarted(isOwn: false)])
    #expect(!talk.reducer.isSettling)
    #expect(talk.settle().isEmpty)
    talk.tell(.says("One."), .agentEnd)
    #expect(talk.reducer.isSettling)
    talk.tell(.queueItemStarted(QueuedMessage(id: "1", kind: .followUp, text: "later")))
    #expect(
      talk.tell(.hears("later"), .says("Two."), .agentEnd, .agentSettled).last
        == .done("Two.", own: true)
    )
  }

  @Test("a queued prompt waits for the grace period after a stop as well")
  mutating func notBegunAfterStop() {
    talk.begin()
    _ = talk.handOver("later", queued: true)
    talk.tell(.stopRequested, .agentEnd, .stopConfirmed(reason: nil))
    #expect(talk.reducer.isSettling)
    #expect(talk.settle() == [.ended(.unknown(reason: UnknownReason.stillQueued), own: true)])
  }

  @Test("a queued prompt is dropped if its session ends")
  mutating func sessionEnded() {
    talk.begin()
    _ = talk.handOver("later", id: "f", queued: true)
    _ = talk.handOver("unlisted", id: "g", queued: true)
    talk.tell(.queueState([Self.followUp]))
    let changes = talk.tell(.sessionEnded(reason: "stopped"))
    #expect(
      changes == [
        .ended(.stopped(reason: "the session ended")),
        .queueDropped([Self.followUp]), .ended(.dropped, own: true),
        .ended(.dropped, own: true), .sessionEnded("stopped"),
      ]
    )
  }

  @Test("a queued prompt that started before it was registered is found by its id")
  mutating func lateHandOver() {
    talk.begin()
    talk.tell(.says("One."), .queueItemStarted(Self.followUp), .hears("and then"))
    #expect(talk.handOver("and then", id: "f", queued: true).isEmpty)
    #expect(talk.finish(.says("Two.")) == [.done("Two.", own: true)])
  }

  @Test("a queued prompt that starts a run has no turn before it")
  mutating func queuedOpensRun() {
    #expect(talk.handOver("later", queued: true) == [.turnStarted(isOwn: false)])
    #expect(talk.tell(.agentStart, .hears("later")).isEmpty)
    #expect(talk.finish(.says("Done.")) == [.done("Done.", own: true)])
  }

  @Test("the queue is bounded across turns")
  mutating func bounds() {
    let long = String(repeating: "x", count: 10_000)
    let queue = (0..<200).map { QueuedMessage(id: "\($0)", kind: .followUp, text: long) }
    talk.begin()
    talk.tell(.queueState(queue), .says("One."), .queueItemStarted(queue[0]))
    #expect(talk.activity.queue.count == Turn.companionLimit - 1)
    #expect(
      talk.activity.queue.allSatisfy { $0.text.utf8.count == Turn.queuedTextLimit }
    )
  }
}
