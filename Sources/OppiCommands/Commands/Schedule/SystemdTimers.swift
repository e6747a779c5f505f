// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// Schedules as timers of systemd's user manager.
struct SystemdTimers {
  /// The manager may be busy with others.
  private static let limit = Duration.seconds(30)

  let context: Context

  private var folder: String { "\(context.paths.configHome)/systemd/user" }

  private func path(_ unit: String) -> String { "\(folder)/\(unit)" }

  private func timer(of name: String) -> String { ScheduleUnits.name(of: name, "timer") }

  private var manager: UserManager { UserManager(context: context) }

  /// Throws where there is no manager for a timer that is wanted.
  func check() throws(OppiError) {
    guard !manager.isThere else { return }
    throw OppiError(
      .noScheduler,
      "no systemd user manager here",
      hints: [
        "let cron do it: --backend cron",
        "or have the manager run always: loginctl enable-linger",
      ]
    )
  }

  // MARK: - Putting units there

  /// Throws where the units could not be put there, or where systemd does not take them; nothing is
  /// changed.
  func prepare(_ units: ScheduleUnits) async throws {
    try check()
    try await put(units, isTrial: true)
    try await verify(units)
  }

  /// Writes the units and starts the timer.
  func install(_ units: ScheduleUnits) async throws {
    try check()
    try await put(units, isTrial: false)
    try await systemctl("daemon-reload")
    try await systemctl("enable", timer(of: units.schedule.name))
    // One that runs has to be started again to see what is new.
    try await systemctl("restart", timer(of: units.schedule.name))
  }

  private func put(_ units: ScheduleUnits, isTrial: Bool) async throws {
    let items = units.files.map { file in
      Installation.Item(path: path(file.name), what: file.what, bytes: Array(file.text.utf8))
    }
    let results = try await installation(of: units.schedule.name).install(items, isTrial: isTrial)
    for result in results {
      let whose: String
      switch result.outcome {
      case .written, .unchanged, .removed: continue
      case .failed(let error): throw error
      case .changed: whose = "was changed since oppi wrote it"
      case .foreign: whose = "was not written by oppi"
      }
      throw OppiError(
        .cannotCreate,
        "\(result.path.safeLine()) \(whose), and is left alone",
        hints: ["move it away first"]
      )
    }
  }

  /// What was put there is on record, so that nothing of others is replaced or removed.
  private func installation(of name: String) -> Installation {
    let record = SetupRecordFile(
      path: context.schedules.unitsPath(of: name),
      place: "systemd",
      files: context.files
    )
    return Installation(record: record, files: context.files, folders: .owner)
  }

  /// Has systemd read the units before they are where it looks for them.
  private func verify(_ units: ScheduleUnits) async throws {
    let folder = context.schedules.draftFolder
    let paths = units.files.map { "\(folder)/\($0.name)" }
    defer {
      for path in paths { try? context.files.remove(path) }
      context.files.removeIfEmpty(folder: folder)
    }
    for (path, file) in zip(paths, units.files) {
      try context.files.replace(path, with: Array(file.text.utf8), .passing)
    }
    let command = ["systemd-analyze", "--user", "verify", "--man=no"]
    let outcome = try await context.outcome(of: command + paths, within: Self.limit)
    // A key that it does not know is a line on standard error, and no failure.
    guard outcome.status == 0, outcome.errors.isEmpty else {
      let words = String(decoding: outcome.errors, as: UTF8.self).safeLine(limit: 400)
      throw OppiError(.noScheduler, "systemd does not take the timer: \(words)")
    }
  }

  // MARK: - Taking them back

  /// Stops the timer and keeps the units.
  func disable(_ name: String) async throws {
    guard try context.files.names(in: folder).contains(timer(of: name)) else { return }
    guard manager.isThere else { return try forget(name) }
    try await systemctl("disable", "--now", timer(of: name))
  }

  /// Stops the timer and removes the units; what another has written or changed stays.
  ///
  /// - Returns: The units that stay.
  func remove(_ name: String) async throws -> [String] {
    let hasManager = manager.isThere
    if hasManager {
      // A timer that still runs must not lose the file that tells of it.
      try await disable(name)
      // When it fired last is of no use without it, and harmless.
      _ = try? await systemctl("clean", "--what=state", timer(of: name))
    }
    let results = try await installation(of: name).remove([])
    for case .failed(let error) in results.map(\.outcome) { throw error }
    if hasManager { try await systemctl("daemon-reload") } else { try forget(name) }
    return results.filter { $0.outcome == .changed }.map(\.path)
  }

  /// Takes back what `systemctl enable` has made, where no manager can: a timer that one elsewhere still
  /// has finds its schedule disabled or gone, and runs nothing.
  private func forget(_ name: String) throws(FileError) {
    let unit = timer(of: name)
    let link = "\(manager.wants((unit, "timers.target")))/\(unit)"
    if context.files.isLink(link) { try context.files.remove(link) }
  }

  private func systemctl(_ words: String...) async throws {
    let outcome = try await context.outcome(
      of: ["systemctl", "--user"] + words,
      within: Self.limit
    )
    guard outcome.status == 0 else {
      let text = String(decoding: outcome.errors, as: UTF8.self).safeLine(limit: 400)
      throw OppiError(
        .noScheduler,
        "systemctl --user \(words.joined(separator: " ")) failed: \(text)"
      )
    }
  }
}
