// SPDX-License-Identifier: MIT

import Foundation
import OppiText
import Synchronization
import TestSupport
import Testing

@testable import OppiSystem

@Suite("RecordFile")
struct RecordFileTests {
  private let scratch: Scratch
  private let file: RecordFile<JSONObject>

  init() throws {
    scratch = try Scratch()
    file = RecordFile(scratch.path("folder/file.json"), in: try .forTests())
  }

  @Test("a missing file is nil and is not created")
  func missing() throws {
    #expect(try file.load() == nil)
    #expect(scratch.names().isEmpty)
  }

  @Test("comments and trailing commas are accepted")
  func json5() throws {
    try scratch.write("// mine\n{a: 1, /* two */ 'b': [2,],}\n", to: file.path)
    #expect(try file.load() == ["a": 1, "b": [2]])
  }

  @Test("a saved value is loaded again, and the file is indented")
  func roundTrip() throws {
    let value: JSONObject = ["b": [1, "zwei"], "a": ["c": .null]]
    try file.save(value)
    #expect(try file.load() == value)
    #expect(scratch.read(file.path)?.hasPrefix("{\n  \"a\": {") == true)
    #expect(scratch.read(file.path)?.hasSuffix("}\n") == true)
    #expect(scratch.mode(file.path) == 0o600)
  }

  @Test(
    "a file without a JSON object is an error and is not changed",
    arguments: ["", "{", "{\"a\":1", "{} x", "\u{0}", "[1]", "\"text\"", "null", "7"]
  )
  func corrupt(text: String) async throws {
    try scratch.write(text, to: file.path)
    #expect(throws: FileError.self) { try file.load() }
    await #expect(throws: FileError.self) { try await file.load { $0 } }
    await #expect(throws: FileError.self) {
      try await file.update { members throws(FileError) in members["a"] = 2 }
    }
    #expect(scratch.read(file.path) == text)
    #expect(scratch.names(in: "folder") == [".file.json.lock", "file.json"])
  }

  @Test("a file of a later version is an error and is not changed")
  func versions() async throws {
    for text in ["{\"version\": 2, \"a\": 1}", "{\"version\": 9}"] {
      try scratch.write(text, to: file.path)
      #expect { try file.load() } throws: { error in
        if case .newerVersion(file.path, _)? = error as? FileError { true } else { false }
      }
      await #expect(throws: FileError.self) {
        try await file.update { members throws(FileError) in members["a"] = 2 }
      }
      #expect(scratch.read(file.path) == text)
    }
    for text in ["{\"version\": 1}", "{\"version\": {\"sessionId\": \"x\"}}"] {
      try scratch.write(text, to: file.path)
      #expect(try file.load() != nil)
    }
  }

  /// The record of other tests.
  private struct Names: ShapedRecord, Equatable {
    var names: [String] = []
    var note: String?

    static let shape = RecordShape(
      Names(),
      [
        .checked("names", { $1(&$0.names) }, .list(of: .text)),
        .optional("note", { $1(&$0.note) }, .text),
      ]
    )
  }

  private func names(isReplaceable: Bool = false) throws -> RecordFile<Names> {
    RecordFile(
      file.path,
      in: try .forTests(),
      isReplaceable: isReplaceable,
      reason: { _ in "no names" }
    )
  }

  @Test("an object that is no such record is an error with its reason, and is not changed")
  func rejected() async throws {
    let file = try names()
    for text in ["{}", "{\"names\": null}", "{\"names\": [1]}", "{\"other\": 7}"] {
      try scratch.write(text, to: file.path)
      #expect(try file.load() == Names())
    }
    try scratch.write("{\"names\": {}}", to: file.path)
    await #expect(throws: FileError.unusable(path: file.path, reason: "no names")) {
      try await file.update { $0.names = ["a"] }
    }
    #expect(file.usable() == nil)
    #expect(scratch.read(file.path) == "{\"names\": {}}")
  }

  @Test("an update keeps the members that the record does not know")
  func unknown() async throws {
    let file = try names()
    try scratch.write("{\"other\": 7, \"note\": \"x\", \"names\": [\"a\"]}", to: file.path)
    try await file.update { $0.names.append("b") }
    let text = try #require(scratch.read(file.path)).split { $0.isWhitespace }.joined()
    #expect(text == "{\"names\":[\"a\",\"b\"],\"note\":\"x\",\"other\":7}")
    try await file.update { $0.note = nil }
    #expect(try self.file.load() == ["other": 7, "names": ["a", "b"]])
    try file.save(Names(names: ["c"]))
    #expect(try self.file.load() == ["names": ["c"]])
  }

  @Test("a damaged file that is replaceable counts as missing", arguments: ["", "{", "[]"])
  func replaceable(text: String) async throws {
    let file = try names(isReplaceable: true)
    try scratch.write(text, to: file.path)
    #expect(try file.load() == nil)
    #expect(try await file.load { $0 } == nil)
    try await file.update { $0.names = ["a"] }
    #expect(try file.load() == Names(names: ["a"]))
    #expect(try await file.load { $0 } == Names(names: ["a"]))
    try scratch.write("{\"version\": 2}", to: file.path)
    await #expect(throws: FileError.newerVersion(path: file.path, version: 2)) {
      try await file.update { $0.names = ["a"] }
    }
  }

  @Test(
    "a replaceable file that others could read or change counts as missing, and is made private again",
    arguments: [(.secret, 0o644), (.secret, 0o640), (.trusted, 0o666)]
      as [(FileStore.Privacy, mode_t)]
  )
  func replaceableMode(privacy: FileStore.Privacy, mode: mode_t) async throws {
    let files = try FileStore.forTests()
    let replaceable = RecordFile<Names>(file.path, in: files, privacy: privacy, isReplaceable: true)
    try scratch.write("{\"names\": [\"a\"]}", to: file.path, mode: mode)
    #expect(try replaceable.load() == nil)
    let error = FileError.unsafeMode(
      path: file.path,
      mode: mode,
      needed: privacy == .secret ? "600" : "go-w"
    )
    #expect(files.faults.take() == [.init(error: error, isReplaced: true)])
    try await replaceable.update { $0.names.append("b") }
    #expect(scratch.mode(file.path) == 0o600)
    #expect(try replaceable.load() == Names(names: ["b"]))
    #expect(files.faults.take().isEmpty)
    try scratch.write("{\"names\": [\"a\"]}", to: file.path, mode: mode)
    let other = RecordFile<Names>(file.path, in: files, privacy: privacy)
    #expect(throws: error) { try other.load() }
    await #expect(throws: error) { try await other.update { $0.names = [] } }
  }

  @Test("a file that the program can do without is noted if it cannot be used")
  func unusable() throws {
    let files = try FileStore.forTests()
    let file = RecordFile<Names>(file.path, in: files)
    #expect(file.usable() == nil && files.faults.take().isEmpty)
    try scratch.write("{", to: file.path)
    #expect(file.usable() == nil)
    #expect(files.faults.take().map(\.isReplaced) == [false])
  }

  @Test("a file is as long as its limit at most, so that it can be read again")
  func limit() async throws {
    let record: JSONObject = ["text": "twelve bytes"]
    try file.save(record)
    let size = try #require(scratch.read(file.path)).utf8.count
    func limited(to limit: Int) throws -> RecordFile<JSONObject> {
      RecordFile(file.path, in: try .forTests(), limit: limit)
    }
    let fitting = try limited(to: size)
    try fitting.save(record)
    #expect(try fitting.load() == record)
    let error = FileError.tooLarge(path: file.path, limit: size)
    #expect(throws: error) { try fitting.save(["text": "thirteen byte"]) }
    await #expect(throws: error) {
      try await fitting.update { members throws(FileError) in members["text"] = "thirteen byte" }
    }
    #expect(try fitting.load() == record)
    #expect(throws: FileError.tooLarge(path: file.path, limit: size - 1)) {
      try limited(to: size - 1).load()
    }
  }

  @Test("a file of a later version is neither saved over nor removed; a damaged one is")
  func laterVersion() throws {
    for text in ["{\"version\": 2}", "{\"a\": 1, \"version\": 3}"] {
      try scratch.write(text, to: file.path)
      #expect(throws: FileError.self) { try file.checkVersion() }
      #expect(throws: FileError.self) { try file.save(["a": 2]) }
      #expect(throws: FileError.self) { try file.remove() }
      #expect(throws: FileError.self) { try file.removeLocked() }
      #expect(scratch.read(file.path) == text)
    }
    for text in ["{\"version\": 1}", "{\"version\": ", "{\"a\": \"version\"}", "[]", ""] {
      try scratch.write(text, to: file.path)
      try file.checkVersion()
      try file.save(["a": 2])
      #expect(try file.load() == ["a": 2])
    }
    try file.remove()
    #expect(try file.load() == nil)
    try file.remove()
  }

  @Test("a syntax error is reported with its line")
  func whereItBreaks() throws {
    try scratch.write("{\n  \"a\": }\n", to: file.path)
    #expect { try file.load() } throws: { error in
      guard case FileError.corrupt(let path, let cause) = error else { return false }
      return path == file.path && cause.line == 2
    }
  }

  @Test("an update starts with an empty object and keeps other members")
  func update() async throws {
    #expect(try await file.update { members throws(FileError) in members.count } == 0)
    #expect(try file.load() == nil)
    try await file.update { members throws(FileError) in members["a"] = 1 }
    try await file.update { members throws(FileError) in members["b"] = 2 }
    #expect(try file.load() == ["a": 1, "b": 2])
  }

  @Test("an update that changes nothing or throws writes nothing")
  func unchanged() async throws {
    let text = "{ /* mine */ a: 1 }"
    try scratch.write(text, to: file.path)
    try await file.update { members throws(FileError) in members["a"] = 1 }
    await #expect(throws: FileError.self) {
      try await file.update { members throws(FileError) in
        members["a"] = 2
        throw .lockHeld(path: "body")
      }
    }
    #expect(scratch.read(file.path) == text)
  }

  @Test("concurrent updates are all kept")
  func concurrent() throws {
    let (threads, updates) = (8, 10)
    let path = file.path
    let failures = Mutex<[String]>([])
    let done = DispatchSemaphore(value: 0)
    for thread in 0..<threads {
      Thread.detachNewThread {
        do {
          try onLoop { loop in
            let file = RecordFile<JSONObject>(path, in: FileStore(loop: loop))
            for update in 0..<updates {
              try await file.update { members throws(FileError) in
                members["\(thread)-\(update)"] = true
                members["count"] = .integer(Int64((members["count"]?.int ?? 0) + 1))
              }
            }
          }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
        done.signal()
      }
    }
    for _ in 0..<threads { done.wait() }
    #expect(failures.withLock { $0 } == [])
    let members = try #require(try file.load())
    #expect(members["count"] == .integer(Int64(threads * updates)))
    #expect(members.count == threads * updates + 1)
    #expect(scratch.names(in: "folder") == [".file.json.lock", "file.json"])
  }

  @Test("a secret file that others can read is rejected and not replaced")
  func secret() async throws {
    let secret = RecordFile<JSONObject>(file.path, in: try .forTests(), privacy: .secret)
    try scratch.write("{\"a\":1}", to: file.path, mode: 0o644)
    #expect(try file.load() == ["a": 1])
    let refused = FileError.unsafeMode(path: file.path, mode: 0o644, needed: "600")
    #expect(throws: refused) { try secret.load() }
    await #expect(throws: refused) { try await secret.update { _ throws(FileError) in } }
    #expect(scratch.mode(file.path) == 0o644)
  }
}
