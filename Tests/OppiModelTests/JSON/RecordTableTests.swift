// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel

@Suite struct RecordTableTests {
  @Test(
    "every member survives a round trip, and has its default or rejects the record if missing",
    arguments: RecordCase.all
  )
  func members(record: RecordCase) {
    #expect(record.problems == [])
  }

  @Test("the outcome of a turn in a file of an earlier version", arguments: ["stopped", "unknown"])
  func earlierOutcome(word: String) {
    let turn = TurnSummary.shape.record(from: ["end": .string(word)])
    #expect(turn?.end?.rawValue == word)
    let other = TurnSummary.shape.record(from: ["end": .string(word), "outcome": "failed"])
    #expect(other?.end == .failed)
    #expect(TurnSummary.shape.record(from: ["end": .string(word), "outcome": "new"])?.end == nil)
  }
}
