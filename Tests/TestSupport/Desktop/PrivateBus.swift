// SPDX-License-Identifier: MIT

import Foundation
import Glibc
package import OppiSystem
import Synchronization

/// A session bus of a test: a real `dbus-daemon`, ended with the value.
package final class PrivateBus: Sendable {
  package static let isInstalled = has("dbus-daemon")

  package let address: SessionBusAddress
  private let scratch: Scratch
  private let process: Mutex<Process>

  struct NoAddress: Error {}

  /// Starts the bus.
  ///
  /// - Parameter service: The command by which the bus starts a notification daemon, or nil.
  /// - Throws: If the bus cannot be started.
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
    // The bus prints its address when it listens.
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard line.hasPrefix("unix:") else { throw NoAddress() }
    address = SessionBusAddress(line.trimmingCharacters(in: .newlines))
    self.process = Mutex(process)
  }

  deinit { stop() }

  /// Kills the bus without a shutdown.
  package func stop() {
    process.withLock { process in
      guard process.isRunning else { return }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  /// Like a desktop's session bus, with the socket and the services in the scratch folder.
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
