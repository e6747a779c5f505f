// SPDX-License-Identifier: MIT

import EventLoop
import TestSupport
import Testing

@testable import OppiSystem

/// How notifications are delivered.
@Suite struct DesktopTests {
  private static func notifier(
    _ environment: [String: String],
    libraryNames: [String]? = nil,
    command: [String]? = nil
  ) throws -> Result<any DesktopNotifier, DesktopError> {
    let desktop = Desktop(environment: environment, libraryNames: libraryNames)
    return try onLoop { loop in
      do throws(DesktopError) {
        return .success(try await desktop.notifier(command: command, on: loop))
      } catch {
        return .failure(error)
      }
    }
  }

  private static func failure(
    _ result: Result<any DesktopNotifier, DesktopError>
  ) -> DesktopError? {
    if case .failure(let error) = result { error } else { nil }
  }

  @Test(
    "without a bus, the user's command is used, and without a command the bus is reported missing"
  )
  func noSession() throws {
    #expect(try Self.failure(Self.notifier(["PATH": "/usr/bin:/bin"])) == .noBus)
    let found = try Self.notifier([:], command: ["true"]).get()
    #expect(found is NotificationProgram && found.isLastResort)
    #expect(try Self.failure(Self.notifier([:], command: [])) == .noBus)
  }

  @Test("without libdbus, notify-send is used if it is installed")
  func noLibrary() throws {
    let scratch = try Scratch()
    let log = scratch.path("log")
    try scratch.writeScript("echo sent >'\(log)'", to: "bin/notify-send")
    let session = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"]
    let names = ["libnosuch-dbus.so.9"]
    let without = try Self.notifier(session, libraryNames: names)
    #expect(Self.failure(without) == .noLibrary(.missing))
    var environment = session
    environment["PATH"] = "/nowhere:" + scratch.path("bin")
    let desktop = Desktop(environment: environment, libraryNames: names)
    try onLoop { try await desktop.notifier(command: ["true"], on: $0).show(.request) }
    #expect(scratch.read("log") == "sent\n")
  }

  @Test(
    "a notification daemon is preferred to a command",
    .enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed")
  )
  func daemon() throws {
    let isDaemon = try DesktopSession.run { session in
      let desktop = Desktop(environment: ["DBUS_SESSION_BUS_ADDRESS": session.bus.address.text])
      return try await desktop.notifier(command: ["true"], on: session.loop) is NotificationDaemon
    }
    #expect(isDaemon)
  }
}
