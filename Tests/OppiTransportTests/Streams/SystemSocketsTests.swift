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
    "an address is taken as it is, even when no time is left",
    arguments: [
      ("127.0.0.1", AF_INET), ("::1", AF_INET6), ("2001:db8::7", AF_INET6),
      ("192.0.2.255", AF_INET),
    ]
  )
  func literal(host: String, family: Int32) throws {
    #expect(try families(of: host, until: Self.past) == [family])
  }

  @Test("a literal's address has the bytes and the port that were given")
  func bytes() throws {
    let address = try SystemSockets.lookUp("127.0.0.1", port: 0x1234, flags: AI_NUMERICHOST).get()[
      0
    ]
    // A `sockaddr_in`: the family in the machine's order, then port and address in the network's.
    #expect(address.bytes[2..<8] == [0x12, 0x34, 127, 0, 0, 1])
    #expect(
      address.withSockaddr { Int($1) == address.bytes.count && $0.pointee.sa_family == AF_INET }
    )
  }

  @Test("localhost is this machine")
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
    "a name that does not exist fails with the system's reason",
    arguments: ["nobody.invalid", "a..b"]
  )
  func missing(host: String) {
    #expect { try families(of: host) } throws: { error in
      guard case TransportError.lookupFailed(let reason) = error else { return false }
      return !reason.isEmpty && reason == reason.lowercased()
    }
  }

  @Test("the deadline abandons a look-up")
  func deadline() throws {
    var abandoned = 0
    // Now and then the answer is there before anyone has looked at the clock.
    for _ in 0..<50 {
      do {
        _ = try families(of: "localhost", until: Self.past)
      } catch TransportError.timedOut(.lookup) {
        abandoned += 1
      }
    }
    #expect(abandoned > 0)
  }

  @Test("a cancelled task abandons a look-up")
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
    "addresses are told from names",
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
