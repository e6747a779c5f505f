// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import OppiSystem

@Suite("OutputStream")
struct OutputStreamTests {
  private static let much = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000)

  /// Reads available bytes without waiting.
  private static func read(_ descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count > 0 ? Array(bytes[..<count]) : []
  }

  @Test("a writer that never waits does not block other tasks")
  func fairness() throws {
    let isHeard = try onLoop { loop in
      let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
      try #require(null >= 0)
      defer { close(null) }
      let stream = OutputStream(descriptor: null)
      return try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
          try await loop.sleep(for: .milliseconds(20))
          return true
        }
        group.addTask {
          // More writes than any machine completes in that time.
          for _ in 0..<2_000_000 where !Task.isCancelled { try await stream.write([10], on: loop) }
          return false
        }
        let first = try await group.next()
        group.cancelAll()
        return first
      }
    }
    #expect(isHeard == true)
  }

  @Test("a full pipe suspends only its writer")
  func fullPipe() throws {
    let pipe = try Pipe(blocksWriter: true)
    let received = try onLoop { loop in
      let stream = OutputStream(descriptor: pipe.writeEnd)
      async let writing: Void = stream.write(Self.much, on: loop)
      let received = try await pipe.read(Self.much.count, on: loop)
      try await writing
      return received
    }
    #expect(received == Self.much)
  }

  @Test("the shared open file description stays blocking")
  func flags() throws {
    let pipe = try Pipe(blocksWriter: true)
    try onLoop { loop in
      try await OutputStream(descriptor: pipe.writeEnd).write([1], on: loop)
    }
    #expect(fcntl(pipe.writeEnd, F_GETFL) & O_NONBLOCK == 0)
  }

  @Test("a pipe that cannot be reopened is written without blocking")
  func shared() throws {
    let pipe = try Pipe(blocksWriter: true)
    let outlet = Outlet(pipe.writeEnd, reopens: false)
    var rest = Self.much[...]
    #expect(try !outlet.write(&rest))
    #expect(rest.count < Self.much.count)
    #expect(!outlet.waitForRoom(limit: .zero))
    pipe.drain()
    #expect(outlet.waitForRoom(limit: .zero))
  }

  @Test("a cancelled write ends at once")
  func cancelled() throws {
    let pipe = try Pipe(blocksWriter: true)
    #expect(throws: OutputStream.Failure.cancelled) {
      try onLoop { loop in
        try await withThrowingTaskGroup { group in
          group.addTask {
            try await OutputStream(descriptor: pipe.writeEnd).write(Self.much, on: loop)
          }
          // The pipe is full when the loop polls its descriptors.
          _ = try await loop.wait(for: [.readable(pipe.readEnd)], until: nil)
          group.cancelAll()
          try await group.waitForAll()
        }
      }
    }
  }

  @Test("a closed reader is distinguished from other failures")
  func readerClosed() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_IGN)
      var ends: [Int32] = [-1, -1]
      try #require(pipe(&ends) == 0)
      close(ends[0])
      #expect(throws: OutputStream.Failure.readerClosed) {
        try OutputStream(descriptor: ends[1]).writeBlocking([1])
      }
      #expect(throws: OutputStream.Failure.failed(SystemError("write", code: EBADF))) {
        try OutputStream(descriptor: -1).writeBlocking([1])
      }
    }
  }

  @Test("concurrent writes are not interleaved")
  func whole() throws {
    let pipe = try Pipe(blocksWriter: true)
    let received = try onLoop { loop in
      let stream = OutputStream(descriptor: pipe.writeEnd)
      let lines = "abc".utf8.map { [UInt8](repeating: $0, count: 100_000) }
      return try await withThrowingTaskGroup { group in
        for line in lines { group.addTask { try await stream.write(line, on: loop) } }
        let received = try await pipe.read(300_000, on: loop)
        try await group.waitForAll()
        return received
      }
    }
    let changes = zip(received, received.dropFirst()).count { $0 != $1 }
    #expect(changes == 2)
  }

  @Test("sockets and files are written completely")
  func others() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let (mine, its) = (ends[0], ends[1])
    defer { for end in ends { close(end) } }
    let received = try onLoop { loop in
      let stream = OutputStream(descriptor: its)
      async let writing: Void = stream.write(Self.much, on: loop)
      var received = 0
      while received < Self.much.count {
        _ = try await loop.wait(for: [.readable(mine)], until: nil)
        received += Self.read(mine).count
      }
      try await writing
      return received
    }
    #expect(received == Self.much.count)
    let scratch = try Scratch()
    let file = open(try scratch.write("", to: "file"), O_WRONLY)
    defer { close(file) }
    try onLoop { try await OutputStream(descriptor: file).write(Self.much, on: $0) }
    #expect(scratch.read("file")?.utf8.count == Self.much.count)
  }

  @Test("a blocking write has a time limit")
  func limit() throws {
    let pipe = try Pipe(blocksWriter: true)
    #expect(throws: OutputStream.Failure.timedOut) {
      try OutputStream(descriptor: pipe.writeEnd)
        .writeBlocking(Self.much, limit: .milliseconds(5))
    }
  }

  @Test("a stopped terminal suspends only its writer")
  func stoppedTerminal() throws {
    let pseudo = try PseudoTerminal()
    try #require(tcflow(pseudo.secondary, TCOOFF) == 0)
    let isWaiting = try onLoop { loop in
      let stream = OutputStream(descriptor: pseudo.secondary)
      async let writing: Void = stream.write(Array("text".utf8), on: loop)
      // Lets the writer run until it waits.
      try await loop.sleep(for: .zero)
      let isWaiting = pseudo.output().isEmpty
      tcflow(pseudo.secondary, TCOON)
      try await writing
      return isWaiting
    }
    #expect(isWaiting)
    #expect(pseudo.output() == "text")
  }
}

extension Pipe {
  /// Reads a number of bytes as they arrive.
  fileprivate func read(_ count: Int, on loop: EventLoop) async throws -> [UInt8] {
    var received: [UInt8] = []
    while received.count < count {
      _ = try await loop.wait(for: [.readable(readEnd)], until: nil)
      if case .bytes(let bytes) = read() { received += bytes }
    }
    return received
  }
}
