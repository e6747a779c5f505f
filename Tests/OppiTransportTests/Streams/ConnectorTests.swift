// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import OppiTransport

@Suite("Connector")
struct ConnectorTests {
  /// Connects to the first address that accepts, and returns its port.
  private func port(
    ofFirst addresses: [SocketAddress],
    on loop: EventLoop,
    for duration: Duration = .timeout
  ) async throws -> Int {
    let socket = try await Connector(loop: loop, sockets: SystemSockets())
      .connect(toFirstOf: addresses, until: .now + duration) {}
    var peer = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &peer) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getpeername(socket.descriptor, $0, &size)
      }
    }
    try #require(status == 0)
    return Int(UInt16(bigEndian: peer.sin_port))
  }

  private func address(_ host: String, port: Int) throws -> SocketAddress {
    try SystemSockets.lookUp(host, port: port, flags: AI_NUMERICHOST).get()[0]
  }

  @Test(
    "address families alternate, starting with the first",
    arguments: [
      ([], []), (["a6"], ["a6"]), (["a4", "b4"], ["a4", "b4"]),
      (["a6", "b6", "c6", "a4", "b4"], ["a6", "a4", "b6", "b4", "c6"]),
      (["a4", "a6", "b6", "c6"], ["a4", "a6", "b6", "c6"]),
      (["a6", "a4", "b6", "b4"], ["a6", "a4", "b6", "b4"]),
    ]
  )
  func interleaved(given: [String], expected: [String]) throws {
    func address(_ name: String) throws -> SocketAddress {
      let number = name.unicodeScalars.first?.value ?? 0
      return try self.address(name.hasSuffix("4") ? "192.0.2.1" : "::1", port: Int(number))
    }
    #expect(try Connector.interleaved(given.map(address)) == expected.map(address))
  }

  @Test(
    "an open port is reached by address and by name",
    arguments: ["127.0.0.1", "localhost"]
  )
  func open(host: String) throws {
    try onLoop { loop in
      let listener = try Listener(loop: loop)
      let meanwhile = Mutex(0)
      _ = try await Connector(loop: loop, sockets: SystemSockets())
        .connect(to: host, port: listener.port, until: .farOff) { meanwhile.withLock { $0 += 1 } }
      _ = try await listener.accept()
      #expect(meanwhile.withLock { $0 } <= 1)
    }
  }

  @Test("a closed port refuses the connection")
  func refused() throws {
    try onLoop { loop in
      let closed = try RawSocket()
      let refused = TransportError.connectFailed(SystemError("connect", code: ECONNREFUSED))
      await #expect(throws: refused) {
        try await Connector(loop: loop, sockets: SystemSockets())
          .connect(to: "127.0.0.1", port: closed.port, until: .farOff) {}
      }
    }
  }

  @Test("after a refusal, the next address is tried")
  func nextAfterRefusal() throws {
    try onLoop { loop in
      let (closed, other) = (try RawSocket(), try RawSocket())
      let listener = try Listener(loop: loop)
      let open = try address("127.0.0.1", port: listener.port)
      let addresses = [closed.address, other.address, open]
      #expect(try await port(ofFirst: addresses, on: loop) == listener.port)
    }
  }

  @Test("while an address is silent, the next one is tried as well")
  func nextBesideSilence() throws {
    try onLoop { loop in
      let silent = try RawSocket()
      try silent.becomeSilent()
      let listener = try Listener(loop: loop)
      let open = try address("127.0.0.1", port: listener.port)
      #expect(try await port(ofFirst: [silent.address, open], on: loop) == listener.port)
    }
  }

  @Test("a silent address times out, even if others have refused")
  func silence() throws {
    try onLoop { loop in
      let (silent, closed) = (try RawSocket(), try RawSocket())
      try silent.becomeSilent()
      for addresses in [[silent.address], [silent.address, closed.address]] {
        await #expect(throws: TransportError.timedOut(.connect)) {
          try await port(ofFirst: addresses, on: loop, for: .milliseconds(20))
        }
      }
    }
  }

  @Test("if all addresses fail, the last error is reported")
  func allFail() throws {
    try onLoop { loop in
      let closed = try RawSocket()
      // A connection to a broadcast address is not permitted.
      let addresses = [try address("255.255.255.255", port: 9), closed.address]
      for (order, code) in [(addresses, ECONNREFUSED), (addresses.reversed(), ENETUNREACH)] {
        await #expect {
          try await port(ofFirst: order, on: loop)
        } throws: { error in
          guard case TransportError.connectFailed(let cause) = error else { return false }
          return cause.code == code || (code == ENETUNREACH && cause.code != ECONNREFUSED)
        }
      }
    }
  }

  @Test("without an address, the host is unreachable")
  func none() throws {
    try onLoop { loop in
      let unreachable = TransportError.connectFailed(SystemError("connect", code: EHOSTUNREACH))
      await #expect(throws: unreachable) { try await port(ofFirst: [], on: loop) }
    }
  }

  @Test("cancellation stops connecting")
  func cancelled() throws {
    try onLoop { loop in
      let silent = try RawSocket()
      try silent.becomeSilent()
      let address = silent.address
      await withThrowingTaskGroup(of: Int.self) { group in
        group.addTask { try await port(ofFirst: [address], on: loop) }
        await Task.yield()
        group.cancelAll()
        await #expect(throws: TransportError.cancelled) { try await group.next() }
      }
    }
  }
}

extension Admission {
  fileprivate func enter(
    on loop: EventLoop,
    until deadline: EventLoop.Instant = .farOff
  ) async throws -> Permit {
    try await enter(on: loop, until: deadline, during: .connect)
  }

  fileprivate func permits(_ count: Int, on loop: EventLoop) async throws -> [Permit] {
    var permits: [Permit] = []
    for _ in 0..<count { permits.append(try await enter(on: loop)) }
    return permits
  }
}

@Suite("Admission")
struct AdmissionTests {
  @Test("connections are limited, and the next one waits until another ends")
  func limit() throws {
    try onLoop { loop in
      let admission = Admission(surely: 100) { 101 }
      var permits = try await admission.permits(101, on: loop)
      await #expect(throws: TransportError.timedOut(.connect)) {
        _ = try await admission.enter(on: loop, until: loop.now + .milliseconds(5))
      }
      let isIn = Mutex(false)
      async let late = admission.enter(on: loop)
      for _ in 0..<5 { await Task.yield() }
      #expect(!isIn.withLock { $0 })
      permits.removeLast()
      _ = try await late
      isIn.withLock { $0 = true }
    }
  }

  @Test("the limit is not read for few connections")
  func few() throws {
    try onLoop { loop in
      let isAsked = Mutex(false)
      let admission = Admission(surely: 100) {
        isAsked.withLock { $0 = true }
        return 1
      }
      let permits = try await admission.permits(100, on: loop)
      #expect(!isAsked.withLock { $0 })
      #expect(permits.count == 100)
    }
  }

  @Test("a wait that was given up does not block later waits")
  func givenUp() throws {
    try onLoop { loop in
      let admission = Admission(surely: 100) { 100 }
      var permits = try await admission.permits(100, on: loop)
      await #expect(throws: TransportError.self) {
        _ = try await admission.enter(on: loop, until: loop.now)
      }
      async let next = admission.enter(on: loop)
      for _ in 0..<5 { await Task.yield() }
      permits.removeLast()
      _ = try await next
    }
  }
}
