// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// Finds turns in a trace after missed messages, with the status of the listed session.
@Suite struct ActivityReducerReconnectTests {
  private var talk = Conversation()

  private static let notInTrace = ActivityChange.ended(
    .unknown(reason: UnknownReason.notInTrace),
    own: true
  )

  @Test(
    "the trace turn with this program's prompt is its own, with or without appended images",
    arguments: ["go", "go\ndata:image/png;base64,AAAA"]
  )
  mutating func ownPrompt(text: String) throws {
    _ = talk.handOver(" go\n")
    let changes = try talk.load(
      [
        .prompt("go"), .answer("Old."), .prompt(text), .answer("Went."), .prompt("go\non"),
        .answer("No."),
      ],
      "ready"
    )
    #expect(
      changes.prefix(3) == [
        .text("Went."), .textFinished("Went."), .done("Went.", own: true),
      ]
    )
  }

  @Test("a prompt that the trace lacks has no answer, even if another prompt was answered")
  mutating func missing() throws {
    _ = talk.handOver("go")
    #expect(try talk.load([.prompt("hello"), .answer("Hi.")], "ready") == [Self.notInTrace])
  }

  @Test("a prompt that the trace lacks stays running while the session is busy, without older text")
  mutating func notWritten() throws {
    _ = talk.handOver("go")
    #expect(try talk.load([.prompt("hello"), .answer("Hi.")], "busy").isEmpty)
    #expect(talk.activity.text.isEmpty)
    #expect(talk.finish(.says("Went.")) == [.done("Went.", own: true)])
  }

  @Test("a turn is finished if another turn follows it in the trace")
  mutating func followed() throws {
    _ = talk.handOver("go")
    let changes = try talk.load(
      [.prompt("go"), .answer("Went."), .prompt("next"), .bashCall],
      "busy"
    )
    #expect(changes.filter(\.isTurn) == [.done("Went.", own: true), .turnStarted(isOwn: false)])
    #expect(talk.activity.toolCalls.map(\.state) == [.running])
  }

  @Test("a queued prompt that started unseen ends the turn before it")
  mutating func queuedBegan() throws {
    talk.begin()
    let message = QueuedMessage(id: "1", kind: .followUp, text: "next")
    talk.tell(.queueState([message]))
    _ = talk.handOver("next", queued: true)
    let changes = try talk.load(
      [.prompt("go"), .answer("Went."), .prompt("next"), .answer("Done.")],
      "ready"
    )
    #expect(
      changes.filter(\.isTurn) == [
        .done("Went."), .turnStarted(isOwn: true), .done("Done.", own: true),
      ]
    )
    #expect(talk.activity.queue.isEmpty)
  }

  @Test("a queued prompt stays queued behind a busy turn, and is unknown if the agent is lost")
  mutating func queuedWaits() throws {
    talk.begin()
    _ = talk.handOver("next", queued: true)
    #expect(try talk.load([.prompt("go"), .answer("Went.")], "busy").contains(.text("Went.")))
    let changes = try talk.load([.prompt("go"), .answer("Went.")], "ready")
    #expect(changes == [.done("Went."), Self.notInTrace])
  }

  @Test(
    "the end of a turn is reported once, even if the next turn was joined early"
  )
  mutating func toldOnce() throws {
    _ = talk.handOver("go")
    _ = try talk.load([.prompt("go"), .bashCall], "ready", isAgentLost: true)
    talk.tell(.state(try .s1("busy")))
    _ = talk.handOver("next", id: "2")
    let changes = try talk.load(
      [.prompt("go"), .bashCall, .prompt("next"), .answer("Done.")],
      "ready"
    )
    #expect(changes.filter(\.isTurn) == [.done("Done.", own: true)])
  }

  @Test("a prompt has the answer of a turn that was joined before its prompt was seen")
  mutating func joined() throws {
    talk.tell(.state(try .s1("busy")))
    _ = talk.handOver("go")
    let changes = try talk.load([.prompt("go"), .answer("Went.")], "ready")
    #expect(changes.filter(\.isTurn) == [.done("Went.", own: true)])
  }

  @Test("an unreported turn between two turns of this program is reported")
  mutating func between() throws {
    _ = talk.handOver("go")
    _ = try talk.load([.prompt("go"), .answer("Went.")], "ready")
    talk.tell(.state(try .s1("busy")))
    _ = talk.handOver("next", id: "2")
    let changes = try talk.load(
      [
        .prompt("go"), .answer("Went."), .prompt("went?"), .answer("Yes."), .prompt("next"),
        .answer("Done."),
      ],
      "ready"
    )
    #expect(
      changes.filter(\.isTurn) == [
        .done("Yes."), .turnStarted(isOwn: true), .done("Done.", own: true),
      ]
    )
  }

  private static let doubtful = ActivityChange.ended(.unknown(reason: UnknownReason.mayBeCutOff))
  private static let cut = ActivityChange.ended(.unknown(reason: UnknownReason.cutOff))
  private static let pause: [ServerMessage.Kind] = [
    .fails("busy"), .says(""), .agentEnd,
    .retryStart(attempt: 1, of: 3, delay: .seconds(2), error: "busy"),
  ]

  /// What was received of a turn, what the trace shows after that, and the turns that this reports.
  private static let readings:
    [(
      rule: String, told: [ServerMessage.Kind], trace: [JSONValue], status: String,
      isAgentLost: Bool, turns: [ActivityChange]
    )] = [
      (
        "a ready session in the pause before a retry stays running",
        pause, [.prompt("go")], "ready", false, []
      ),
      (
        "it ends if its agent is lost",
        pause, [.prompt("go")], "ready", true, [.ended(.failed("busy"))]
      ),
      (
        "a busy status is ignored if the caller knows that it is stale",
        [], [.prompt("go"), .bashCall], "busy", true, [cut]
      ),
      (
        "a turn that a restarted agent began is running while the session is busy",
        [], [.prompt("go"), .bashCall, .prompt("next")], "busy", true,
        [cut, .turnStarted(isOwn: false)]
      ),
      (
        "a turn that was missed whole may have been cut off, whichever agent began it",
        [], [.prompt("go"), .bashCall, .prompt("next"), .answer("Done.")], "ready", true,
        [cut, .turnStarted(isOwn: false), doubtful]
      ),
      (
        "an answer that another prompt followed may have been cut off before it",
        [], [.prompt("go"), .answer("Half a"), .prompt("next")], "busy", true,
        [doubtful, .turnStarted(isOwn: false)]
      ),
      (
        "it is an answer if the agent is the same",
        [], [.prompt("go"), .answer("Done."), .prompt("next")], "busy", false,
        [.done("Done."), .turnStarted(isOwn: false)]
      ),
      (
        "an end that was seen before the trace was loaded has precedence over the trace",
        [.says(""), .agentEnd], [.prompt("go")], "ready", false, [.ended(.empty)]
      ),
      (
        "a failure seen before the gap is the outcome of the turn",
        [.textDelta("Par"), .fails("hang up"), .says("Par")], [.prompt("go"), .answer("Par")],
        "ready", false, [.ended(.failed("hang up"))]
      ),
      (
        "a message may be cut off if its end was not received before its agent was lost",
        [.textDelta("Half a")], [.prompt("go"), .answer("Half a word")], "ready", true, [doubtful]
      ),
      (
        "so may one of which nothing was received",
        [], [.prompt("go"), .answer("Half a")], "ready", true, [doubtful]
      ),
      (
        "the agent of a stopped session is gone",
        [.textDelta("Half a")], [.prompt("go"), .answer("Half a")], "stopped", false, [doubtful]
      ),
      (
        "it is an answer if its agent is there",
        [.textDelta("Half a")], [.prompt("go"), .answer("Half a")], "ready", false,
        [.done("Half a")]
      ),
      (
        "a message that ended is an answer although its agent is gone",
        [.textDelta("Half a"), .says("Half a")], [.prompt("go"), .answer("Half a")], "ready", true,
        [.done("Half a")]
      ),
    ]

  @Test("a trace reports turns by what was received, and by the agent", arguments: readings.indices)
  mutating func reads(index: Int) throws {
    let row = Self.readings[index]
    talk.begin()
    for kind in row.told { talk.tell(kind) }
    let changes = try talk.load(row.trace, row.status, isAgentLost: row.isAgentLost)
    #expect(changes.filter(\.isTurn) == row.turns, "\(row.rule)")
    let isOver = if case .turnFinished? = row.turns.last { true } else { false }
    #expect(talk.activity.isFinished == isOver, "\(row.rule)")
  }

  @Test(
    "a turn whose announced sequel was missed ends as far as it was seen",
    arguments: [true, false]
  )
  mutating func missedSequel(isAnswered: Bool) throws {
    talk.begin()
    talk.tell(.fails("busy"), .says(""), .agentEnd)
    #expect(!talk.reducer.awaitsSequel)
    #expect(talk.reducer.giveUpSequel().isEmpty, "nothing was announced")
    talk.tell(.retryStart(attempt: 1, of: 3, delay: .seconds(2), error: "busy"))
    #expect(talk.reducer.awaitsSequel)
    _ = try talk.load([.prompt("go")], "ready")
    if isAnswered { _ = try talk.load([.prompt("go"), .answer("Done.")], "ready") }
    #expect(!talk.activity.isFinished)
    let outcome = isAnswered ? TurnOutcome.succeeded(answer: "Done.") : .failed("busy")
    #expect(talk.reducer.giveUpSequel().filter(\.isTurn) == [.turnFinished(outcome, isOwn: false)])
    #expect(!talk.reducer.awaitsSequel)
  }

  @Test(
    "only a trace that ends with another turn or with a prompt may contain a newer turn",
    arguments: [
      ([.prompt("go"), .answer("Went.")], false),
      ([.prompt("go"), .bashCall], false),
      ([.prompt("go")], true),
      ([.prompt("go"), .bashCall, .bashResult, .prompt("left")], false),
      ([.prompt("go"), .answer("Went."), .prompt("next"), .answer("Done.")], true),
      ([], false),
    ] as [([JSONValue], Bool)]
  )
  mutating func begunSince(trace: [JSONValue], mayHaveBegun: Bool) {
    #expect(!talk.reducer.mayHaveBegun(inTrace: .array(trace)))
    talk.begin()
    #expect(talk.reducer.mayHaveBegun(inTrace: .array(trace)) == mayHaveBegun)
  }

  @Test("the reducer detects a reset counter until the next turn")
  mutating func fellBack() throws {
    let busy = try Session.s1("busy")
    talk.begin()
    talk.tell(.connected(busy, currentSequence: 0))
    #expect(try talk.load([.prompt("go"), .bashCall], "busy").contains { $0.isTurn })
    talk.begin()
    #expect(try talk.load([.prompt("go")], "busy").isEmpty)
  }

  @Test("a run of a new agent is a new turn; the old turn ends as unknown, and its queue is lost")
  mutating func newAgent() throws {
    let ready = try Session.s1("ready")
    let left = QueuedMessage(id: "l", kind: .followUp, text: "then")
    let queued = QueuedMessage(id: "f", kind: .followUp, text: "and then")
    talk.begin()
    talk.tell(.queueState([left, queued]), .queueState([queued]))
    _ = talk.reducer.apply(
      ServerMessage(.connected(ready, currentSequence: 0)),
      at: talk.now
    )
    let start = ServerMessage(.agentStart, sequence: 1)
    #expect(
      talk.reducer.apply(start, at: talk.now) == [
        .ended(.unknown(reason: UnknownReason.agentLost)),
        .queueLost([left, queued]),
        .turnStarted(isOwn: false),
      ]
    )
  }

  @Test(
    "the queue of an agent that was replaced after its turn is lost, unless it is listed or has begun",
    arguments: [false, true]
  )
  mutating func newAgentAfterTurn(hasBegun: Bool) throws {
    let messages = ["left", "queued", "kept", "begun"].map {
      QueuedMessage(id: $0, kind: .followUp, text: "the \($0) one")
    }
    talk.begin()
    talk.tell(.queueState(messages), .queueState(Array(messages.dropFirst())), .agentEnd)
    _ = talk.settle()
    let ready = try Session.s1("ready")
    _ = talk.reducer.apply(ServerMessage(.connected(ready, currentSequence: 0)), at: talk.now)
    #expect(talk.activity.queue == Array(messages.dropFirst()))
    _ = talk.reducer.apply(ServerMessage(.queueState([messages[2]])), at: talk.now)
    var trace: [JSONValue] = [.prompt("go"), .answer("Went.")]
    if hasBegun {
      let start = ServerMessage(.agentStart, sequence: 1)
      #expect(talk.reducer.apply(start, at: talk.now) == [.turnStarted(isOwn: false)])
      trace.append(.prompt(messages[3].text))
    }
    let changes = try talk.load(trace, hasBegun ? "busy" : "ready")
    let lost = hasBegun ? [messages[1]] : [messages[1], messages[3]]
    #expect(changes.last == .queueLost(lost))
    #expect(talk.activity.queue == [messages[2]])
  }

  @Test("a stopping session ends its turn as stopped")
  mutating func stopping() throws {
    #expect(try talk.load([.prompt("go"), .bashCall], "stopping").last == .notice("Stopping"))
    talk.tell(.agentEnd)
    #expect(talk.settle().last == .ended(.stopped(reason: nil)))
  }

  /// A turn whose first message was missed.
  private static let traced: [JSONValue] = [
    .prompt("go"), .answer("Going."), .bashCall, .bashResult, .answer("Went."),
  ]

  @Test("an answer that was received before the trace was loaded is still the last message")
  mutating func answerSeen() throws {
    talk.begin()
    talk.tell(.says("Went."), .agentEnd)
    let changes = try talk.load(Self.traced, "ready")
    #expect(changes.prefix(2) == [.text("Going."), .textFinished("Going.")])
    #expect(changes.last == .done("Went."))
  }

  @Test("a message that is received after the trace was loaded is new if a later one was seen")
  mutating func repeatedAfterLoading() throws {
    talk.begin()
    talk.tell(.says("Went."))
    #expect(try talk.load(Self.traced, "busy").first == .text("Going."))
    #expect(talk.activity.text == "Went.")
    #expect(talk.tell(.says("Going.")) == [.text("Going."), .textFinished("Going.")])
  }

  @Test("a turn that was joined late is found again after another gap")
  mutating func joinedLateThenGap() throws {
    let busy = try Session.s1("busy")
    talk.tell(.connected(busy, currentSequence: 0))
    _ = try talk.load([.prompt("go"), .bashCall], "busy")
    let changes = try talk.load(
      [.prompt("go"), .bashCall, .bashResult, .answer("Went."), .prompt("next")],
      "busy"
    )
    #expect(changes.filter(\.isTurn) == [.done("Went."), .turnStarted(isOwn: false)])
  }

  @Test("a long prompt with images is found")
  mutating func longPrompt() throws {
    let long = String(repeating: "x", count: 100_000) + "\ndata:image/png;base64,AAAA"
    let busy = try Session.s1("busy")
    talk.tell(.connected(busy, currentSequence: 0))
    _ = try talk.load([.prompt(long), .bashCall], "busy")
    let changes = try talk.load([.prompt(long), .answer("Went."), .prompt("x")], "busy")
    #expect(changes.filter(\.isTurn).first == .done("Went."))
  }
}
