// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiModel
import OppiSystem
import TestSupport
import Testing

@Suite("OutboxStore")
struct OutboxStoreTests {
  private let scratch: Scratch
  private let key: OutboxKey

  init() throws {
    scratch = try Scratch()
    key = try #require(OutboxKey("nightly"))
  }

  private func store(_ loop: EventLoop) -> OutboxStore {
    OutboxStore(paths: scratch.paths, files: FileStore(loop: loop))
  }

  private var prompt: QueuedPrompt {
    let now = Timestamp(milliseconds: 1_800_000_000_000)
    return QueuedPrompt(
      key: key,
      isKeyKept: false,
      target: .init(
        serverID: Fingerprint(digest: Array(repeating: 7, count: 32)),
        serverName: "studio",
        workspaceID: "demo0001",
        workspaceName: "demo",
        sessionID: nil
      ),
      content: .init("do it"),
      createdAt: now,
      expiresAt: nil,
      clientTurnID: "turn-1"
    )
  }

  private func names() -> [String] {
    ((try? SystemDisk().names(in: scratch.paths.outboxFolder)) ?? []).sorted()
  }

  @Test("a prompt is kept for nobody else to read, and is gone with its lock when it is removed")
  func keeps() throws {
    try onLoop { [self] loop in
      let store = store(loop)
      #expect(try store.keys().isEmpty)
      try await store.claim(key) { () throws(FileError) in try store.save(prompt) }
      #expect(try store.keys() == [key])
      #expect(try store.load(key) == prompt)
      #expect(scratch.mode(".local/state/oppi/outbox/nightly.json") == 0o600)
      #expect(names() == [".nightly.json.lock", "nightly.json"])
      try await store.claim(key) { () throws(FileError) in try store.remove(key) }
      #expect(names().isEmpty)
    }
  }

  @Test("a file that is no prompt is told, and left alone")
  func damaged() throws {
    try onLoop { [self] loop in
      let store = store(loop)
      try store.save(prompt)
      for text in ["{}", "{\"key\": \"nightly\"}", "[", ""] {
        try scratch.write(text, to: store.path(of: key))
        #expect(throws: FileError.self) { try store.load(key) }
        #expect(try store.keys() == [key])
      }
    }
  }

  @Test("an outbox that cannot be read is not taken for an empty one")
  func unreadable() throws {
    try onLoop { [self] loop in
      try scratch.makeFolder(".local/state/oppi")
      // A circle of links is a folder that not even root can read.
      try scratch.link(".local/state/oppi/outbox", to: "outbox")
      #expect(throws: FileError.self) { try store(loop).keys() }
    }
  }

  @Test("what killed writers left behind is removed, and what living ones write is not")
  func leftovers() throws {
    try onLoop { [self] loop in
      let store = store(loop)
      try store.save(prompt)
      // No process has the highest number that there is.
      let dead = ".nightly.json.\(Int32.max).7"
      let others = [".nightly.json.\(getpid()).7", ".nightly.json.lock", ".x", ".1.2.3.4.json"]
      for name in others + [dead] {
        try scratch.write("x", to: ".local/state/oppi/outbox/\(name)")
      }
      store.removeLeftovers()
      #expect(names() == (others + ["nightly.json"]).sorted())
    }
  }

  @Test("a prompt under another one's name is none")
  func renamed() throws {
    try onLoop { [self] loop in
      let store = store(loop)
      try store.save(prompt)
      #expect(rename(store.path(of: key), scratch.paths.outboxFolder + "/other.json") == 0)
      let other = try #require(OutboxKey("other"))
      #expect(throws: FileError.self) { try store.load(other) }
    }
  }

  @Test("who waits for the lock of a prompt that is removed gets the lock of the next one")
  func handedOver() throws {
    try onLoop { [self] loop in
      let store = store(loop)
      try store.save(prompt)
      let lock = scratch.paths.outboxFolder + "/.nightly.json.lock"
      let holder = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      try #require(flock(holder, LOCK_EX | LOCK_NB) == 0)
      let waiting = Task(executorPreference: loop) {
        try await store.claim(key, patience: .seconds(5)) { () throws(FileError) in
          // A third one meets the lock that counts.
          _ = await #expect(throws: FileError.self) {
            try await store.claim(key) { () throws(FileError) in }
          }
        }
      }
      for _ in 1...20 { await Task.yield() }
      unlink(lock)
      close(holder)
      try await waiting.value
      #expect(names() == [".nightly.json.lock", "nightly.json"])
    }
  }
}
