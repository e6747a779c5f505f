// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel

/// What is known from a session's trace where messages were missed.
@Suite struct ActivityReducerTraceTests {
  private var talk = Conversation()

  private static let user: JSONValue = ["type": "user", "id": "u", "text": "go"]
  private static let call: JSONValue = [
    "type": "toolCall", "id": "t", "tool": "bash", "args": ["command": "ls"],
  ]
  private static let result: JSONValue = [
    "type": "toolResult", "id": "r", "toolCallId": "t", "toolName": "bash", "output": "a file\n",
    "isError": false,
  ]

  private static func says(_ text: String) -> JSONValue {
    ["type": "assistant", "id": "a", "text": .string(text)]
  }

  private mutating func load(
    _ trace: [JSONValue],
    _ status: String,
    isAgentLost: Bool = false
  ) throws -> [ActivityChange] {
    let session = try #require(Session(json: ["id": "s1", "status": .string(status)]))
    return talk.reducer.load(
      trace: .array(trace),
      session: session,
      isAgentLost: isAgentLost,
      at: talk.now
    )
  }

  @Test("messages that waited for an agent that is lost are lost with it, and said to be")
  mutating func lostQueue() throws {
    let message = QueuedMessage(id: "q", kind: .followUp, text: "and then")
    talk.begin()
    talk.tell(.queueState([message]), .says("Looking."))
    let changes = try load([Self.user, Self.says("Looking.")], "ready", isAgentLost: true)
    #expect(changes.contains(.queueLost([message])), "\(changes)")
    #expect(talk.activity.queue.isEmpty)
  }

  @Test("a turn that ended unseen has the answer of the trace")
  mutating func answered() throws {
    talk.begin()
    talk.tell(.says("Looking."), .calls("t"))
    let trace = [Self.user, Self.says("Looking."), Self.call, Self.result, Self.says("A file.")]
    let changes = try load(trace, "ready")
    #expect(
      changes == [
        .toolOutput(callID: "t", text: "a file\n", replaces: true),
        .toolFinished(talk.activity.toolCalls[0]),
        .text("A file."),
        .textFinished("A file."),
        .turnFinished(.succeeded(answer: "A file."), isOwn: false),
      ]
    )
    #expect(talk.activity.toolCalls[0].state == .succeeded)
  }

  @Test("a call that waited in a run that was lost is not taken for refused")
  mutating func lostWaiting() throws {
    talk.begin()
    talk.tell(.says("Looking."), .calls("t"), .asks("p"))
    _ = try load([Self.user, Self.says("Looking."), Self.call], "stopped")
    #expect(talk.activity.toolCalls[0].state == .unfinished)
  }

  @Test(
    "a run that was lost ends unknown where the trace shows no answer, never empty",
    arguments: ["stopped", "ready", "error"]
  )
  mutating func lost(status: String) throws {
    talk.begin()
    talk.tell(.says("Looking."), .calls("t"))
    let changes = try load([Self.user, Self.says("Looking."), Self.call], status)
    #expect(changes.last == .turnFinished(.unknown(reason: OutcomeDoubt.cutOff), isOwn: false))
    #expect(talk.activity.toolCalls[0].state == .unfinished)
    talk.begin()
    let nothing = try load([Self.user], status)
    #expect(nothing == [.turnFinished(.unknown(reason: OutcomeDoubt.cutOff), isOwn: false)])
    talk.begin()
    let missing = try load([], status)
    #expect(missing == [.turnFinished(.unknown(reason: OutcomeDoubt.notInTrace), isOwn: false)])
  }

  @Test("a failure that was seen before the gap is the turn's")
  mutating func failed() throws {
    talk.begin()
    talk.tell(.textDelta("Par"), .fails("hang up"), .says("Par"))
    #expect(
      try load([Self.user, Self.says("Par")], "ready") == [
        .turnFinished(.failed("hang up"), isOwn: false)
      ]
    )
  }

  @Test("a turn that goes on has the calls of the trace, and what it says next is told once")
  mutating func busy() throws {
    let changes = try load([Self.user, Self.says("Looking."), Self.call], "busy")
    #expect(changes.first == .turnStarted(isOwn: false))
    #expect(changes.contains(.text("Looking.")))
    #expect(talk.activity.toolCalls.map(\.state) == [.running])
    #expect(talk.tell(.says("Looking.")).isEmpty)
    talk.tell(.prints("t", "a file\n"))
    #expect(talk.tell(.returns("t")).count == 1)
    talk.tell(.says("A file."), .agentEnd)
    #expect(talk.settle() == [.turnFinished(.succeeded(answer: "A file."), isOwn: false)])
  }

  @Test("a message that is being written is not cut by the trace, which does not have it")
  mutating func writing() throws {
    talk.begin()
    talk.tell(.textDelta("Half a"))
    #expect(try load([Self.user], "busy").isEmpty)
    #expect(talk.activity.text == "Half a")
    #expect(talk.tell(.says("Half a word.")).first == .text(" word."))
  }

  @Test("a request that is waiting finds its call in the trace")
  mutating func waiting() throws {
    talk.begin()
    talk.tell(.asks("p"))
    #expect(try load([Self.user, Self.call], "busy").isEmpty)
    #expect(talk.activity.toolCalls.count == 1)
    #expect(talk.activity.pendingApprovals.map(\.id) == ["p"])
    talk.tell(.prints("t", "a file\n"), .returns("t"))
    #expect(talk.activity.toolCalls.map(\.state) == [.succeeded])
  }

  @Test("calls of earlier turns are not shown, and pictures are counted")
  mutating func earlier() throws {
    talk.begin()
    let old: JSONValue = ["type": "toolCall", "id": "old", "tool": "read", "args": [:]]
    let picture: JSONValue = [
      "type": "toolResult", "toolCallId": "t", "toolName": "bash",
      "output": "done\ndata:image/png;base64,AAAA", "isError": false,
    ]
    _ = try load([Self.user, old, Self.user, Self.call, picture], "busy")
    #expect(talk.activity.toolCalls.map(\.id) == ["t"])
    #expect(talk.activity.toolCalls[0].output.text == "done")
    #expect(talk.activity.toolCalls[0].imageCount == 1)
  }

  @Test("an idle session whose turn nobody saw stays idle")
  mutating func idle() throws {
    #expect(try load([Self.user, Self.says("Long ago.")], "ready").isEmpty)
    #expect(talk.activity == TurnActivity())
  }

  @Test("what was missed is not waited for again")
  mutating func sequence() throws {
    let session = try #require(Session(json: ["id": "s1", "status": "busy"]))
    talk.begin()
    let connected = ServerMessage(.connected(session, currentSequence: 1))
    _ = talk.reducer.apply(connected, at: talk.now)
    #expect(talk.reducer.lastSequence == 0)
    _ = try load([Self.user], "busy")
    #expect(talk.reducer.lastSequence == 1)
  }

  @Test(
    "a trace of anything is taken without harm",
    arguments: [JSONValue.null, 3, [3, [:]], "x"]
  )
  mutating func nonsense(trace: JSONValue) throws {
    let session = try #require(Session(json: ["id": "s1", "status": "busy"]))
    #expect(
      talk.reducer.load(trace: trace, session: session, at: talk.now) == [
        .turnStarted(isOwn: false)
      ]
    )
  }
}
