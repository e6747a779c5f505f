// SPDX-License-Identifier: MIT

import OppiText
import TestSupport
import Testing

@testable import OppiSystem

@Suite struct RecordFolderTests {
  private struct Note: ShapedRecord, Equatable {
    var name: String
    var text = ""

    static let shape = RecordShape(
      Note(name: ""),
      [.required("name", { $1(&$0.name) }, .text), .required("text", { $1(&$0.text) }, .text)]
    )
  }

  private let scratch: Scratch
  private let folder: RecordFolder<String, Note>

  init() throws {
    scratch = try Scratch()
    folder = RecordFolder(
      scratch.path("notes"),
      in: try .forTests(),
      limit: 100,
      key: { $0.name },
      reason: "not a note"
    )
  }

  @Test("records are saved, listed, loaded and removed under their keys")
  func life() throws {
    #expect(try folder.keys() == [] && folder.load("a") == nil)
    for name in ["b", "a"] { try folder.save(Note(name: name, text: "text of \(name)")) }
    #expect(try folder.keys() == ["a", "b"])
    #expect(try folder.load("a") == Note(name: "a", text: "text of a"))
    #expect(scratch.mode("notes") == 0o700 && scratch.mode("notes/a.json") == 0o600)
    try folder.remove("a")
    #expect(try folder.keys() == ["b"])
    let long = Note(name: "b", text: String(repeating: "x", count: 100))
    #expect(throws: FileError.tooLarge(path: folder.path(of: "b"), limit: 100)) {
      try folder.save(long)
    }
  }

  @Test("a file without a record of its key is an error, and is not changed")
  func foreign() async throws {
    for text in ["{}", #"{"name": "b", "text": ""}"#] {
      try scratch.write(text, to: folder.path(of: "a"))
      let error = FileError.unusable(path: folder.path(of: "a"), reason: "not a note")
      #expect(throws: error) { try folder.load("a") }
      await #expect(throws: error) { try await folder.update("a") { $0 = Note(name: "a") } }
      #expect(scratch.read(folder.path(of: "a")) == text)
    }
  }

  @Test("an update changes a record under its lock; a missing one can be added")
  func update() async throws {
    try await folder.update("a") { note throws(FileError) in #expect(note == nil) }
    #expect(try folder.keys() == [])
    try await folder.update("a") { $0 = Note(name: "a") }
    let path = folder.path(of: "a")
    try await folder.update("a") { note throws(FileError) in
      note?.text = "new"
      #expect(try folder.files.isLocked(path))
    }
    #expect(try folder.load("a") == Note(name: "a", text: "new"))
    let text = "/* mine */" + (scratch.read(path) ?? "")
    try scratch.write(text, to: path)
    try await folder.update("a") { $0?.text = "new" }
    #expect(scratch.read(path) == text, "nothing was changed")
  }
}
