// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import OppiSystem

/// Missing, stopped and unresponsive libraries, buses and daemons.
@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"))
struct DesktopFailureTests {
  private static func failure(
    at address: SessionBusAddress,
    libraryNames: [String]? = nil,
    callTime: Duration = .timeout
  ) throws -> DesktopError? {
    try onLoop { loop in
      await DesktopError.thrown(by: { () throws(DesktopError) in
        try await NotificationDaemon(
          at: address,
          libraryNames: libraryNames,
          callTime: callTime,
          on: loop
        )
      })
    }
  }

  @Test("a bus without a daemon fails with noDaemon")
  func noDaemon() throws {
    let bus = try PrivateBus()
    #expect(try Self.failure(at: bus.address) == .noDaemon)
  }

  @Test("a daemon that the bus cannot start fails with noDaemon")
  func brokenService() throws {
    for service in ["/bin/false", "/nowhere/at/all"] {
      let bus = try PrivateBus(service: service)
      let failure = try Self.failure(at: bus.address)
      #expect(failure == .noDaemon, "\(service)")
    }
  }

  @Test("a missing, broken or wrong library is reported as such")
  func library() throws {
    let scratch = try Scratch()
    let broken = try scratch.write("not a library", to: "libbroken.so")
    let address = SessionBusAddress("unix:path=/nowhere")
    let missing = try Self.failure(at: address, libraryNames: ["libnosuch-dbus.so.9"])
    #expect(missing == .noLibrary(.missing))
    let other = try Self.failure(at: address, libraryNames: ["libnosuch.so.9", "libc.so.6"])
    #expect(other == .noLibrary(.lacks(function: "dbus_error_init")))
    guard
      case .noLibrary(.unusable(let reason)) = try Self.failure(
        at: address,
        libraryNames: [broken]
      )
    else {
      Issue.record("a text file was loaded")
      return
    }
    #expect(reason.contains(broken))
  }

  @Test(
    "an address without a bus fails with a reason",
    arguments: ["unix:path=/nowhere/bus", "unix:", "unix:nonsense=%zz", "nonsense", ""]
  )
  func noBus(address: String) throws {
    guard case .cannotConnect(let reason) = try Self.failure(at: SessionBusAddress(address)) else {
      Issue.record("connected to \(address)")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test("a bus that does not reply times out")
  func silentBus() throws {
    let scratch = try Scratch()
    let listener = try SilentSocket(path: scratch.path("bus"))
    let address = SessionBusAddress("unix:path=\(scratch.path("bus"))")
    #expect(try Self.failure(at: address, callTime: .milliseconds(50)) == .timedOut)
    _ = listener
  }

  @Test("a daemon that does not reply times out, and its late reply is still used")
  func silentDaemon() throws {
    let bus = try PrivateBus()
    let (failure, event) = try onLoop { loop in
      let fake = try await FakeNotificationDaemon(at: bus.address, on: loop)
      let desktop = try await DesktopSession.serving(fake) {
        try await NotificationDaemon(at: bus.address, callTime: .milliseconds(100), on: loop)
      }
      let failure = await DesktopError.thrown(by: { () throws(DesktopError) in
        try await desktop.show(.request)
      })
      let event = try await DesktopSession.serving(fake) {
        try await fake.waitUntil { $0.shown.count == 1 }
        try fake.press("deny", of: 1)
        return try await desktop.next()
      }
      return (failure, event)
    }
    #expect(failure == .timedOut)
    #expect(event == .action(tag: "request-1", key: "deny"))
  }

  @Test("a daemon that exits during or between calls is reported, and so is its successor")
  func restart() throws {
    let bus = try PrivateBus()
    try onLoop { loop in
      let other = try await FakeNotificationDaemon(at: bus.address, on: loop)
      try await other.leave()
      var first: FakeNotificationDaemon? = try await FakeNotificationDaemon(
        at: bus.address,
        on: loop
      )
      let desktop = try await DesktopSession.serving(try #require(first)) {
        try await NotificationDaemon(at: bus.address, on: loop)
      }
      async let failure = DesktopError.thrown(by: { () throws(DesktopError) in
        try await desktop.show(.request)
      })
      try await first?.waitForCall()
      first = nil
      #expect(await failure == .noDaemon)
      await #expect(throws: DesktopError.noDaemon) { try await desktop.show(.request) }

      try await other.take()
      #expect(try await desktop.next() == .daemonBack)
      try await DesktopSession.serving(other) { try await desktop.show(.request) }
      #expect(other.record.shown.map(\.replaced) == [0])
    }
  }

  @Test("the end of the bus ends all waits and all later calls")
  func busDies() throws {
    try DesktopSession.run { session in
      let desktop = session.desktop
      try await session.fake.leave()
      async let failure = DesktopError.thrown(by: { () throws(DesktopError) in
        try await desktop.next()
      })
      session.bus.stop()
      #expect(await failure == .busGone)
      await #expect(throws: DesktopError.busGone) { try await desktop.show(.request) }
      await #expect(throws: DesktopError.busGone) { _ = try await desktop.next() }
    }
  }

  @Test("a cancelled wait ends")
  func cancellation() throws {
    let failure = try DesktopSession.run { session in
      await DesktopError.thrown(byCancelled: { () throws(DesktopError) in
        try await session.desktop.next()
      })
    }
    #expect(failure == .cancelled)
  }
}

/// A socket that accepts connections and sends nothing.
private final class SilentSocket: Sendable {
  private let descriptor: Int32

  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(status == 0 && listen(descriptor, 8) == 0)
  }

  deinit { close(descriptor) }
}
