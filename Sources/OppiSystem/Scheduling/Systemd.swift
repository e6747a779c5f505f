// SPDX-License-Identifier: MIT

import Glibc
package import OppiModel
package import OppiText

/// The systemd manager of this user, accessed by files and systemctl(1).
package struct UserManager: Sendable {
  /// A unit that a user enables, with the target that then wants it.
  package typealias Unit = (name: String, target: String)

  /// The manager may be busy with other units.
  private static let limit = Duration.seconds(30)

  /// The folder of the user's own units.
  package let unitFolder: String
  private let runtimeFolder: String?
  private let files: FileStore
  private let tools: ToolRunner

  /// `runtimeFolder` is `XDG_RUNTIME_DIR`; `nil` if it is unset or empty.
  package init(
    runtimeFolder: String?,
    paths: XDGPaths,
    files: FileStore,
    tools: ToolRunner
  ) {
    unitFolder = "\(paths.configHome)/systemd/user"
    self.runtimeFolder = runtimeFolder
    self.files = files
    self.tools = tools
  }

  // MARK: - Files

  /// Whether a user manager is running.
  package var isThere: Bool {
    guard let runtimeFolder else { return false }
    return names(in: "\(runtimeFolder)/systemd").contains("private")
  }

  /// Whether this machine runs systemd.
  package var isOnMachine: Bool { names(in: "/run/systemd").contains("system") }

  /// Whether the user's manager also runs while the user is logged out, as set with loginctl(1).
  package func lingers(for user: String) -> Bool {
    names(in: "/var/lib/systemd/linger").contains(user)
  }

  package func isEnabled(_ unit: Unit) -> Bool { names(in: wants(unit)).contains(unit.name) }

  /// The folder of the units that the user has enabled for a unit's target.
  package func wants(_ unit: Unit) -> String { "\(unitFolder)/\(unit.target).wants" }

  private func names(in folder: String) -> [String] { (try? files.names(in: folder)) ?? [] }

  // MARK: - Commands

  /// Runs systemctl with `--user`.
  ///
  /// - Throws: `ToolError`; `CancellationError`.
  package func systemctl(_ words: String...) async throws {
    let command = ["systemctl", "--user"] + words
    let outcome = try await tools.run(command, within: Self.limit)
    guard outcome.status == 0 else {
      throw ToolError("\(command.joined(separator: " ")) failed: \(outcome.errorLine(limit: 400))")
    }
  }

  /// Checks unit files with systemd-analyze.
  ///
  /// - Throws: `ToolError` if it finds an error in them; `CancellationError`.
  package func verify(_ paths: [String]) async throws {
    let command = ["systemd-analyze", "--user", "verify", "--man=no"]
    let outcome = try await tools.run(command + paths, within: Self.limit)
    // An unknown key causes a line on standard error, but no failure.
    guard outcome.status == 0, outcome.errors.isEmpty else {
      throw ToolError("systemd rejected the timer: \(outcome.errorLine(limit: 400))")
    }
  }
}

/// The calendar of systemd-analyze(1), which supports leap days and daylight saving time.
package struct SystemdCalendar: Sendable {
  /// It runs locally and takes milliseconds.
  private static let limit = Duration.seconds(10)

  private let tools: ToolRunner

  package init(tools: ToolRunner) {
    self.tools = tools
  }

  /// Returns whether a time zone exists.
  ///
  /// - Throws: `ToolError`; `CancellationError`.
  package func hasZone(_ name: String) async throws -> Bool {
    guard TimeZoneName.isValid(name) else { return false }
    return try await run(["--iterations=1", "*-*-* 00:00:00 \(name)"], zone: "UTC").status == 0
  }

  /// Returns when the expressions of a schedule elapse next.
  ///
  /// - Parameters:
  ///   - schedule: The schedule.
  ///   - moment: The moment after which they elapse.
  ///   - count: The number of times to return per expression.
  /// - Returns: The known times, and whether they are all.
  /// - Throws: `ToolError`; `CancellationError`.
  package func elapses(
    of schedule: Schedule,
    after moment: Timestamp,
    count: Int
  ) async throws -> (elapses: [CalendarElapses.Elapse], isComplete: Bool) {
    let options = ["--iterations=\(count)", "--base-time=\(moment.clock) UTC", "--"]
    let outcome = try await run(options + schedule.calendar, zone: schedule.zone)
    guard outcome.status == 0 else {
      throw ToolError("systemd-analyze rejected the schedule: \(outcome.errorLine())")
    }
    let output = String(decoding: outcome.output, as: UTF8.self)
    return CalendarElapses.read(output, outOf: count)
  }

  private func run(_ words: [String], zone: String) async throws -> ChildProcess.Outcome {
    // With the zone in TZ, it computes in its own process and prints local times of the zone.
    try await tools.run(
      ["systemd-analyze", "calendar"] + words,
      variables: ["TZ": zone],
      within: Self.limit
    )
  }
}

/// Notifies systemd of a service's state by the protocol of sd_notify(3).
package struct ServiceManager: Sendable {
  private let path: String?
  /// How often the watchdog must be notified: half of its timeout; `nil` without a watchdog.
  package let watchdogInterval: Duration?

  /// Without a socket in the environment, nothing is sent.
  package init(environment: [String: String]) {
    path = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    let limit = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
    watchdogInterval = limit > 0 ? .microseconds(limit / 2) : nil
  }

  package func ready() { notify("READY=1") }

  package func alive() { notify("WATCHDOG=1") }

  package func stopping() { notify("STOPPING=1") }

  /// Errors are ignored: there is no manager to notify.
  private func notify(_ state: String) {
    guard let path else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    // An abstract address begins with a zero byte, which is written as `@`.
    guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
      bytes.count < MemoryLayout.size(ofValue: address.sun_path)
    else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      buffer.copyBytes(from: bytes)
      if first == UInt8(ascii: "@") { buffer[0] = 0 }
    }
    let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    let length = MemoryLayout<sa_family_t>.size + bytes.count
    let message = Array(state.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(
          socket,
          message,
          message.count,
          Int32(MSG_NOSIGNAL | MSG_DONTWAIT),
          address,
          socklen_t(length)
        )
      }
    }
  }
}
