// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

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
    #expect(turn.outcome == .unknown(reason: OutcomeDoubt.notInTrace))
  }

  @Test("system rows at the start of a trace are not a turn")
  func systemRows() throws {
    let rows: [JSONValue] = [
      ["type": "system", "text": "Model: m", "timestamp": "2026-11-21T19:00:00.000Z"],
      ["type": "compaction", "text": "Earlier", "timestamp": "2026-11-21T19:00:00.000Z"],
    ]
    #expect(try lastTurn(rows, count: 0) == nil)
    let refused = try #require(try lastTurn(rows, count: 1, last: "look around"))
    #expect(refused.outcome == .unknown(reason: OutcomeDoubt.notInTrace))
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
