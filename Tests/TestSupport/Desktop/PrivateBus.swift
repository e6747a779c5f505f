// SPDX-License-Identifier: MIT

import Foundation
import Glibc
package import OppiSystem
import Synchronization

/// A session bus of a test's own: a real `dbus-daemon`, ended with the value.
package final class PrivateBus: Sendable {
  /// Whether there can be one; tests that need it are left out where not.
  package static let isInstalled = has("dbus-daemon")

  package let address: SessionBusAddress
  private let scratch: Scratch
  private let process: Mutex<Process>

  struct NoAddress: Error {}

  /// Starts the bus.
  ///
  /// - Parameter service: The command by which the bus starts a notification daemon, if it knows
  ///   one.
  /// - Throws: Where it cannot be started.
  package init(service: String? = nil) throws {
    scratch = try Scratch()
    try scratch.makeFolder("services")
    if let service {
      try scratch.write(
        "[D-BUS Service]\nName=\(NotificationDaemon.name)\nExec=\(service)\n",
        to: "services/daemon.service"
      )
    }
    let configuration = try scratch.write(Self.configuration(scratch), to: "bus.conf")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      ["dbus-daemon", "--nofork", "--nopidfile", "--print-address", "--config-file", configuration]
    process.environment = ["PATH": "/usr/bin:/bin"]
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.runInTime()
    // The address comes with a line of its own once the bus listens.
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard line.hasPrefix("unix:") else { throw NoAddress() }
    address = SessionBusAddress(line.trimmingCharacters(in: .newlines))
    self.process = Mutex(process)
  }

  deinit { stop() }

  /// Ends the bus without a farewell.
  package func stop() {
    process.withLock { process in
      guard process.isRunning else { return }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  /// As that of a desktop's session, with sockets and services in the test's own folder.
  private static func configuration(_ scratch: Scratch) -> String {
    """
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(scratch.path("bus"))</listen>
      <auth>EXTERNAL</auth>
      <servicedir>\(scratch.path("services"))</servicedir>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
      </policy>
    </busconfig>
    """
  }
}
