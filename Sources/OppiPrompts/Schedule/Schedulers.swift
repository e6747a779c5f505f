// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiSystem
import OppiText

/// What runs schedules: systemd's user manager, or cron.
///
/// All methods throw `OppiError`, `ToolError`, `FileError` or `CancellationError`.
protocol ScheduleBackend {
  /// Checks that the backend would accept a schedule; changes nothing.
  func prepare(_ schedule: Schedule) async throws

  func install(_ schedule: Schedule) async throws

  /// Starts no further runs of a schedule, and keeps its units.
  func disable(_ name: String) async throws

  /// Removes a schedule, which is disabled or being replaced.
  ///
  /// Returns the paths of units that were changed by hand and stay.
  func remove(_ name: String) async throws -> [String]

  /// Returns the files that ``install(_:)`` writes; `crontab` for the user's crontab.
  func files(of schedule: Schedule) throws(OppiError) -> [ScheduleFile]
}

package typealias ScheduleFile = (path: String, text: String)

extension Services {
  func backend(of schedule: Schedule) -> any ScheduleBackend {
    switch schedule.backend {
    case .systemd: SystemdTimers(context: self)
    case .cron: CrontabSchedules(context: self)
    }
  }

  /// - Throws: `OppiError` if a timer cannot run this program.
  fileprivate func scheduledCommand() throws(OppiError) -> ScheduledCommand {
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
}

struct CrontabSchedules: ScheduleBackend {
  let context: Services

  func prepare(_: Schedule) async throws { _ = try await context.crontab.load() }

  func install(_: Schedule) async throws { try await update() }

  func disable(_: String) async throws { try await update() }

  func remove(_: String) async throws -> [String] {
    try await update()
    return []
  }

  func files(of schedule: Schedule) throws(OppiError) -> [ScheduleFile] {
    let lines = try context.scheduledCommand().crontabLines(of: schedule)
    return [("crontab", lines.joined(separator: "\n"))]
  }

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

struct SystemdTimers: ScheduleBackend {
  let context: Services

  private var manager: UserManager { context.userManager }

  private func timer(of name: String) -> String { ScheduleUnit.timer.name(of: name) }

  /// The units of a schedule as files of a folder.
  private func items(
    of schedule: Schedule,
    in folder: String
  ) throws(OppiError) -> [Installation.Item] {
    try context.scheduledCommand().units(of: schedule).map { unit, text in
      Installation.Item(
        path: "\(folder)/\(unit.name(of: schedule.name))",
        what: unit.rawValue,
        bytes: Array(text.utf8)
      )
    }
  }

  func files(of schedule: Schedule) throws(OppiError) -> [ScheduleFile] {
    try items(of: schedule, in: manager.unitFolder).map {
      ($0.path, String(decoding: $0.bytes, as: UTF8.self))
    }
  }

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

  func prepare(_ schedule: Schedule) async throws {
    let folder = "\(context.schedules.path)/draft"
    let drafts = try items(of: schedule, in: folder)
    try check()
    try await put(schedule, isTrial: true)
    defer {
      for draft in drafts { try? context.files.remove(draft.path) }
      context.files.removeIfEmpty(folder: folder)
    }
    for draft in drafts { try context.files.replace(draft.path, with: draft.bytes, .passing) }
    try await manager.verify(drafts.map(\.path))
  }

  func install(_ schedule: Schedule) async throws {
    try check()
    try await put(schedule, isTrial: false)
    try await manager.systemctl("daemon-reload")
    try await manager.systemctl("enable", timer(of: schedule.name))
    // A running timer ignores a new unit until it is restarted.
    try await manager.systemctl("restart", timer(of: schedule.name))
  }

  private func put(_ schedule: Schedule, isTrial: Bool) async throws {
    let items = try items(of: schedule, in: manager.unitFolder)
    let results = try await installation(of: schedule.name).install(items, isTrial: isTrial)
    for result in results {
      let reason: String
      switch result.outcome {
      case .written, .unchanged, .removed: continue
      case .failed(let error): throw error
      case .changed: reason = "was changed after oppi wrote it"
      case .foreign: reason = "was not written by oppi"
      }
      throw OppiError(
        .cannotCreate,
        "\(result.path.safeLine()) \(reason); not modified",
        hints: ["move it away first"]
      )
    }
  }

  /// Records the installed files, so that no other file is replaced or removed.
  private func installation(of name: String) -> Installation {
    let record = SetupRecordFile(
      path: "\(context.schedules.path)/\(name).units",
      place: "systemd",
      files: context.files
    )
    return Installation(record: record, files: context.files, folders: .owner)
  }

  // MARK: - Removing

  func disable(_ name: String) async throws {
    guard try context.files.names(in: manager.unitFolder).contains(timer(of: name)) else { return }
    guard manager.isThere else { return try forget(name) }
    try await manager.systemctl("disable", "--now", timer(of: name))
  }

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
