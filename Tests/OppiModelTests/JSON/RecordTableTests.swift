// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

/// Every member of every record on disk.
@Suite struct RecordTableTests {
  @Test("every member is written and read back", arguments: RecordCase.all)
  func roundTrip(record: RecordCase) {
    #expect(Set(record.samples.flatMap { $0.map(\.key) }) == Set(record.members))
    #expect(Set(record.members).count == record.members.count)
    for sample in record.samples {
      #expect(record.rewritten(.object(sample)) == .object(sample))
      #expect(sample.map(\.key) == record.members.filter { sample[$0] != nil })
    }
  }

  @Test("a record without a usable required member is rejected", arguments: RecordCase.all)
  func required(record: RecordCase) {
    for name in record.required {
      for sample in record.samples where sample[name] != nil {
        for value in [nil, .null, RecordCase.unusable] {
          #expect(record.rewritten(sample, name, value) == nil, "\(name)")
        }
      }
    }
  }

  @Test("a missing member has its default", arguments: RecordCase.all)
  func missing(record: RecordCase) {
    for name in record.optional {
      for sample in record.samples where sample[name] != nil {
        for value in [nil, JSONValue.null] {
          let expected = record.withDefault(sample, name)
          #expect(record.rewritten(sample, name, value) == .object(expected), "\(name)")
        }
      }
    }
  }

  @Test(
    "an unusable optional member has its default or rejects the record",
    arguments: RecordCase.all
  )
  func unusable(record: RecordCase) {
    for name in record.optional {
      for sample in record.samples where sample[name] != nil {
        let read = record.rewritten(sample, name, RecordCase.unusable)
        let expected = JSONValue.object(record.withDefault(sample, name))
        #expect(read == (record.strict.contains(name) ? nil : expected), "\(name)")
      }
    }
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
