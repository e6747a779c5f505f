// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import OppiTransport

@Suite("ByteStream")
struct ByteStreamTests {
  /// Four megabytes with a period of 251 bytes, which divides no buffer size.
  private static let megabytes: [UInt8] = {
    var bytes = Array(0...250) as [UInt8]
    for _ in 0..<14 { bytes += bytes }
    return bytes
  }()

  private static func open(_ port: Int, on loop: EventLoop) async throws -> ByteStream {
    try await Network(loop: loop, environment: [:]).open(.local(port), until: .farOff)
  }

  @Test("megabytes are transferred in both directions at once")
  func large() throws {
    let talk = try converse { accepted, _ in
      let stream = try await accepted.open()
      let bytes = try await stream.read(count: Self.megabytes.count)
      try await stream.write(bytes)
      return bytes
    } client: { port, loop in
      let stream = try await Self.open(port, on: loop)
      try await stream.write(Self.megabytes)
      return try await stream.read(count: Self.megabytes.count)
    }
    #expect(try talk.server.get() == Self.megabytes)
    #expect(try talk.client.get() == Self.megabytes)
  }

  @Test("a read returns available bytes, up to its limit")
  func atMost() throws {
    let talk = try converse { accepted, _ in
      try await accepted.open().write("abcdef")
    } client: { port, loop in
      let stream = try await Self.open(port, on: loop)
      let first = try await stream.read(until: .farOff, atMost: 2)
      return [first, try await stream.read(count: 4), try await stream.read()]
    }
    #expect(try talk.client.get() == [Array("ab".utf8), Array("cdef".utf8), []])
  }

  @Test("after the end of the peer's stream, reads are empty and writes still work")
  func halfClosed() throws {
    let talk = try converse { accepted, _ in
      let stream = try await accepted.open()
      stream.shutDown()
      return await stream.readToEnd()
    } client: { port, loop in
      let stream = try await Self.open(port, on: loop)
      let ends = [try await stream.read(), try await stream.read()]
      try await stream.write("late")
      return ends
    }
    #expect(try talk.client.get() == [[], []])
    #expect(try talk.server.get() == Array("late".utf8))
  }

  @Test("a reset connection fails as closed, for reading and for writing")
  func reset() throws {
    let talk = try converse { accepted, _ in
      accepted.socket.resetsOnClose()
      _ = try await accepted.open().read()
    } client: { port, loop in
      let stream = try await Self.open(port, on: loop)
      try await stream.write("x")
      await #expect(throws: TransportError.closed(.answer)) { try await stream.read() }
      await #expect(throws: TransportError.closed(.request)) { try await stream.write("x") }
    }
    try talk.client.get()
  }

  @Test("a closed peer is an error and not a signal")
  func noSignal() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      try onLoop { loop in
        // Test threads block all signals.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        let talk = try await Conversation(on: loop) { accepted in
          _ = try await accepted.open()
        } client: { port in
          let stream = try await Self.open(port, on: loop)
          _ = try await stream.read()
          while true { try await stream.write("x") }
        }
        #expect(throws: TransportError.closed(.request)) { try talk.client.get() }
      }
    }
  }

  // MARK: Deadlines

  @Test("a silent peer times out")
  func silentPeer() throws {
    try onLoop { loop in
      let listener = try Listener(loop: loop)
      let stream = try await Self.open(listener.port, on: loop)
      await #expect(throws: TransportError.timedOut(.answer)) {
        try await stream.read(until: .now + .milliseconds(10))
      }
    }
  }

  @Test("a peer that does not read times out")
  func unreadPeer() throws {
    try onLoop { loop in
      let listener = try Listener(loop: loop)
      let stream = try await Self.open(listener.port, on: loop)
      await #expect(throws: TransportError.timedOut(.request)) {
        try await stream.write(
          [UInt8](repeating: 0, count: 64 << 20),
          until: .now + .milliseconds(50)
        )
      }
    }
  }

  @Test("a peer that sends byte by byte times out")
  func dripping() throws {
    let talk = try converse { accepted, loop in
      let stream = try await accepted.open()
      while true {
        try await stream.write("x")
        try await loop.sleep(until: .now + .milliseconds(1))
      }
    } client: { port, loop in
      let stream = try await Self.open(port, on: loop)
      let deadline = EventLoop.Instant.now + .milliseconds(20)
      while true { _ = try await stream.read(until: deadline) }
    }
    #expect(throws: TransportError.timedOut(.answer)) { try talk.client.get() }
    #expect(throws: TransportError.closed(.request)) { try talk.server.get() }
  }

  @Test("a peer that sends without end times out")
  func flooding() throws {
    let talk = try converse { accepted, _ in
      let stream = try await accepted.open()
      while true { try await stream.write(Self.megabytes) }
    } client: { port, loop in
      let stream = try await Self.open(port, on: loop)
      let deadline = EventLoop.Instant.now + .milliseconds(20)
      while EventLoop.Instant.now < deadline + .seconds(5) {
        _ = try await stream.read(until: deadline)
      }
    }
    #expect(throws: TransportError.timedOut(.answer)) { try talk.client.get() }
  }

  // MARK: Cancellation

  @Test("cancelling a task closes its connection", arguments: [false, true])
  func cancelled(whileItFlows: Bool) throws {
    let talk = try converse { accepted, _ in
      let stream = try await accepted.open()
      guard whileItFlows else { return try await stream.read() }
      while true { try await stream.write(Self.megabytes) }
    } client: { port, loop in
      await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          let stream = try await Self.open(port, on: loop)
          let deadline = EventLoop.Instant.farOff
          while true { _ = try await stream.read(until: deadline) }
        }
        try? await loop.sleep(until: .now + .milliseconds(5))
        group.cancelAll()
        await #expect(throws: TransportError.cancelled) { try await group.next() }
      }
    }
    try talk.client.get()
    if whileItFlows {
      #expect(throws: TransportError.closed(.request)) { try talk.server.get() }
    } else {
      #expect(try talk.server.get() == [])
    }
  }

  @Test("two concurrent readers receive each byte once")
  func twoReaders() throws {
    let talk = try converse { accepted, _ in
      let stream = SharedStream(try await accepted.open())
      async let first = stream.read(atMost: 1)
      async let second = stream.read(atMost: 1)
      return try await (first + second).sorted()
    } client: { port, loop in
      let stream = try await Self.open(port, on: loop)
      try await stream.write([1, 2])
      return await stream.readToEnd()
    }
    #expect(try talk.server.get() == [1, 2])
  }
}
