// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import OppiTransport

@Suite("SystemSockets")
struct SystemSocketsTests {
  private static let past = EventLoop.Instant.now - .seconds(1)

  private func families(
    of host: String,
    until deadline: EventLoop.Instant = .farOff
  ) throws -> [Int32] {
    try onLoop { loop in
      try await SystemSockets()
        .addresses(of: host, port: 80, on: loop, until: deadline).map(\.family)
    }
  }

  @Test(
    "an address needs no lookup, even after the deadline",
    arguments: [
      ("127.0.0.1", AF_INET), ("::1", AF_INET6), ("2001:db8::7", AF_INET6),
      ("192.0.2.255", AF_INET),
    ]
  )
  func literal(host: String, family: Int32) throws {
    #expect(try families(of: host, until: Self.past) == [family])
  }

  @Test("a literal address has the given bytes and port")
  func bytes() throws {
    let address = try SystemSockets.lookUp("127.0.0.1", port: 0x1234, flags: AI_NUMERICHOST).get()[
      0
    ]
    // A `sockaddr_in`: the family in host order, then port and address in network order.
    #expect(address.bytes[2..<8] == [0x12, 0x34, 127, 0, 0, 1])
    #expect(
      address.withSockaddr { Int($1) == address.bytes.count && $0.pointee.sa_family == AF_INET }
    )
  }

  @Test("localhost resolves to loopback addresses")
  func localhost() throws {
    let addresses = try onLoop { loop in
      try await SystemSockets().addresses(
        of: "localhost",
        port: 80,
        on: loop,
        until: .farOff
      )
    }
    #expect(!addresses.isEmpty)
    for address in addresses {
      let host = address.bytes[(address.family == AF_INET ? 4 : 8)...]
      #expect(host.first == 127 || host.prefix(16).dropLast().allSatisfy { $0 == 0 })
    }
  }

  @Test(
    "an unknown name fails with the reason of the system",
    arguments: ["nobody.invalid", "a..b"]
  )
  func missing(host: String) {
    #expect { try families(of: host) } throws: { error in
      guard case TransportError.lookupFailed(let reason) = error else { return false }
      return !reason.isEmpty && reason == reason.lowercased()
    }
  }

  @Test("a lookup ends at the deadline")
  func deadline() throws {
    var abandoned = 0
    // In some runs, the result arrives before the deadline is checked.
    for _ in 0..<50 {
      do {
        _ = try families(of: "localhost", until: Self.past)
      } catch TransportError.timedOut(.lookup) {
        abandoned += 1
      }
    }
    #expect(abandoned > 0)
  }

  @Test("cancellation ends a lookup")
  func cancelled() throws {
    try onLoop { loop in
      await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          _ = try await SystemSockets()
            .addresses(of: "localhost", port: 80, on: loop, until: .farOff)
        }
        group.cancelAll()
        await #expect(throws: TransportError.cancelled) { try await group.next() }
      }
    }
  }

  @Test(
    "addresses are distinguished from names",
    arguments: [
      ("127.0.0.1", true), ("::1", true), ("fe80::1", true), ("::ffff:192.0.2.1", true),
      ("localhost", false), ("127.1", false), ("1.2.3.4.5", false), ("[::1]", false), ("", false),
      ("fe80::1%lo", false),
    ]
  )
  func isAddress(host: String, isAddress: Bool) {
    #expect(SystemSockets.isAddress(host) == isAddress)
  }
}
