// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import OppiSystem

@Suite("FileLock")
struct FileLockTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private var file: String { scratch.path("folder/file") }
  private var path: String { scratch.path("folder/.file.lock") }

  /// Takes the lock like another process, with a separate open file description.
  private func holder() throws -> Int32 {
    try FileStore.forTests().makeFolder(scratch.path("folder"))
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return descriptor
  }

  private func take(timeout: Duration) throws {
    try onLoop { [file] loop in
      try await FileStore(loop: loop)
        .withLock(on: file, lockTimeout: timeout) { () throws(FileError) in }
    }
  }

  /// Takes the lock after its release, of which a program being started may briefly hold a copy.
  private func takeReleased() throws { try take(timeout: .seconds(5)) }

  @Test("a held lock is retried soon at first, then less often")
  func pauses() {
    var (waited, tries) = (Duration.zero, 0)
    while waited < .seconds(3600) {
      waited += FileStore.pause(after: waited)
      tries += 1
      if tries == 10 { #expect(waited <= .milliseconds(60)) }
    }
    #expect(tries < 3800)
    #expect(FileStore.pause(after: .seconds(3600)) == .seconds(1))
  }

  @Test("the lock of a file is a hidden file next to it")
  func name() {
    #expect(FileStore.lockPath(for: "/a/servers.json") == "/a/.servers.json.lock")
    #expect(FileStore.lockPath(for: "servers.json") == "./.servers.json.lock")
  }

  @Test("the lock is released after the body returns or throws")
  func released() async throws {
    let files = try FileStore.forTests()
    #expect(try await files.withLock(on: file, lockTimeout: .zero) { 7 } == 7)
    await #expect(throws: FileError.self) {
      try await files.withLock(on: file, lockTimeout: .zero) { () throws(FileError) in
        throw .lockHeld(path: "inner")
      }
    }
    try takeReleased()
    #expect(scratch.mode("folder") == 0o700)
    #expect(scratch.mode("folder/.file.lock") == 0o600)
  }

  @Test("a lock held by another process times out")
  func held() throws {
    let descriptor = try holder()
    #expect(throws: FileError.lockHeld(path: path)) { try take(timeout: .milliseconds(30)) }
    close(descriptor)
    try takeReleased()
  }

  @Test("the lock is exclusive while the body runs")
  func exclusive() async throws {
    func run(_ option: String...) throws -> ChildProcess.Outcome {
      let command = ["flock"] + option + [path, "true"]
      return try onLoop { try await ChildProcess(arguments: command).run(on: $0, until: .farOff) }
    }
    let inside = try await FileStore.forTests().withLock(on: file, lockTimeout: .zero) {
      try? run("--nonblock")
    }
    // A child of another test has a copy of the lock until it starts its program.
    let outside = try run("--timeout", "60")
    #expect(inside?.status == 1)
    #expect(outside.status == 0)
  }

  @Test("a file is locked only while its lock is held, and a look creates nothing")
  func look() async throws {
    let files = try FileStore.forTests()
    #expect(try !files.isLocked(file))
    #expect(scratch.names().isEmpty)
    try scratch.write("x", to: file)
    #expect(try !files.isLocked(file))
    #expect(scratch.names(in: "folder") == ["file"])
    let descriptor = try holder()
    #expect(try files.isLocked(file))
    close(descriptor)
    try takeReleased()
  }

  @Test("a lock without a file is removed at its end, unless the body fails")
  func withoutFile() async throws {
    let files = try FileStore.forTests()
    try await files.withLock(on: file, lockTimeout: .zero, hasFile: false) { () throws(FileError) in
      #expect(scratch.names(in: "folder") == [".file.lock"])
    }
    #expect(scratch.names(in: "folder").isEmpty)
    await #expect(throws: FileError.self) {
      try await files.withLock(on: file, lockTimeout: .zero, hasFile: false) {
        () throws(FileError) in throw .lockHeld(path: "inner")
      }
    }
    #expect(scratch.names(in: "folder") == [".file.lock"])
  }

  @Test("a lock is released when the process that holds it exits")
  func holderDies() throws {
    let (file, path) = (file, path)
    let ready = scratch.path("ready")
    try FileStore.forTests().makeFolder(scratch.path("folder"))
    try onLoop { loop in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let script = "touch \"$0\"; exec sleep 1000"
          let command = ChildProcess(arguments: ["flock", path, "sh", "-c", script, ready])
          await #expect(throws: ChildProcess.Failure.self) {
            try await command.run(on: loop, until: .farOff)
          }
        }
        try await loop.waitForFile(ready)
        await #expect(throws: FileError.lockHeld(path: path)) {
          try await FileStore(loop: loop)
            .withLock(on: file, lockTimeout: .milliseconds(30)) { () throws(FileError) in }
        }
        group.cancelAll()
        try await group.waitForAll()
      }
    }
    try takeReleased()
  }

  @Test("a lock that its holder has removed is taken anew, each time")
  func removed() async throws {
    try scratch.write("", to: "first")
    try scratch.write("", to: "second")
    let (first, second) = (scratch.path("first"), scratch.path("second"))
    let disk = WatchedDisk { path, _, _ in
      if unlink(first) == 0 || unlink(second) == 0 { unlink(path) }
    }
    let files = FileStore(loop: try FileStore.forTests().loop, disk: disk)
    try await files.withLock(on: file, lockTimeout: .seconds(5)) { () throws(FileError) in
      #expect(scratch.names(in: "folder") == [".file.lock"])
    }
    #expect(scratch.names() == ["folder"])
  }

  @Test("a link in place of the lock file is not followed")
  func link() throws {
    try scratch.makeFolder("folder")
    try scratch.write("precious", to: "other")
    try scratch.link("folder/.file.lock", to: scratch.path("other"))
    let refused = FileError.cannotCreate(path: path, SystemError("open", code: ELOOP))
    #expect(throws: refused) { try take(timeout: .zero) }
    #expect(scratch.read("other") == "precious")
  }
}
