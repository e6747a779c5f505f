// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import OppiSystem

@Suite("FileStore")
struct FileStoreTests {
  private let scratch: Scratch
  private let files: FileStore

  init() throws {
    scratch = try Scratch()
    files = try .forTests()
  }

  private func text(_ bytes: [UInt8]?) -> String? {
    bytes.map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Reading

  @Test(
    "a missing file is nil and not an error",
    arguments: ["none", "file/below", "a/b"]
  )
  func missing(name: String) throws {
    try scratch.write("x", to: "file")
    #expect(try files.read(scratch.path(name)) == nil)
  }

  @Test("a file is read to its end", arguments: [0, 1, 65_536, 65_537, 200_000])
  func whole(size: Int) throws {
    let path = try scratch.write(String(repeating: "x", count: size), to: "file")
    #expect(try files.read(path)?.count == size)
  }

  @Test(
    "what cannot be read is an error and not a missing file",
    arguments: [("folder", "read", EISDIR), ("loop", "open", ELOOP), ("secret", "open", EACCES)]
  )
  func unreadable(name: String, call: String, code: Int32) throws {
    try scratch.makeFolder("folder")
    try scratch.link("loop", to: "loop")
    try scratch.write("x", to: "secret", mode: 0)
    // Root may read any file.
    guard name != "secret" || geteuid() != 0 else { return }
    let path = scratch.path(name)
    #expect(throws: FileError.cannotRead(path: path, SystemError(call, code: code))) {
      try files.read(path)
    }
  }

  @Test(
    "a file that others can write to is rejected, and a secret file also if others can read it",
    arguments: [
      (0o600, true, true), (0o400, true, true), (0o644, true, false), (0o640, true, false),
      (0o604, true, false), (0o620, false, false), (0o602, false, false), (0o666, false, false),
      (0o700, true, true), (0o610, true, false),
    ] as [(mode_t, Bool, Bool)]
  )
  func modes(mode: mode_t, isTrusted: Bool, isSecret: Bool) throws {
    let path = try scratch.write("x", to: "file", mode: mode)
    for (privacy, isFine) in [(FileStore.Privacy.trusted, isTrusted), (.secret, isSecret)] {
      do {
        #expect(text(try files.read(path, privacy: privacy)) == "x")
        #expect(isFine, "\(privacy)")
      } catch .unsafeMode(let found, let bits, let needed) {
        #expect(!isFine, "\(privacy)")
        #expect(found == path)
        #expect(bits == mode)
        #expect(needed == (privacy == .secret ? "600" : "go-w"))
      }
    }
  }

  @Test("a file in a folder that others can write to is rejected", arguments: [0o777, 0o770])
  func unsafeFolder(mode: mode_t) throws {
    let path = try scratch.write("x", to: "folder/file")
    try #require(chmod(scratch.path("folder"), mode) == 0)
    let error = FileError.unsafeFolder(path: scratch.path("folder"), mode: UInt32(mode))
    #expect(throws: error) { try files.read(path) }
    #expect(throws: error) { try files.replace(path, with: []) }
    #expect(scratch.read("folder/file") == "x")
    #expect(scratch.names(in: "folder") == ["file"])
  }

  @Test("a file in a sticky folder such as /tmp is accepted")
  func stickyFolder() throws {
    let path = try scratch.write("x", to: "folder/file")
    try #require(chmod(scratch.path("folder"), 0o1777) == 0)
    try files.replace(path, with: Array("y".utf8))
    #expect(text(try files.read(path)) == "y")
  }

  @Test("a file or a folder of another user is rejected", .enabled(if: geteuid() == 0))
  func foreign() throws {
    let file = try scratch.write("x", to: "file")
    try #require(chown(file, 12_345, 12_345) == 0)
    #expect(throws: FileError.foreign(path: file)) { try files.read(file) }
    let path = try scratch.write("x", to: "folder/file")
    try #require(chown(scratch.path("folder"), 12_345, 12_345) == 0)
    let error = FileError.foreign(path: scratch.path("folder"))
    #expect(throws: error) { try files.read(path) }
    #expect(throws: error) { try files.replace(path, with: []) }
  }

  @Test(
    "a file is read up to its limit, and none of a longer one",
    arguments: [0, 9, 10, 11, 70_000]
  )
  func ownLimit(size: Int) throws {
    let path = try scratch.write(String(repeating: "x", count: size), to: "file")
    for limit in [10, 65_536] {
      if size <= limit {
        #expect(try files.read(path, limit: limit)?.count == size)
      } else {
        #expect(throws: FileError.tooLarge(path: path, limit: limit)) {
          try files.read(path, limit: limit)
        }
      }
    }
  }

  @Test("no line is put together from parts of a file that becomes shorter meanwhile")
  func shrinkingFile() throws {
    let lines = (10_000..<40_000).map { "line \($0)" }
    let path = try scratch.write(lines.joined(separator: "\n"), to: "log")
    var seen: [String] = []
    let found = try files.lastLine(of: path, limit: 1 << 20) { line -> String? in
      // In the middle of an earlier piece, and of a line.
      if seen.isEmpty { _ = truncate(path, 200_005) }
      seen.append(String(decoding: line, as: UTF8.self))
      return nil
    }
    let parts = Set(seen).subtracting(lines)
    #expect(found == nil && seen.last == lines.first)
    #expect(parts.allSatisfy { part in lines.contains { $0.hasPrefix(part) } }, "\(parts)")
  }

  @Test(
    "lines are read from the end, each as a whole, wherever a piece of the file begins",
    arguments: [0, 1, 65_529, 65_530, 65_531, 65_535, 65_536, 200_000]
  )
  func lastLine(length: Int) throws {
    let long = String(repeating: "x", count: length)
    let path = try scratch.write("first\n\(long)\nlast\n", to: "log")
    var seen: [Int] = []
    let found = try files.lastLine(of: path, limit: 1 << 20) { line -> String? in
      seen.append(line.count)
      return line.starts(with: Array("f".utf8)) ? String(decoding: line, as: UTF8.self) : nil
    }
    #expect(found == "first" && seen == [0, 4, length, 5])
    let size = length + 12
    #expect(
      try files.lastLine(of: path, limit: size) { $0.isEmpty ? nil : $0 } == Array("last".utf8)
    )
    #expect(throws: FileError.tooLarge(path: path, limit: size - 1)) {
      try files.lastLine(of: path, limit: size - 1) { $0 }
    }
    #expect(try files.lastLine(of: path, limit: size) { _ -> Int? in nil } == nil)
    #expect(try files.lastLine(of: scratch.path("none"), limit: 9) { $0 } == nil)
  }

  @Test("the records of a folder are its JSON files that are not hidden")
  func jsonNames() throws {
    for name in ["b.json", "a.json", ".a.json.lock", ".c.json", "d.json.corrupt", "e.txt", ".json"]
    {
      try scratch.write("x", to: "folder/\(name)")
    }
    #expect(try files.jsonNames(in: scratch.path("folder")) == ["a", "b"])
    #expect(try files.jsonNames(in: scratch.path("none")) == [])
  }

  @Test("the missing folders of a path are named from the outside")
  func missingFolders() throws {
    try scratch.makeFolder("a")
    let path = { [scratch] (name: String) in scratch.path(name) }
    #expect(files.missingFolders(for: path("a/b/c")) == [path("a/b"), path("a/b/c")])
    #expect(files.missingFolders(for: path("a")).isEmpty)
  }

  // MARK: Moving aside

  @Test("a file moved aside keeps its content")
  func keepAside() throws {
    let path = try scratch.write("broken", to: "file")
    let aside = try files.keepAside(path)
    #expect(scratch.read(aside) == "broken")
    #expect(scratch.read("file") == nil)
    #expect(throws: FileError.cannotWrite(path: aside, SystemError("rename", code: ENOENT))) {
      try files.keepAside(path)
    }
  }

  @Test(
    "a path is split at its last slash",
    arguments: [
      ("/a/b", "/a", "b"), ("/a", "/", "a"), ("a", ".", "a"), ("a/b/c", "a/b", "c"),
    ]
  )
  func parts(path: String, parent: String, name: String) {
    #expect(FileStore.parent(of: path) == parent)
    #expect(FileStore.name(of: path) == name)
  }
}
