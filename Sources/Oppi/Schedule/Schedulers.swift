// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

struct ScheduleFile: Sendable {
  /// `crontab` for the user's crontab.
  let path: String
  let text: String
}

extension IntentContext {
  /// Checks that a schedule's backend would accept it; changes nothing.
  ///
  /// - Throws: `OppiError`, `ToolError` or `FileError`; `CancellationError`.
  func prepare(_ schedule: Schedule) async throws {
    switch schedule.backend {
    case .systemd: try await SystemdTimers(context: self).prepare(try units(of: schedule))
    case .cron: try await CrontabSchedules(context: self).check()
    }
  }

  /// Installs a schedule in its backend.
  ///
  /// - Throws: As ``prepare(_:)``.
  func install(_ schedule: Schedule) async throws {
    switch schedule.backend {
    case .systemd: try await SystemdTimers(context: self).install(try units(of: schedule))
    case .cron: try await CrontabSchedules(context: self).update()
    }
  }

  /// Removes a schedule, which is disabled or being replaced, from its backend.
  ///
  /// - Returns: The paths of units that were changed by hand and stay.
  /// - Throws: As ``prepare(_:)``.
  @discardableResult
  func uninstall(_ schedule: Schedule) async throws -> [String] {
    switch schedule.backend {
    case .systemd: return try await SystemdTimers(context: self).remove(schedule.name)
    case .cron:
      try await CrontabSchedules(context: self).update()
      return []
    }
  }

  /// Returns the files that ``install(_:)`` writes for a schedule.
  ///
  /// - Throws: `OppiError` if a timer cannot run this program.
  func files(of schedule: Schedule) throws(OppiError) -> [ScheduleFile] {
    switch schedule.backend {
    case .systemd:
      let folder = userManager.unitFolder
      return try units(of: schedule).files.map {
        ScheduleFile(path: "\(folder)/\($0.name)", text: $0.text)
      }
    case .cron:
      let lines = try scheduledCommand().crontabLines(of: schedule)
      return [ScheduleFile(path: "crontab", text: lines.joined(separator: "\n"))]
    }
  }

  private func units(of schedule: Schedule) throws(OppiError) -> ScheduleUnits {
    ScheduleUnits(of: schedule, running: try scheduledCommand())
  }

  /// - Throws: `OppiError` if a timer cannot run this program.
  func scheduledCommand() throws(OppiError) -> ScheduledCommand {
    let path = programPath()
    guard let command = ScheduledCommand(program: path, environment: environment) else {
      throw OppiError(
        .badInput,
        "a timer cannot run \(path.safeLine())",
        hints: ["install oppi in a folder without special characters in its path"]
      )
    }
    return command
  }

  /// Restores a part of a schedule after a failure; warns if that also fails.
  func restoring(_ name: String, _ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      await reporter.warn("could not restore schedule \(name)", because: error)
    }
  }
}

struct CrontabSchedules {
  let context: IntentContext

  /// Writes the crontab lines of all enabled cron schedules, except that of `name`.
  ///
  /// - Throws: `ToolError`, `OppiError` or `FileError`; the crontab is unchanged then.
  func update(without name: ShortcutName? = nil) async throws {
    let command = try context.scheduledCommand()
    let lock = "\(context.paths.schedulesFolder)/crontab"
    let result = try await context.files.withLock(on: lock) { () throws(FileError) in
      await Result(catching: { try await install(by: command, without: name) })
    }
    try result.get()
  }

  /// - Throws: `ToolError` if the crontab cannot be read.
  func check() async throws { _ = try await context.crontab.load() }

  private func lines(
    by command: ScheduledCommand,
    without left: ShortcutName?,
    before: Crontab
  ) throws -> [String] {
    try context.schedules.all().filter { $0 != left }.flatMap { name -> [String] in
      let record: ScheduleRecord?
      do {
        record = try context.schedules.load(name.text)
      } catch {
        // A damaged record keeps its lines, which are right again after a repair.
        return try before.lines(running: name.text)
      }
      guard let schedule = record?.schedule, schedule.isEnabled, schedule.backend == .cron else {
        return []
      }
      return command.crontabLines(of: schedule)
    }
  }

  private func install(by command: ScheduledCommand, without name: ShortcutName?) async throws {
    let program = context.crontab
    let before = try await program.load()
    var crontab = before
    do {
      try crontab.replaceBlock(with: try lines(by: command, without: name, before: before))
    } catch let error as ScheduleError {
      throw OppiError(
        .badConfiguration,
        "cannot change the crontab: \(error.message)",
        hints: ["correct it with: crontab -e"]
      )
    }
    guard crontab != before else { return }
    guard !crontab.bytes.isEmpty else { return try await program.remove() }
    let (folder, name) = (context.paths.schedulesFolder, "crontab.new")
    let file = "\(folder)/\(name)"
    try context.files.replace(file, with: crontab.bytes)
    defer { try? context.files.remove(file) }
    try await program.install(name, in: folder)
  }
}

struct SystemdTimers {
  let context: IntentContext

  private var manager: UserManager { context.userManager }

  private func path(_ unit: String) -> String { "\(manager.unitFolder)/\(unit)" }

  private func timer(of name: String) -> String { ScheduleUnits.name(of: name, "timer") }

  /// - Throws: `OppiError` if no user manager is running.
  func check() throws(OppiError) {
    guard manager.isThere else {
      throw OppiError(
        .noScheduler,
        "the systemd user manager is not running",
        hints: [
          "use cron: --backend cron",
          "or enable the manager permanently: loginctl enable-linger",
        ]
      )
    }
  }

  // MARK: - Installing

  /// Checks that the units can be installed and that systemd accepts them; changes nothing.
  ///
  /// - Throws: `OppiError`, `ToolError`, `FileError`; `CancellationError`.
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
      case .changed: throw OppiError(blocking: result.path, "was changed after oppi wrote it")
      case .foreign: throw OppiError(blocking: result.path, "was not written by oppi")
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
  /// - Throws: `ToolError` or `FileError`; `CancellationError`.
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

extension ToolError: ExplainedError {
  var explanation: OppiError {
    let hint = missingProgram.map {
      $0 == "crontab"
        ? "install cron (Debian: apt install cron), or let another scheduler run: oppi run NAME"
        : "use cron: --backend cron"
    }
    return OppiError(.noScheduler, message, hints: hint.map { [$0] } ?? [])
  }
}

extension OppiError {
  /// A file of another program, or one that was edited, in the place of one of ours.
  fileprivate init(blocking path: String, _ reason: String) {
    self.init(
      .cannotCreate,
      "\(path.safeLine()) \(reason); not modified",
      hints: ["move it away first"]
    )
  }
}
