// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiSystem
import Simulation
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiModel
@testable import OppiPrompts
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiWire

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
      target: .demo(on: Fingerprint(digest: Array(repeating: 7, count: 32))),
      content: .init("do it", clientTurnID: "turn-1"),
      createdAt: now
    )
  }

  private func names() -> [String] {
    ((try? SystemDisk().names(in: scratch.paths.outboxFolder)) ?? []).sorted()
  }

  private let departure = PromptDelivery.SendRecord(
    clientTurnID: "turn-1",
    kind: .prompt,
    anchor: 0,
    messageCount: 0,
    stream: .session
  )

  @Test("a prompt is stored with mode 600, and removed together with its lock")
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

  @Test("the record of a prompt that is sent again has the time when it was first sent")
  func departsAgain() throws {
    try onLoop { [self] loop in
      let store = store(loop)
      var journal = OutboxJournal(prompt: prompt, outbox: store, loop: loop)
      let before = loop.machineTime().moved(by: .seconds(-90))
      try journal.departs(departure, to: "S", since: .seconds(90))
      let after = loop.machineTime().moved(by: .seconds(-90))
      guard case .departed(departure, let moment)? = try store.load(key)?.state else {
        Issue.record("not recorded as sent")
        return
      }
      #expect((before.timeOfDay...after.timeOfDay).contains(moment.timeOfDay))
    }
  }

  @Test("the record of a sent prompt names the session that was created for it")
  func departsToSession() throws {
    try onLoop { [self] loop in
      let store = store(loop)
      var known = prompt
      known.target.sessionID = "T"
      for (one, sessionID) in [(prompt, "S" as String?), (known, nil)] {
        var noted = one
        noted.mayHaveSession = true
        var journal = OutboxJournal(prompt: noted, outbox: store, loop: loop)
        try journal.departs(departure, to: "S", since: .zero)
        let stored = try #require(try store.load(key))
        #expect(stored.sessionID == sessionID && !stored.mayHaveSession)
      }
    }
  }

  @Test("a lock that the work with a prompt lacks is not the prompt's own")
  func otherLock() throws {
    try onLoop { [self] loop in
      let store = store(loop)
      await #expect(throws: FileError.self) {
        try await store.withPrompt(key, lockTimeout: .zero) { _ in
          throw FileError.lockHeld(path: "another")
        }
      }
    }
  }

  @Test("an invalid file is an error and is not removed")
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

  @Test("an unreadable outbox is an error and not empty")
  func unreadable() throws {
    try onLoop { [self] loop in
      try scratch.makeFolder(".local/state/oppi")
      // Not even root can read a cyclic link.
      try scratch.link(".local/state/oppi/outbox", to: "outbox")
      #expect(throws: FileError.self) { try store(loop).keys() }
    }
  }

  @Test("leftovers of ended processes are removed, and files of running processes are kept")
  func leftovers() throws {
    try onLoop { [self] loop in
      let store = store(loop)
      try store.save(prompt)
      // No process has an id of `Int32.max`.
      let dead = ".nightly.json.\(Int32.max).7"
      let others = [".nightly.json.\(getpid()).7", ".nightly.json.lock", ".x", ".1.2.3.4.json"]
      for name in others + [dead] {
        try scratch.write("x", to: ".local/state/oppi/outbox/\(name)")
      }
      store.removeLeftovers()
      #expect(names() == (others + ["nightly.json"]).sorted())
    }
  }

  @Test("a prompt in a file with another name is an error")
  func renamed() throws {
    try onLoop { [self] loop in
      let store = store(loop)
      try store.save(prompt)
      #expect(rename(store.path(of: key), scratch.paths.outboxFolder + "/other.json") == 0)
      let other = try #require(OutboxKey("other"))
      #expect(throws: FileError.self) { try store.load(other) }
    }
  }

  @Test("a claim that waits for the lock of a removed prompt gets the new lock")
  func handedOver() throws {
    try onLoop { [self] loop in
      let store = store(loop)
      try store.save(prompt)
      let lock = scratch.paths.outboxFolder + "/.nightly.json.lock"
      let holder = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      try #require(flock(holder, LOCK_EX | LOCK_NB) == 0)
      let waiting = Task(executorPreference: loop) {
        try await store.claim(key, lockTimeout: .seconds(5)) { () throws(FileError) in
          // Another claim fails, since the new lock is held.
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

/// Prompts whose files cannot be used.
@Suite struct UnusablePromptTests {
  @Test(
    "a flush calls a file damaged only if its content is",
    arguments: [
      ("{", 0o600, "damaged"), ("{}", 0o600, "damaged"), ("", 0o666, "unusable"),
    ] as [(String, UInt32, String)]
  )
  func words(text: String, mode: UInt32, word: String) {
    inWorld { world, server in
      await world.keep("hello", for: server)
      let path = "\(World.home)/.local/state/oppi/outbox/k.json"
      world.disk.put(text.isEmpty ? world.disk.text(at: path) : text, at: path, mode: mode)
      let outcome = await world.oppi("outbox", "flush", exits: 78)
      #expect(outcome.output == "k\t\(word)\t\n", "\(outcome)")
      #expect(word == "damaged" || !outcome.errors.contains("damaged"), "\(outcome)")
    }
  }
}
