// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText

@Suite struct KeyedRecordsTests {
  private struct Note: ShapedRecord, Equatable {
    var text: String

    static let shape = RecordShape(Note(text: ""), [.required("text", { $1(&$0.text) }, .text)])
  }

  @Test("records are read, added, replaced and removed by name; the other members stay")
  func members() throws {
    let json: JSONValue = ["b": 7, "a": ["text": "one"], "n": .null]
    var notes = try #require(KeyedRecords<Note>(json: json))
    #expect(notes.json == json)
    #expect(notes["a"] == Note(text: "one") && notes["b"] == nil && notes["c"] == nil)
    #expect(notes.contains("a") && notes.contains("b"))
    #expect(!notes.contains("c") && !notes.contains("n"))
    notes["c"] = Note(text: "two")
    notes["a"] = nil
    notes["d"] = nil
    #expect(notes.json.object?.map(\.key) == ["b", "n", "c"])
    #expect(notes["c"] == Note(text: "two"))
    #expect(KeyedRecords<Note>(json: []) == nil)
    #expect(KeyedRecords<Note>().json == [:])
  }

  @Test("a dictionary is sorted by name, and without unusable members unless it must be whole")
  func dictionary() {
    let notes = JSONField.dictionary(by: .outboxKey, of: JSONField<Note>.record)
    let whole = JSONField.dictionary(by: .outboxKey, of: JSONField<Note>.record, isWhole: true)
    let json: JSONValue = ["b": ["text": "two"], "a": ["text": "one"]]
    for field in [notes, whole] {
      let entries = field.decode(json)
      #expect(entries?.count == 2)
      let written = entries.flatMap(field.encode)
      #expect(written == json && written?.object?.map(\.key) == ["a", "b"])
      #expect(field.decode([]) == nil && field.decode([:]) == [:])
    }
    for damaged: JSONValue in [
      ["a": ["text": "one"], "b": 7], ["a": ["text": "one"], "not a key": ["text": "two"]],
    ] {
      #expect(notes.decode(damaged)?.map(\.value) == [Note(text: "one")])
      #expect(whole.decode(damaged) == nil)
    }
  }

  @Test("a record can be rejected as a whole")
  func accepting() {
    let shape = RecordShape(Note(text: ""), [.required("text", { $1(&$0.text) }, .text)]) { note in
      note.text != "no"
    }
    #expect(shape.record(from: ["text": "yes"]) == Note(text: "yes"))
    #expect(shape.record(from: ["text": "no"]) == nil)
  }
}
