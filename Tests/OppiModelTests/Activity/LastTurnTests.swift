// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// The outcome of the last turn of an idle session.
@Suite struct LastTurnTests {
  static let now = Timestamp(seconds: 2_000_000_000)

  static let user: JSONValue = [
    "type": "user", "text": "look around", "timestamp": "2026-11-21T20:00:00.000Z",
  ]
  static let call: JSONValue = [
    "type": "toolCall", "id": "t", "tool": "bash", "args": ["command": "ls"],
    "timestamp": "2026-11-21T20:00:01.000Z",
  ]
  static let result: JSONValue = [
    "type": "toolResult", "toolCallId": "t", "toolName": "bash", "output": "a file\n",
    "isError": false, "timestamp": "2026-11-21T20:00:03.000Z",
  ]
  static let answer: JSONValue = [
    "type": "assistant", "text": "A file.", "timestamp": "2026-11-21T20:00:04.000Z",
  ]

  private static func lastTurn(
    _ trace: JSONValue,
    _ session: Session,
    _ events: [ServerMessage]
  ) -> Turn? {
    Transcript(trace: trace, session: session, events: events, isAtWork: false, at: now).lastAlone
  }

  func lastTurn(
    _ trace: [JSONValue],
    status: String = "ready",
    count: Int = 1,
    last: String = "",
    events: [ServerMessage.Kind] = []
  ) throws -> Turn? {
    let session = try #require(
      Session(
        json: [
          "id": "s1", "status": .string(status), "messageCount": .integer(Int64(count)),
          "lastMessage": .string(last),
        ]
      )
    )
    let messages = events.enumerated().map { index, kind in
      ServerMessage(kind, sequence: index + 1)
    }
    return Self.lastTurn(.array(trace), session, messages)
  }

  @Test("a turn has the answer, the calls and the times of the trace")
  func answered() throws {
    let trace = [Self.user, Self.call, Self.result, Self.answer]
    let turn = try #require(try lastTurn(trace, count: 3, last: "A file."))
    #expect(turn.outcome == .succeeded(answer: "A file."))
    #expect(turn.toolCalls.map(\.output.text) == ["a file\n"])
    #expect(turn.toolCalls.first?.duration == .seconds(2))
    #expect(turn.elapsed(at: Self.now) == .seconds(4))
  }

  @Test("without an answer in the trace the outcome is unknown", arguments: ["ready", "stopped"])
  func cutOff(status: String) throws {
    for trace in [[Self.user], [Self.user, Self.call], [Self.user, Self.call, Self.result]] {
      let last = trace.count == 3 ? "a file" : "look around"
      let turn = try #require(try lastTurn(trace, status: status, last: last))
      #expect(turn.outcome == .unknown(reason: UnknownReason.cutOff))
    }
  }

  @Test("a text before the last call of the trace is not the answer")
  func textBeforeCall() throws {
    let turn = try lastTurn([Self.user, Self.answer, Self.call], count: 2, last: "A file.")
    #expect(turn?.outcome == .unknown(reason: UnknownReason.cutOff))
  }

  @Test("a prompt that the trace lacks has an unknown outcome, even after an answered prompt")
  func refusedUnseen() throws {
    for trace in [[], [Self.user, Self.answer]] {
      let turn = try #require(try lastTurn(trace, count: 3, last: "now this"))
      #expect(turn.outcome == .unknown(reason: UnknownReason.notInTrace))
      #expect(turn.text.isEmpty)
    }
  }

  @Test("a repeated prompt that was refused is not matched with the answered one")
  func refusedAgain() throws {
    let turn = try #require(try lastTurn([Self.user, Self.answer], count: 3, last: "look around"))
    #expect(turn.outcome == .unknown(reason: UnknownReason.notInTrace))
  }

  @Test("a last message that was cut within a character is found")
  func cutCharacter() throws {
    let long = String(repeating: "words ", count: 16)
    let trace: [JSONValue] = [Self.user, ["type": "assistant", "text": .string(long + "😀")]]
    let turn = try #require(try lastTurn(trace, count: 2, last: long + "\u{FFFD}"))
    #expect(turn.outcome == .succeeded(answer: long + "😀"))
  }

  @Test("a session without prompts has no turn")
  func nothing() throws {
    #expect(try lastTurn([], status: "starting", count: 0) == nil)
    #expect(try lastTurn([], count: 0, events: [.stopConfirmed(reason: "idle")]) == nil)
  }

  @Test("an event reports the failure, and the trace the calls before it")
  func failed() throws {
    let turn = try #require(
      try lastTurn(
        [Self.user, Self.call, Self.result],
        last: "a file",
        events: [
          .agentStart, .hears("look around"), .says(""), .calls("t"), .returns("t"),
          .fails("overloaded"), .says(""), .agentEnd,
        ]
      )
    )
    #expect(turn.outcome == .failed("overloaded"))
    #expect(turn.toolCalls.map(\.output.text) == ["a file\n"])
  }

  @Test("events report stops, empty answers and retries")
  func exact() throws {
    let asked: [ServerMessage.Kind] = [.agentStart, .hears("look around")]
    let stop: [ServerMessage.Kind] = [
      .stopRequested, .agentEnd, .stopConfirmed(reason: nil),
    ]
    #expect(
      try lastTurn([Self.user], events: asked + stop)?.outcome == .stopped(reason: nil)
    )
    #expect(try lastTurn([Self.user], events: asked + [.agentEnd])?.outcome == .empty)
    let retried: [ServerMessage.Kind] = [
      .fails("busy"), .agentEnd, .agentStart, .says("A file."), .agentEnd,
    ]
    #expect(
      try lastTurn([Self.user, Self.answer], events: asked + retried)?.outcome
        == .succeeded(answer: "A file.")
    )
  }

  @Test(
    "an invalid time of a trace entry is nil",
    arguments: [
      "", "2026-11-21", "99999999999999-11T00:00Z", "2026-13-21T20:00:01.000Z",
      "20é6-11-21T20:00:01.00Z",
    ]
  )
  func times(text: String) {
    #expect(TraceTurn.time(of: ["timestamp": .string(text)]) == nil)
    let time = TraceTurn.time(of: ["timestamp": "1970-01-01T00:00:01.234Z"])
    #expect(time == Timestamp(milliseconds: 1234))
  }
}

extension LastTurnTests {
  private static func blocks(_ texts: [String]) -> [JSONValue] {
    texts.enumerated().flatMap { index, text -> [JSONValue] in
      [
        ["type": "thinking", "thinking": "Hm."],
        ["id": .string("m-text-\(index)"), "type": "assistant", "text": .string(text)],
      ]
    }
  }

  @Test(
    "an answer in several text blocks is found for any form of the session's last message",
    arguments: [
      (["# Title\n\n", "Done."], "# Title\n\nDone."), (["\n", " Hi", " there"], "Hi there"),
      (["a", "b", "c"], "abc"), (["first\n", "second\n"], "first\n"),
      (["", "x", ""], "x"), (["👩", "\u{200D}💻 at work"], "👩\u{200D}💻 at work"),
      ([String(repeating: "word ", count: 30), "end"], String(repeating: "word ", count: 20)),
    ]
  )
  func severalBlocks(texts: [String], last: String) throws {
    let turn = try #require(
      try lastTurn([Self.user] + Self.blocks(texts), count: 2, last: last)
    )
    #expect(turn.outcome == .succeeded(answer: texts.joined()))
    let steered = [Self.user, Self.call, Self.result] + Self.blocks(texts)
    #expect(try lastTurn(steered, count: 4, last: last)?.outcome?.word == "finished")
  }

  @Test("the last message after an abandoned attempt is the answer")
  func attempts() throws {
    let attempt: JSONValue = ["id": "a-text-0", "type": "assistant", "text": "An attempt"]
    let trace = [Self.user, attempt] + Self.blocks(["Another ", "one"])
    let turn = try #require(try lastTurn(trace, count: 3, last: "Another one"))
    #expect(turn.outcome?.word == "finished")
  }

  @Test(
    "a prompt whose text occurs in the last answer is not matched with that answer",
    arguments: [
      ["I will look around now."], ["I will ", "look around"], ["look", "er"], ["look"],
    ]
  )
  func promptWithinAnswer(texts: [String]) throws {
    let turn = try #require(
      try lastTurn([Self.user] + Self.blocks(texts), count: 3, last: "look around")
    )
    #expect(turn.outcome == .unknown(reason: UnknownReason.notInTrace))
  }

  @Test("system rows at the start of a trace are not a turn")
  func systemRows() throws {
    let rows: [JSONValue] = [
      ["type": "system", "text": "Model: m", "timestamp": "2026-11-21T19:00:00.000Z"],
      ["type": "compaction", "text": "Earlier", "timestamp": "2026-11-21T19:00:00.000Z"],
    ]
    #expect(try lastTurn(rows, count: 0) == nil)
    let refused = try #require(try lastTurn(rows, count: 1, last: "look around"))
    #expect(refused.outcome == .unknown(reason: UnknownReason.notInTrace))
    let turn = try #require(
      try lastTurn(rows + [Self.user, Self.answer], count: 2, last: "A file.")
    )
    #expect(turn.outcome == .succeeded(answer: "A file."))
  }

  @Test("rows after a turn do not extend its duration")
  func rowsAfterTurn() throws {
    let row: JSONValue = [
      "type": "system", "text": "Thinking level: high", "timestamp": "2026-11-22T20:00:00.000Z",
    ]
    let turn = try #require(try lastTurn([Self.user, Self.answer, row], count: 2, last: "A file."))
    #expect(turn.elapsed(at: Self.now) == .seconds(4))
  }
}
