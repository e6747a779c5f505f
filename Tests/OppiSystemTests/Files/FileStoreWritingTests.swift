// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import OppiSystem

@Suite("FileStore, writing")
struct FileStoreWritingTests {
  private let scratch: Scratch
  private let files: FileStore

  init() throws {
    scratch = try Scratch()
    files = try .forTests()
  }

  private func write(_ text: String, to name: String) throws {
    try files.replace(scratch.path(name), with: Array(text.utf8))
  }

  @Test("a written file has mode 600, whatever the mode before", arguments: [0o644, 0o777])
  func mode(before: mode_t) throws {
    try scratch.write("old", to: "file", mode: before)
    try write("new", to: "file")
    #expect(scratch.read("file") == "new")
    #expect(scratch.mode("file") == 0o600)
    #expect(scratch.names() == ["file"])
  }

  @Test("a file has mode 600 under any umask", arguments: [0, 0o077, 0o777])
  func mask(mask: mode_t) async {
    // The umask belongs to the process, so the test needs its own.
    await #expect(processExitsWith: .success) { [mask] in
      let scratch = try Scratch()
      let before = umask(mask)
      let result = Result { try FileStore.forTests().replace(scratch.path("file"), with: [1]) }
      umask(before)
      try result.get()
      #expect(scratch.mode("file") == 0o600)
    }
  }

  @Test("a reader of the old file keeps its whole content")
  func atomic() throws {
    let path = try scratch.write("old", to: "file")
    let reader = try SystemDisk().open(path, for: .reading)
    try write("new and longer", to: "file")
    #expect(try reader.read(atMost: 100) == Array("old".utf8))
  }

  @Test("creating a file fails if a file or a link exists")
  func creating() throws {
    try scratch.write("keep", to: "file")
    try scratch.link("link", to: scratch.path("file"))
    try scratch.link("dangling", to: scratch.path("none"))
    for name in ["file", "link", "dangling"] {
      #expect(throws: SystemError("open", code: EEXIST)) {
        try SystemDisk().open(scratch.path(name), for: .creating(for: .owner))
      }
    }
    #expect(scratch.read("file") == "keep")
    #expect(scratch.names().sorted() == ["dangling", "file", "link"])
  }

  @Test("the name of a temporary file is not predictable")
  func foreseen() throws {
    let guesses = (0..<20).map { ".file.\(getpid()).\($0)" }
    for name in guesses { try scratch.write("x", to: name) }
    try write("one", to: "file")
    try write("two", to: "file")
    #expect(scratch.read("file") == "two")
    #expect(scratch.names().sorted() == (guesses + ["file"]).sorted())
  }

  @Test("a trial write leaves no files")
  func trial() throws {
    try scratch.write("old", to: "file")
    try files.checkReplacing(scratch.path("file"), with: [1])
    #expect(scratch.read("file") == "old")
    #expect(scratch.names() == ["file"])
  }

  @Test("missing folders are created with mode 700")
  func folders() throws {
    try write("x", to: "a/b/c/file")
    #expect(scratch.read("a/b/c/file") == "x")
    for folder in ["a", "a/b", "a/b/c"] { #expect(scratch.mode(folder) == 0o700) }
  }

  @Test("a link is followed and kept")
  func link() throws {
    try scratch.write("old", to: "real/file", mode: 0o644)
    try scratch.link("link", to: "real/file")
    try write("new", to: "link")
    #expect(scratch.isLink("link"))
    #expect(scratch.read("real/file") == "new")
    #expect(scratch.mode("real/file") == 0o600)
    #expect(scratch.names() == ["link", "real"])
    #expect(scratch.names(in: "real") == ["file"])
  }

  @Test(
    "data that can be fetched again replaces a link, and leaves its target",
    arguments: [true, false]
  )
  func replacedLink(isDangling: Bool) throws {
    if !isDangling { try scratch.write("keep", to: "real/file") }
    try scratch.link("link", to: scratch.path("real/file"))
    try files.replace(scratch.path("link"), with: Array("new".utf8), .passing)
    #expect(!scratch.isLink("link") && scratch.read("link") == "new")
    #expect(scratch.read("real/file") == (isDangling ? nil : "keep"))
  }

  @Test("a dangling link is followed and kept")
  func danglingLink() throws {
    try scratch.makeFolder("real")
    try scratch.link("second", to: "real/file")
    try scratch.link("first", to: scratch.path("second"))
    try write("new", to: "first")
    #expect(scratch.isLink("first"))
    #expect(scratch.isLink("second"))
    #expect(scratch.read("real/file") == "new")
  }

  @Test("a folder in place of the file is kept, and no temporary file remains")
  func folderInPlace() throws {
    try scratch.makeFolder("file")
    let cause = SystemError("rename", code: EISDIR)
    #expect(throws: FileError.cannotWrite(path: scratch.path("file"), cause)) {
      try write("x", to: "file")
    }
    #expect(scratch.names() == ["file"])
    #expect(scratch.names(in: "file").isEmpty)
  }

  @Test("a file in place of a folder is an error with the path")
  func fileInPlaceOfFolder() throws {
    try scratch.write("x", to: "a")
    for (name, path, call) in [("a/file", "a/file", "open"), ("a/b/file", "a/b", "mkdir")] {
      let cause = SystemError(call, code: ENOTDIR)
      #expect(throws: FileError.cannotCreate(path: scratch.path(path), cause)) {
        try write("x", to: name)
      }
    }
    #expect(scratch.read("a") == "x")
  }

  @Test("a full disk keeps the old file and leaves no temporary file")
  func full() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      try scratch.write("old", to: "file")
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      let path = scratch.path("file")
      #expect(throws: FileError.cannotWrite(path: path, SystemError("write", code: EFBIG))) {
        try FileStore.forTests().replace(path, with: [UInt8](repeating: 0, count: 2000))
      }
      #expect(scratch.read("file") == "old")
      #expect(scratch.names() == ["file"])
    }
  }

  @Test("the next write removes leftovers of a killed process, and nothing else")
  func leftovers() throws {
    let kept = [
      ".file.\(getppid()).1", ".file.\(pid_t.max)", ".file.\(pid_t.max).x", ".file.lock",
      ".other.\(pid_t.max).1", "file.\(pid_t.max).1",
    ]
    // No process has an id of `pid_t.max`.
    for name in kept + [".file.\(pid_t.max).1", ".file.\(pid_t.max).4294967295"] {
      try scratch.write("x", to: name)
    }
    try write("y", to: "file")
    #expect(scratch.names().sorted() == (kept + ["file"]).sorted())
  }

  @Test("a leftover whose writer is out of sight is kept while the writer has it open")
  func unseenWriter() throws {
    let name = ".file.\(pid_t.max).1"
    try scratch.write("x", to: name)
    do {
      let writer = try SystemDisk().open(scratch.path(name), for: .locking)
      #expect(try writer.tryLock())
      try write("y", to: "file")
      #expect(scratch.names().sorted() == [name, "file"].sorted())
      withExtendedLifetime(writer) {}
    }
    // A program that another test is starting has the lock, too, until it runs.
    for _ in 0..<10_000 where scratch.names() != ["file"] { try write("z", to: "file") }
    #expect(scratch.names() == ["file"])
  }

  @Test("a write succeeds while a process that does not see the writer removes leftovers")
  func otherNamespace() throws {
    let blind = ProcessIdentity(id: 1) { _ in false }
    let other = FileStore(loop: files.loop, process: blind)
    let begin = scratch.path("begin")
    try scratch.write("", to: "begin")
    let shared = WatchedDisk { path, access, file in
      // Before the first new file is locked.
      guard case .creating = access, unlink(begin) == 0 else { return }
      other.removeLeftovers(in: FileStore.parent(of: path))
      #expect(!file.isStill(at: path))
    } beforeRenaming: {
      other.removeLeftovers(in: FileStore.parent(of: $0))
    }
    let writer = FileStore(loop: files.loop, disk: shared)
    try writer.replace(scratch.path("file"), with: Array("new".utf8))
    #expect(scratch.read("file") == "new" && scratch.names() == ["file"])
  }

  @Test(
    "a folder can be written to, also if it would have to be created, and nothing is left in it"
  )
  func writableFolder() throws {
    try files.checkWritable(folder: scratch.path("a/b"), 100)
    #expect(scratch.names().isEmpty)
    try scratch.write("x", to: "a")
    let cause = SystemError("open", code: ENOTDIR)
    #expect(throws: FileError.cannotCreate(path: scratch.path("a/b"), cause)) {
      try files.checkWritable(folder: scratch.path("a/b"), 100)
    }
  }

  @Test("lines are appended after a torn one, whose end is added once", arguments: ["log", "link"])
  func lines(name: String) async throws {
    try scratch.write("one\ntw", to: "log")
    try scratch.link("link", to: scratch.path("log"))
    try await files.withLog(at: scratch.path(name)) { log throws(FileError) in
      #expect(log.size == 6)
      try log.append(line: Array("three".utf8))
      try log.append(line: Array("four".utf8))
      #expect(log.size == 18)
    }
    #expect(scratch.read("log") == "one\ntw\nthree\nfour\n")
    #expect(scratch.isLink("link") && scratch.names() == ["link", "log"])
  }

  @Test("lines are appended to the file that has replaced another one meanwhile")
  func replacedLines() async throws {
    try scratch.write("old\n", to: "log")
    try scratch.write("new\n", to: "next")
    let disk = WatchedDisk { [next = scratch.path("next")] path, _, _ in rename(next, path) }
    let files = FileStore(loop: files.loop, disk: disk)
    try await files.withLog(at: scratch.path("log")) { log throws(FileError) in
      try log.append(line: Array("three".utf8))
    }
    #expect(scratch.read("log") == "new\nthree\n")
  }

  @Test("a file of lines is created with its folder, and is for this user alone")
  func newLines() async throws {
    try await files.withLog(at: scratch.path("a/log")) { log throws(FileError) in
      #expect(log.size == 0)
      try log.append(line: Array("one".utf8))
    }
    #expect(scratch.read("a/log") == "one\n")
    #expect(scratch.mode("a") == 0o700 && scratch.mode("a/log") == 0o600)
  }

  @Test("only an empty folder is removed")
  func emptyFolder() throws {
    try scratch.write("x", to: "full/file")
    try scratch.makeFolder("empty")
    #expect(!files.removeIfEmpty(folder: scratch.path("full")))
    #expect(files.removeIfEmpty(folder: scratch.path("empty")))
    #expect(files.removeIfEmpty(folder: scratch.path("none")))
    #expect(scratch.names() == ["full"] && scratch.read("full/file") == "x")
  }

  @Test("a link is distinguished from a file in a linked folder")
  func links() throws {
    try scratch.write("x", to: "real/file")
    try scratch.link("folder", to: scratch.path("real"))
    try scratch.link("link", to: scratch.path("real/file"))
    #expect(files.isLink(scratch.path("link")) && files.isLink(scratch.path("folder")))
    #expect(!files.isLink(scratch.path("real/file")) && !files.isLink(scratch.path("folder/file")))
  }

  @Test("removing a tree removes its content, and does not follow links")
  func removeTree() throws {
    try scratch.write("keep", to: "outside/file")
    try scratch.write("x", to: "tree/a/b/file")
    try scratch.write("x", to: "tree/.hidden")
    try scratch.link("tree/link", to: scratch.path("outside"))
    SystemDisk().removeTree(scratch.path("tree"))
    #expect(scratch.names() == ["outside"])
    #expect(scratch.read("outside/file") == "keep")
  }
}
