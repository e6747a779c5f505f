// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// Restores state from a session's trace after missed messages.
@Suite struct ActivityReducerTraceTests {
  private var talk = Conversation()

  private static let result: JSONValue = [
    "type": "toolResult", "id": "r", "toolCallId": "t", "toolName": "bash", "output": "a file\n",
    "isError": false,
  ]

  @Test("queued messages are reported as lost if their agent is lost")
  mutating func lostQueue() throws {
    let message = QueuedMessage(id: "q", kind: .followUp, text: "and then")
    talk.begin()
    talk.tell(.queueState([message]), .says("Looking."))
    let changes = try talk.load([.prompt("go"), .answer("Looking.")], "ready", isAgentLost: true)
    #expect(changes.contains(.queueLost([message])), "\(changes)")
    #expect(talk.activity.queue.isEmpty)
  }

  @Test("a message that left the queue in a gap is lost, unless the trace shows its turn")
  mutating func lostInGap() throws {
    let queue = ["one", "two"].map { QueuedMessage(id: $0, kind: .followUp, text: $0) }
    talk.begin()
    talk.tell(.queueState(queue), .queueState([]), .says("Went."))
    let trace: [JSONValue] = [.prompt("go"), .answer("Went."), .prompt("two"), .answer("Done.")]
    let changes = try talk.load(trace, "ready")
    #expect(changes.contains(.queueLost([queue[0]])), "\(changes)")
  }

  @Test("a turn that was joined before its prompt was seen began with the message in the trace")
  mutating func joinedTurn() throws {
    let queue = ["one", "two"].map { QueuedMessage(id: $0, kind: .followUp, text: $0) }
    talk.tell(.queueState(queue), .queueState([]), .agentStart)
    let changes = try talk.load([.prompt("one"), .answer("Done.")], "ready")
    #expect(changes.contains(.queueLost([queue[1]])), "\(changes)")
  }

  @Test("a turn that ended unseen has the answer of the trace")
  mutating func answered() throws {
    talk.begin()
    talk.tell(.says("Looking."), .calls("t"))
    let trace: [JSONValue] = [
      .prompt("go"), .answer("Looking."), .bashCall, Self.result, .answer("A file."),
    ]
    let changes = try talk.load(trace, "ready")
    #expect(
      changes == [
        .toolOutput(callID: "t", text: "a file\n", replaces: true),
        .toolFinished(talk.activity.toolCalls[0]),
        .text("A file."),
        .textFinished("A file."),
        .done("A file."),
      ]
    )
    #expect(talk.activity.toolCalls[0].state == .succeeded)
  }

  @Test("a pending call of a lost run is unfinished, not rejected")
  mutating func lostWaiting() throws {
    talk.begin()
    talk.tell(.says("Looking."), .calls("t"), .asks("p"))
    _ = try talk.load([.prompt("go"), .answer("Looking."), .bashCall], "stopped")
    #expect(talk.activity.toolCalls[0].state == .unfinished)
  }

  @Test(
    "a lost run ends as unknown if the trace has no answer",
    arguments: ["stopped", "ready", "error"]
  )
  mutating func lost(status: String) throws {
    talk.begin()
    talk.tell(.says("Looking."), .calls("t"))
    let changes = try talk.load([.prompt("go"), .answer("Looking."), .bashCall], status)
    #expect(changes.last == .ended(.unknown(reason: UnknownReason.cutOff)))
    #expect(talk.activity.toolCalls[0].state == .unfinished)
    talk.begin()
    let nothing = try talk.load([.prompt("go")], status)
    #expect(nothing == [.ended(.unknown(reason: UnknownReason.cutOff))])
    talk.begin()
    let missing = try talk.load([], status)
    #expect(missing == [.ended(.unknown(reason: UnknownReason.notInTrace))])
  }

  @Test("a running turn has the calls of the trace, and later text is reported once")
  mutating func busy() throws {
    let changes = try talk.load([.prompt("go"), .answer("Looking."), .bashCall], "busy")
    #expect(changes.first == .turnStarted(isOwn: false))
    #expect(changes.contains(.text("Looking.")))
    #expect(talk.activity.toolCalls.map(\.state) == [.running])
    #expect(talk.tell(.says("Looking.")).isEmpty)
    talk.tell(.prints("t", "a file\n"))
    #expect(talk.tell(.returns("t")).count == 1)
    #expect(talk.finish(.says("A file.")) == [.done("A file.")])
  }

  @Test("a message in progress is kept if the trace lacks it")
  mutating func writing() throws {
    talk.begin()
    talk.tell(.textDelta("Half a"))
    #expect(try talk.load([.prompt("go")], "busy").isEmpty)
    #expect(talk.activity.text == "Half a")
    #expect(talk.tell(.says("Half a word.")).first == .text(" word."))
  }

  @Test("a pending request is matched with its call in the trace")
  mutating func waiting() throws {
    talk.begin()
    talk.tell(.asks("p"))
    #expect(try talk.load([.prompt("go"), .bashCall], "busy").isEmpty)
    #expect(talk.activity.toolCalls.count == 1)
    #expect(talk.activity.pendingApprovals.map(\.id) == ["p"])
    talk.tell(.prints("t", "a file\n"), .returns("t"))
    #expect(talk.activity.toolCalls.map(\.state) == [.succeeded])
  }

  @Test("calls of earlier turns are not listed, and images are counted")
  mutating func earlier() throws {
    talk.begin()
    let old: JSONValue = ["type": "toolCall", "id": "old", "tool": "read", "args": [:]]
    let picture: JSONValue = [
      "type": "toolResult", "toolCallId": "t", "toolName": "bash",
      "output": "done\ndata:image/png;base64,AAAA", "isError": false,
    ]
    _ = try talk.load([.prompt("go"), old, .prompt("go"), .bashCall, picture], "busy")
    #expect(talk.activity.toolCalls.map(\.id) == ["t"])
    #expect(talk.activity.toolCalls[0].output.text == "done")
    #expect(talk.activity.toolCalls[0].imageCount == 1)
  }

  @Test("an idle session without a seen turn stays idle")
  mutating func idle() throws {
    #expect(try talk.load([.prompt("go"), .answer("Long ago.")], "ready").isEmpty)
    #expect(talk.activity == Turn())
  }

  @Test("the sequence number is current after a trace was loaded")
  mutating func sequence() throws {
    let session = try Session.s1("busy")
    talk.begin()
    let connected = ServerMessage(.connected(session, currentSequence: 1))
    _ = talk.reducer.apply(connected, at: talk.now)
    #expect(talk.reducer.counter.last == 0)
    _ = try talk.load([.prompt("go")], "busy")
    #expect(talk.reducer.counter.last == 1)
  }

  @Test(
    "an invalid trace is accepted as empty",
    arguments: [JSONValue.null, 3, [3, [:]], "x"]
  )
  mutating func nonsense(trace: JSONValue) throws {
    let session = try Session.s1("busy")
    #expect(
      talk.reducer.load(trace: trace, session: session, at: talk.now) == [
        .turnStarted(isOwn: false)
      ]
    )
  }
}
