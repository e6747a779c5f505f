// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

struct SystemdTimers {
  let context: IntentContext

  private var manager: UserManager { context.userManager }

  private func path(_ unit: String) -> String { "\(manager.unitFolder)/\(unit)" }

  private func timer(of name: String) -> String { ScheduleUnits.name(of: name, "timer") }

  /// - Throws: `SchedulingError.noUserManager`.
  func check() throws(SchedulingError) {
    guard manager.isThere else { throw .noUserManager }
  }

  // MARK: - Installing

  /// Checks that the units can be installed and that systemd accepts them; changes nothing.
  ///
  /// - Throws: `SchedulingError`, `SchedulerError`, `FileError`; `CancellationError`.
  func prepare(_ units: ScheduleUnits) async throws {
    try check()
    try await put(units, isTrial: true)
    try await verify(units)
  }

  /// Writes the units and starts the timer.
  ///
  /// - Throws: As ``prepare(_:)``.
  func install(_ units: ScheduleUnits) async throws {
    try check()
    try await put(units, isTrial: false)
    try await manager.systemctl("daemon-reload")
    try await manager.systemctl("enable", timer(of: units.schedule.name))
    // A running timer ignores a new unit until it is restarted.
    try await manager.systemctl("restart", timer(of: units.schedule.name))
  }

  private func put(_ units: ScheduleUnits, isTrial: Bool) async throws {
    let items = units.files.map { file in
      Installation.Item(path: path(file.name), what: file.what, bytes: Array(file.text.utf8))
    }
    let results = try await installation(of: units.schedule.name).install(items, isTrial: isTrial)
    for result in results {
      switch result.outcome {
      case .written, .unchanged, .removed: continue
      case .failed(let error): throw error
      case .changed: throw SchedulingError.changedUnit(path: result.path)
      case .foreign: throw SchedulingError.foreignUnit(path: result.path)
      }
    }
  }

  /// Records the installed files, so that no other file is replaced or removed.
  private func installation(of name: String) -> Installation {
    let record = SetupRecordFile(
      path: context.schedules.unitsPath(of: name),
      place: "systemd",
      files: context.files
    )
    return Installation(record: record, files: context.files, folders: .owner)
  }

  /// Verifies the units with systemd in a draft folder.
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
    try await manager.verify(paths)
  }

  // MARK: - Removing

  /// Stops the timer and keeps the units.
  ///
  /// - Throws: `SchedulerError` or `FileError`; `CancellationError`.
  func disable(_ name: String) async throws {
    guard try context.files.names(in: manager.unitFolder).contains(timer(of: name)) else { return }
    guard manager.isThere else { return try forget(name) }
    try await manager.systemctl("disable", "--now", timer(of: name))
  }

  /// Stops the timer and removes the units, except those changed by hand; returns their paths.
  ///
  /// - Throws: As ``disable(_:)``.
  func remove(_ name: String) async throws -> [String] {
    let hasManager = manager.isThere
    if hasManager {
      // A running timer must not lose its unit file.
      try await disable(name)
      // Removes the time of its last run; harmless if that fails.
      _ = try? await manager.systemctl("clean", "--what=state", timer(of: name))
    }
    let results = try await installation(of: name).remove([])
    for case .failed(let error) in results.map(\.outcome) { throw error }
    if hasManager { try await manager.systemctl("daemon-reload") } else { try forget(name) }
    return results.filter { $0.outcome == .changed }.map(\.path)
  }

  /// Removes the link of `systemctl enable` without a manager; if one elsewhere still has the
  /// timer, its run finds the schedule disabled or removed, and does nothing.
  private func forget(_ name: String) throws(FileError) {
    let unit = timer(of: name)
    let link = "\(manager.wants((unit, "timers.target")))/\(unit)"
    if context.files.isLink(link) { try context.files.remove(link) }
  }
}
