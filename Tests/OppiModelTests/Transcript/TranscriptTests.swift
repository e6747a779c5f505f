// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct TranscriptTests {
  private static let now = Timestamp(seconds: 2_000_000_000)

  private static func call(_ id: String, _ tool: String = "bash") -> JSONValue {
    [
      "type": "toolCall", "id": .string(id), "tool": .string(tool), "args": ["command": "ls"],
      "timestamp": "2026-11-21T20:00:01.000Z",
    ]
  }

  private static func result(_ id: String, _ output: String, isError: Bool = false) -> JSONValue {
    [
      "type": "toolResult", "toolCallId": .string(id), "toolName": "bash",
      "output": .string(output), "isError": .bool(isError),
      "timestamp": "2026-11-21T20:00:03.000Z",
    ]
  }

  private func transcript(
    _ trace: [JSONValue],
    status: String = "ready",
    last: String = "",
    events: [ServerMessage.Kind] = [],
    isAtWork: Bool = false,
    requests: [HumanRequest] = []
  ) throws -> Transcript {
    let session = try #require(
      Session(
        json: [
          "id": "s1", "status": .string(status), "messageCount": .integer(Int64(trace.count)),
          "lastMessage": .string(last),
        ]
      )
    )
    return Transcript(
      trace: .array(trace),
      session: session,
      events: events.enumerated().map { ServerMessage($1, sequence: $0 + 1) },
      isAtWork: isAtWork,
      requests: requests,
      at: Self.now
    )
  }

  @Test("turns have their prompts, texts, calls, times and answers")
  func turns() throws {
    let transcript = try transcript([
      .prompt("look"), .answer("Well."), Self.call("a"), Self.result("a", "x\n"), Self.call("b"),
      Self.result("b", "no", isError: true), .answer("A file."), .prompt("again"), .answer("Yes."),
    ])
    #expect(transcript.count == 2)
    let turns = transcript.turns(last: 5)
    #expect(turns.map(\.number) == [1, 2])
    #expect(turns.map(\.prompt) == ["look", "again"])
    #expect(turns.map(\.answer) == ["A file.", "Yes."])
    #expect(turns[0].calls.map(\.number) == [1, 2])
    #expect(turns[0].calls.map(\.state) == [.succeeded, .failed])
    #expect(turns[0].calls.map(\.recordedOutput) == ["x\n", "no"])
    #expect(turns[0].calls[0].duration == .seconds(2))
    #expect(turns[0].steps.count == 4)
    #expect(transcript.last?.number == 2)
  }

  @Test("turns are numbered from the first prompt, after any system rows")
  func systemRows() throws {
    let rows: [JSONValue] = [
      ["type": "system", "text": "Model: m"], ["type": "system", "text": "Thinking level: low"],
    ]
    let talk: [JSONValue] = [.prompt("one"), .answer("x"), .prompt("two"), .answer("y")]
    let transcript = try transcript(rows + talk, last: "y")
    #expect(transcript.turns(last: .max).map(\.number) == [1, 2])
    #expect(transcript.turns(last: .max).map(\.prompt) == ["one", "two"])
    #expect(try self.transcript(rows + [.answer("x"), .prompt("two")]).count == 2)
  }

  @Test("older turns precede a given number")
  func paging() throws {
    let transcript = try transcript(
      (1...5).flatMap { [.prompt("p\($0)"), .answer("a\($0)")] }
    )
    #expect(transcript.turns(last: 2).map(\.number) == [4, 5])
    #expect(transcript.turns(last: 2, before: 4).map(\.number) == [2, 3])
    #expect(transcript.turns(last: 2, before: 2).map(\.number) == [1])
    #expect(transcript.turns(last: 2, before: 1).isEmpty)
    #expect(transcript.turns(last: .max, before: .min).isEmpty)
    #expect(transcript.turns(last: -1).isEmpty)
  }

  @Test("a call is found by its number in the whole session")
  func numbers() throws {
    let transcript = try transcript([
      .prompt("one"), Self.call("a"), Self.result("a", "1"), .answer("x"), .prompt("two"),
      .answer("y"), .prompt("three"), Self.call("a"), Self.result("a", "2"), Self.call("a"),
      Self.result("a", "3"), .answer("z"),
    ])
    #expect(transcript.callCount == 3)
    #expect((0...4).map { transcript.call($0)?.recordedOutput } == [nil, "1", "2", "3", nil])
    #expect(transcript.call(.min) == nil && transcript.call(.max) == nil)
  }

  @Test("outcomes of events are assigned to their own turns")
  func heard() throws {
    let transcript = try transcript(
      [
        .prompt("go"), .answer("old"), .prompt("go"), .answer("half"), .prompt("go"),
        .answer("new"),
      ],
      last: "new",
      events: [
        .agentStart, .hears("go"), .says("half"), .calls("t"), .stopRequested,
        .agentEnd, .stopConfirmed(reason: nil), .agentStart, .hears("go"), .says("new"), .agentEnd,
      ]
    )
    #expect(
      transcript.turns(last: 3).map(\.outcome) == [
        .succeeded(answer: "old"), .stopped(reason: nil), .succeeded(answer: "new"),
      ]
    )
  }

  @Test(
    "a turn that ended with a call's result ends before the next prompt",
    arguments: [false, true]
  )
  func cutTurn(isAtWork: Bool) throws {
    let transcript = try transcript(
      [
        .prompt("look"), Self.call("a"), Self.result("a", "x\n"), .prompt("continue"),
        Self.call("b"), Self.result("b", "y\n"),
      ] + (isAtWork ? [] : [.answer("Yes.")]),
      status: isAtWork ? "busy" : "ready",
      last: isAtWork ? "y" : "Yes.",
      events: [
        .agentStart, .hears("look"), .calls("a"), .returns("a"), .fails("overloaded"), .agentEnd,
        .agentStart, .hears("continue"), .calls("b"), .returns("b"),
      ] + (isAtWork ? [] : [.says("Yes."), .agentEnd]),
      isAtWork: isAtWork
    )
    let turns = transcript.turns(last: 5)
    #expect(turns.map(\.prompt) == ["look", "continue"] && transcript.callCount == 2)
    #expect(turns.map { $0.calls.map(\.recordedOutput) } == [["x\n"], ["y\n"]])
    #expect(turns.first?.outcome == .failed("overloaded"))
    #expect(turns.last?.isFinished == !isAtWork)
  }

  @Test("a refused prompt is a separate turn after those of the trace")
  func refused() throws {
    let transcript = try transcript(
      [.prompt("one"), .answer("x")],
      last: "x",
      events: [.agentStart, .hears("one"), .says("x"), .agentEnd, .fails("No API key")]
    )
    #expect(transcript.turns(last: 2).map(\.outcome?.word) == ["finished", "failed"])
    #expect(transcript.last?.steps.isEmpty == true)
  }

  @Test("a running turn has its calls so far and its pending approval")
  func running() throws {
    let request = PermissionRequest.call("p1", "ls", in: "s1")
    let trace: [JSONValue] = [
      .prompt("go"), Self.call("a"), Self.result("a", "x"), .answer("Next."), Self.call("b"),
    ]
    for events: [ServerMessage.Kind] in [[], [.agentStart, .hears("go")]] {
      let transcript = try transcript(
        trace,
        status: "busy",
        events: events,
        isAtWork: true,
        requests: [.permission(request)]
      )
      let last = try #require(transcript.last)
      #expect(last.status == .running)
      #expect(last.pendingApprovals.map(\.id) == ["p1"])
      #expect(last.calls.map(\.state) == [.succeeded, .waitingApproval(request)])
      #expect(last.answer == nil && last.duration == nil)
    }
  }

  @Test("a running ask call waits, for what its server lists if that lists questions")
  func asking() throws {
    let call: JSONValue = ["type": "toolCall", "id": "a", "tool": "ask", "args": [:]]
    for listsQuestions in [true, false] {
      let transcript = Transcript(
        trace: .array([.prompt("go"), call]),
        session: try .s1("busy"),
        events: [],
        isAtWork: true,
        requests: [],
        listsQuestions: listsQuestions,
        at: Timestamp(seconds: 100)
      )
      let last = try #require(transcript.last)
      #expect((last.unreported == nil) == listsQuestions && last.isWaiting != listsQuestions)
    }
  }

  @Test("a prompt that the trace lacks is a separate running turn")
  func begun() throws {
    let transcript = try transcript(
      [.prompt("one"), .answer("x")],
      status: "busy",
      last: "two",
      events: [.agentStart, .hears("two")],
      isAtWork: true
    )
    #expect(transcript.turns(last: 2).map(\.prompt) == ["one", "two"])
    #expect(transcript.turns(last: 2).map(\.isFinished) == [true, false])
  }

  @Test("a repeated prompt is not matched with an answered one")
  func begunAgain() throws {
    let transcript = try transcript(
      [.prompt("go"), .answer("x")],
      status: "busy",
      last: "go",
      events: [.agentStart, .hears("go"), .says("x"), .agentEnd, .agentStart, .hears("go")],
      isAtWork: true
    )
    #expect(transcript.turns(last: 2).map(\.isFinished) == [true, false])
    #expect(transcript.last?.steps.isEmpty == true)
  }

  @Test(
    "a steering message after a failed call starts no turn",
    arguments: [true, false]
  )
  func steered(isAtWork: Bool) throws {
    let trace: [JSONValue] = [
      .prompt("go"), Self.call("a"), Self.result("a", "no", isError: true), .prompt("quick"),
      .answer("Done."),
    ]
    let transcript = try transcript(
      isAtWork ? trace.dropLast() : trace,
      status: isAtWork ? "busy" : "ready",
      last: isAtWork ? "quick" : "Done.",
      events: [
        .agentStart, .hears("go"), .says(""), .calls("a"), .returns("a", isError: true),
        .hears("quick"),
      ] + (isAtWork ? [] : [.says("Done."), .agentEnd]),
      isAtWork: isAtWork
    )
    #expect(transcript.count == 1)
    let last = try #require(transcript.last)
    #expect(last.isFinished != isAtWork)
    #expect(last.answer == (isAtWork ? nil : "Done."))
    #expect(last.steps.count == (isAtWork ? 2 : 3))
  }

  @Test("images are counted and not shown")
  func pictures() throws {
    let transcript = try transcript([
      .prompt("see\ndata:image/png;base64,AAAA"), .answer("Nice."),
    ])
    #expect(transcript.last?.prompt == "see")
    #expect(transcript.last?.imageCount == 1)
  }

  @Test("an invalid trace is accepted")
  func nonsense() throws {
    let transcript = try transcript([
      3, [:], ["type": "toolResult"], ["type": "toolCall"], ["type": "user"], ["type": "system"],
    ])
    #expect(transcript.count == 2)
    #expect(transcript.turns(last: 9).flatMap(\.calls).count == 1)
    #expect(try self.transcript([], events: []).last == nil)
  }
}
