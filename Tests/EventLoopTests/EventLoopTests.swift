// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

import class Foundation.Thread

@Suite("EventLoop")
struct EventLoopTests {
  /// The entries of several tasks, in order.
  private final class Notes<Note: Sendable>: Sendable {
    private let notes = Mutex<[Note]>([])
    var all: [Note] { notes.withLock { $0 } }

    func add(_ note: Note) { notes.withLock { $0.append(note) } }
  }

  private actor Counter {
    private(set) var count = 0

    func increment() -> pthread_t {
      count += 1
      return pthread_self()
    }
  }

  private static func thread() -> pthread_t { pthread_self() }

  // MARK: Running

  @Test("all work of a run stays on the calling thread")
  func oneThread() throws {
    let notes = Notes<pthread_t>()
    try onLoop { loop in
      let counter = Counter()
      notes.add(Self.thread())
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<20 {
          group.addTask {
            notes.add(Self.thread())
            await Task.yield()
            notes.add(await counter.increment())
            try? await loop.sleep(until: .now + .milliseconds(1))
            notes.add(Self.thread())
          }
        }
      }
      async let child = Self.thread()
      notes.add(await child)
      #expect(await counter.count == 20)
    }
    #expect(notes.all.count == 62)
    #expect(notes.all.allSatisfy { pthread_equal($0, pthread_self()) != 0 })
  }

  @Test("a loop runs several operations in turn")
  func twice() throws {
    let loop = try EventLoop()
    #expect(loop.run { 1 } == 1)
    let second = loop.run {
      try? await loop.sleep(until: .now + .milliseconds(1))
      return 2
    }
    #expect(second == 2)
  }

  @Test("work from another thread wakes an idle loop")
  func wake() throws {
    try onLoop { _ in
      for round in 0..<100 {
        let value = await withCheckedContinuation { continuation in
          Thread.detachNewThread { continuation.resume(returning: round) }
        }
        #expect(value == round)
      }
    }
  }

  // MARK: Deadlines

  @Test("sleepers wake in the order of their deadlines, never early")
  func order() throws {
    let notes = Notes<Int>()
    try onLoop { loop in
      let start = EventLoop.Instant.now
      await withTaskGroup(of: Void.self) { group in
        for delay in [30, 10, 40, 20] {
          group.addTask {
            let deadline = start + .milliseconds(delay)
            try? await loop.sleep(until: deadline)
            #expect(EventLoop.Instant.now >= deadline)
            notes.add(delay)
          }
        }
      }
    }
    #expect(notes.all == [10, 20, 30, 40])
  }

  @Test("sleepers that a busy loop wakes late still wake in order")
  func lateOrder() throws {
    let notes = Notes<Int>()
    try onLoop { loop in
      let start = EventLoop.Instant.now
      await withTaskGroup(of: Void.self) { group in
        for delay in [3, 1, 4, 2] {
          group.addTask {
            try? await loop.sleep(until: start + .milliseconds(delay))
            notes.add(delay)
          }
        }
        group.addTask {
          // Blocks the thread until all deadlines have passed.
          while EventLoop.Instant.now < start + .milliseconds(6) {}
        }
      }
    }
    #expect(notes.all == [1, 2, 3, 4])
  }

  @Test("a past deadline causes no wait")
  func past() throws {
    try onLoop { loop in
      try await loop.sleep(until: .now - .seconds(1))
      let pipe = try Pipe()
      await #expect(throws: EventLoop.WaitError.timedOut) {
        try await loop.wait(for: [.readable(pipe.readEnd)], until: .now - .seconds(1))
      }
    }
  }

  @Test("a busy task does not starve a deadline")
  func busy() throws {
    try onLoop { loop in
      let isDone = Mutex(false)
      async let turns = {
        var turns = 0
        while !isDone.withLock({ $0 }), !Task.isCancelled {
          turns += 1
          await Task.yield()
        }
        return turns
      }()
      try await loop.sleep(until: .now + .milliseconds(5))
      isDone.withLock { $0 = true }
      #expect(await turns > 0)
    }
  }

  // MARK: Descriptors

  @Test("a wait returns the index of its ready descriptor", arguments: 0..<3)
  func ready(index: Int) throws {
    try onLoop { loop in
      let pipes = try (0..<3).map { _ in try Pipe() }
      async let ready = loop.wait(for: pipes.map { .readable($0.readEnd) }, until: nil)
      await Task.yield()
      write(pipes[index].writeEnd, "x", 1)
      #expect(try await ready == index)
      #expect(try await loop.wait(for: [.writable(pipes[index].writeEnd)], until: nil) == 0)
    }
  }

  @Test("the end of a stream and a closed descriptor end a wait")
  func hangUp() throws {
    try onLoop { loop in
      let ended = try Pipe()
      ended.closeWriteEnd()
      #expect(try await loop.wait(for: [.readable(ended.readEnd)], until: nil) == 0)
      let closed = dup(ended.readEnd)
      close(closed)
      #expect(try await loop.wait(for: [.readable(closed)], until: nil) == 0)
    }
  }

  @Test("a silent descriptor times out at the deadline")
  func silent() throws {
    try onLoop { loop in
      let pipe = try Pipe()
      let deadline = EventLoop.Instant.now + .milliseconds(5)
      await #expect(throws: EventLoop.WaitError.timedOut) {
        try await loop.wait(for: [.readable(pipe.readEnd)], until: deadline)
      }
      #expect(EventLoop.Instant.now >= deadline)
    }
  }

  @Test("two waits for one descriptor both end")
  func shared() throws {
    try onLoop { loop in
      let pipe = try Pipe()
      async let first = loop.wait(for: [.readable(pipe.readEnd)], until: nil)
      async let second = loop.wait(for: [.readable(pipe.readEnd)], until: nil)
      await Task.yield()
      write(pipe.writeEnd, "x", 1)
      #expect(try await [first, second] == [0, 0])
    }
  }
}
