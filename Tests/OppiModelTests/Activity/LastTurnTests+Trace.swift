// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

/// The forms that a message takes in a trace.
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
    "an answer in several text blocks is found, whatever the list of sessions has of it",
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

  @Test("the message after an attempt that came to nothing is the last one")
  func attempts() throws {
    let attempt: JSONValue = ["id": "a-text-0", "type": "assistant", "text": "An attempt"]
    let trace = [Self.user, attempt] + Self.blocks(["Another ", "one"])
    let turn = try #require(try lastTurn(trace, count: 3, last: "Another one"))
    #expect(turn.outcome?.word == "finished")
  }

  @Test(
    "a prompt whose words occur in the last answer is not taken for that answer",
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

  @Test("the rows with which a trace begins are no turn")
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

  @Test("rows that are written after a turn do not make it longer")
  func rowsAfterTurn() throws {
    let row: JSONValue = [
      "type": "system", "text": "Thinking level: high", "timestamp": "2026-11-22T20:00:00.000Z",
    ]
    let turn = try #require(try lastTurn([Self.user, Self.answer, row], count: 2, last: "A file."))
    #expect(turn.elapsed(at: Self.now) == .seconds(4))
  }
}
