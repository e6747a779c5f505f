// SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import Testing

@testable import OppiSystem

/// Messages of a service to its manager, over a real socket.
@Suite struct ServiceManagerTests {
  /// A bound datagram socket of the manager.
  private static func bound(to path: String) -> Int32 {
    let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      buffer.copyBytes(from: path.utf8.map { $0 == UInt8(ascii: "@") ? 0 : $0 })
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
    }
    return status == 0 ? socket : -1
  }

  private static func message(at socket: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  @Test(
    "readiness, watchdog and stop are reported to the manager",
    arguments: ["/notify", "@"]
  )
  func tells(name: String) throws {
    let scratch = try Scratch()
    let path = (name == "@" ? "@" : "") + scratch.folder + "/notify"
    let socket = Self.bound(to: path)
    try #require(socket >= 0)
    defer { close(socket) }
    let manager = ServiceManager(
      environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "30000000"]
    )
    manager.ready()
    #expect(Self.message(at: socket) == "READY=1")
    manager.alive()
    #expect(Self.message(at: socket) == "WATCHDOG=1")
    manager.stopping()
    #expect(Self.message(at: socket) == "STOPPING=1")
    #expect(manager.watchdogInterval == .seconds(15))
  }

  @Test(
    "without a usable socket, nothing is sent",
    arguments: ["", "/nowhere", "x"]
  )
  func nobody(path: String) {
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "-1"])
    manager.ready()
    #expect(manager.watchdogInterval == nil)
  }
}
