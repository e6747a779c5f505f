// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// What a trace adds to the messages received, and in which order.
@Suite struct ActivityReducerLoadingTests {
  private var talk = Conversation()

  @Test("missed changes are reported in trace order, each once")
  mutating func order() throws {
    talk.begin()
    talk.tell(.says("One."))
    let changes = try talk.load(
      [
        .prompt("go"), .answer("One."), .bashCall, .bashResult, .prompt("left"), .answer("Tw"),
        .answer("o."), .answer(""),
      ],
      "busy"
    )
    #expect(
      changes.map(\.kind) == ["started", "output", "finished", "text", "message Two."]
    )
    #expect(try talk.load([.prompt("go"), .answer("One."), .bashCall], "busy").isEmpty)
  }

  /// Joins a turn behind which this program's prompt is queued, reads a trace that is ahead of the
  /// messages, and receives the rest of that turn.
  private mutating func readAhead() throws {
    let busy = try Session.s1("busy")
    talk.tell(.connected(busy, currentSequence: 0), .textDelta("On"))
    _ = talk.handOver("and then", id: "f", queued: true)
    let changes = try talk.load([.prompt("go"), .answer("One."), .prompt("and then")], "busy")
    #expect(changes.last == .turnStarted(isOwn: true))
    talk.tell(.textDelta("e."), .says("One."))
  }

  @Test("the answer of the turn before is not that of a queued prompt which the trace has shown")
  mutating func aheadOfQueue() throws {
    try readAhead()
    let item = QueuedMessage(id: "f", kind: .followUp, text: "and then")
    #expect(talk.tell(.queueItemStarted(item), .hears("and then")).isEmpty)
    #expect(talk.finish(.says("Two.")) == [.done("Two.", own: true)])
  }

  @Test("the same without an announcement, as on older servers")
  mutating func aheadOfMessage() throws {
    try readAhead()
    #expect(talk.tell(.hears("and then")).isEmpty)
    #expect(talk.finish(.says("")) == [.ended(.empty, own: true)])
  }

  @Test("another user message after a complete answer still opens another turn")
  mutating func aheadOfAnother() throws {
    try readAhead()
    talk.tell(.hears("and then"), .says("Two."))
    let changes = talk.tell(.hears("and then"))
    #expect(changes == [.done("Two.", own: true), .turnStarted(isOwn: false)])
  }

  @Test("a message that was sent to the running turn does not open another one in the trace")
  mutating func steeredAfterAnswer() throws {
    let steer = QueuedMessage(id: "s", kind: .steer, text: "left")
    talk.begin()
    talk.tell(.hears("go"), .says("One."), .queueItemStarted(steer), .hears("left"), .says("Two."))
    let read = try talk.load(
      [.prompt("go"), .answer("One."), .prompt("left"), .answer("Two."), .bashCall],
      "busy"
    )
    #expect(read.map(\.kind) == ["started"])
    let next = try talk.load(
      [.prompt("go"), .answer("One."), .prompt("left"), .answer("Two."), .prompt("right")],
      "busy"
    )
    #expect(next.contains { $0.isTurn }, "a message that was not heard")
  }

  @Test("a prompt with the text of an earlier steering message opens a turn of its own")
  mutating func sameAsSteering() throws {
    let steer = QueuedMessage(id: "s", kind: .steer, text: "go on")
    talk.begin()
    talk.tell(.hears("go"), .says("One."), .queueItemStarted(steer), .hears("go on"), .says("Two."))
    for _ in 0..<2 {
      let read = try talk.load(
        [.prompt("go"), .answer("One."), .prompt("go on"), .answer("Two.")],
        "busy"
      )
      #expect(read.isEmpty)
    }
    let next = try talk.load(
      [.prompt("go"), .answer("One."), .prompt("go on"), .answer("Two."), .prompt("go on")],
      "busy"
    )
    #expect(next.first == .done("Two."), "\(next)")
  }

  @Test("a call that was seen to start ends by the local clock, not by the trace's")
  mutating func clocks() throws {
    talk.begin()
    talk.tell(.says(""), .calls("t"))
    let late: JSONValue = [
      "type": "toolResult", "toolCallId": "t", "toolName": "bash", "output": "",
      "timestamp": "2026-11-21T20:00:02.000Z",
    ]
    _ = try talk.load([.prompt("go"), .bashCall, late], "busy")
    #expect(talk.activity.toolCalls.first?.endedAt == talk.now)
  }

  @Test("calls beyond the limit are not reported again")
  mutating func droppedCalls() throws {
    talk.begin()
    var trace: [JSONValue] = [.prompt("go")]
    for number in 0..<150 {
      let id = "t\(number)"
      talk.tell(.says(""), .calls(id), .returns(id))
      trace.append(["type": "toolCall", "id": .string(id), "tool": "bash", "args": [:]])
      trace.append(["type": "toolResult", "toolCallId": .string(id), "output": ""])
    }
    let session = try Session.s1("busy")
    #expect(talk.reducer.load(trace: .array(trace), session: session, at: talk.now).isEmpty)
  }

  @Test("a steering message that began during a gap leaves the queue and is not dropped")
  mutating func steeredInGap() throws {
    talk.begin()
    talk.tell(.queueState([QueuedMessage(id: "s", kind: .steer, text: "left")]))
    _ = try talk.load([.prompt("go"), .bashCall, .bashResult, .prompt("left")], "busy")
    #expect(talk.activity.queue.isEmpty)
    #expect(talk.tell(.queueState([])).isEmpty)
  }

  @Test("a client that joins late sees the running call with its arguments, and each call once")
  func joinedLate() throws {
    let recording = try Recording("102-join-late")
    let session = try #require(
      Session(json: ["id": .string(recording.sessionIDs[0]), "status": "busy"])
    )
    let trace: JSONValue = [
      ["type": "user", "text": "tools 3"],
      [
        "type": "toolCall", "id": "call_06099998-c41", "tool": "bash",
        "args": ["command": "make step1"],
      ],
    ]
    var replay = Replay(sessionID: session.id)
    for (index, frame) in recording.frames.enumerated() {
      replay.play(frame)
      if index == 3 { replay.load(trace, session, at: frame.time) }
    }
    replay.settle()
    let kinds = replay.steps.map(\.change.kind).filter { $0 != "planned" && $0 != "output" }
    let steps = Array(repeating: ["started", "finished"], count: 3).flatMap(\.self)
    #expect(kinds.filter { steps.contains($0) } == steps)
    #expect(replay.reducer.activity.toolCalls.count == 3)
    #expect(
      replay.reducer.activity.toolCalls.first?.arguments == ["command": "make step1"]
    )
    #expect(replay.reducer.activity.outcome == .succeeded(answer: "All 3 steps done."))
  }

  @Test(
    "finished calls have the times of the trace, and a running call starts when it is first seen"
  )
  mutating func times() throws {
    let changes = try talk.load(
      [
        .prompt("go"),
        [
          "type": "toolCall", "id": "t", "tool": "bash", "args": [:],
          "timestamp": "2026-11-21T20:00:00.000Z",
        ],
        [
          "type": "toolResult", "toolCallId": "t", "toolName": "bash", "output": "",
          "timestamp": "2026-11-21T20:00:02.000Z",
        ],
        [
          "type": "toolCall", "id": "u", "tool": "bash", "args": [:],
          "timestamp": "2026-11-21T20:00:02.000Z",
        ],
      ],
      "busy"
    )
    #expect(changes.count == 4)
    #expect(talk.activity.toolCalls.first?.duration == .seconds(2))
    #expect(talk.activity.toolCalls.last?.startedAt == talk.now)
  }
}

extension ActivityChange {
  fileprivate var kind: String {
    switch self {
    case .toolPlanned: "planned"
    case .toolStarted: "started"
    case .toolOutput: "output"
    case .toolFinished: "finished"
    case .text: "text"
    case .textFinished(let text): "message \(text)"
    default: "other"
    }
  }
}
