// SPDX-License-Identifier: MIT

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
  /// - Throws: `SchedulerError`; `CancellationError`.
  package func systemctl(_ words: String...) async throws {
    let command = ["systemctl", "--user"] + words
    let outcome = try await tools.runScheduler(command, within: Self.limit)
    guard outcome.status == 0 else {
      throw SchedulerError.systemctlFailed(
        arguments: Array(command.dropFirst()),
        outcome.errorLine(limit: 400)
      )
    }
  }

  /// Checks unit files with systemd-analyze.
  ///
  /// - Throws: `SchedulerError` if it finds an error in them; `CancellationError`.
  package func verify(_ paths: [String]) async throws {
    let command = ["systemd-analyze", "--user", "verify", "--man=no"]
    let outcome = try await tools.runScheduler(command + paths, within: Self.limit)
    // An unknown key causes a line on standard error, but no failure.
    guard outcome.status == 0, outcome.errors.isEmpty else {
      throw SchedulerError.unitsRejected(outcome.errorLine(limit: 400))
    }
  }
}
