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

  /// Takes the lock as another process would: by an open of its own.
  private func holder() throws -> Int32 {
    try FileStore.forTests().makeFolder(scratch.path("folder"))
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return descriptor
  }

  private func take(patience: Duration) throws {
    try onLoop { [file] loop in
      try await FileStore(loop: loop)
        .withLock(on: file, patience: patience) { () throws(FileError) in }
    }
  }

  /// Takes the lock when its holder is gone; a program that is just being started may have a copy
  /// of the holder's descriptor for a moment.
  private func takeReleased() throws { try take(patience: .seconds(5)) }

  @Test("a lock is tried soon at first, and seldom where it is held for long")
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

  @Test("the lock of a file is a hidden one beside it")
  func name() {
    #expect(FileStore.lockPath(for: "/a/servers.json") == "/a/.servers.json.lock")
    #expect(FileStore.lockPath(for: "servers.json") == "./.servers.json.lock")
  }

  @Test("the body's value is returned and the lock is free again, also where the body throws")
  func released() async throws {
    let files = try FileStore.forTests()
    #expect(try await files.withLock(on: file, patience: .zero) { 7 } == 7)
    await #expect(throws: FileError.self) {
      try await files.withLock(on: file, patience: .zero) { () throws(FileError) in
        throw .lockHeld(path: "inner")
      }
    }
    try takeReleased()
    #expect(scratch.mode("folder") == 0o700)
    #expect(scratch.mode("folder/.file.lock") == 0o600)
  }

  @Test("another holder wears the patience out")
  func held() throws {
    let descriptor = try holder()
    #expect(throws: FileError.lockHeld(path: path)) { try take(patience: .milliseconds(30)) }
    close(descriptor)
    try takeReleased()
  }

  @Test("while the body runs nobody else gets the lock")
  func exclusive() async throws {
    let command = ["flock", "--nonblock", path, "true"]
    let inside = try await FileStore.forTests().withLock(on: file, patience: .zero) {
      try? onLoop {
        try await ChildProcess(arguments: command).run(on: $0, until: .farOff)
      }
    }
    let outside = try onLoop {
      try await ChildProcess(arguments: command).run(on: $0, until: .farOff)
    }
    #expect(inside?.status == 1)
    #expect(outside.status == 0)
  }

  @Test("a lock dies with the process that holds it")
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
            .withLock(on: file, patience: .milliseconds(30)) { () throws(FileError) in }
        }
        group.cancelAll()
        try await group.waitForAll()
      }
    }
    try takeReleased()
  }

  @Test("a link in place of the lock is not followed")
  func link() throws {
    try scratch.makeFolder("folder")
    try scratch.write("precious", to: "other")
    try scratch.link("folder/.file.lock", to: scratch.path("other"))
    let refused = FileError.cannotCreate(path: path, SystemError("open", code: ELOOP))
    #expect(throws: refused) { try take(patience: .zero) }
    #expect(scratch.read("other") == "precious")
  }
}
