// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

struct CrontabSchedules {
  let context: IntentContext

  /// Writes the crontab lines of all enabled cron schedules, except that of `name`.
  ///
  /// - Throws: `SchedulerError`, `SchedulingError` or `FileError`; the crontab is unchanged then.
  func update(without name: ShortcutName? = nil) async throws {
    let command = try context.scheduledCommand()
    let lock = "\(context.paths.schedulesFolder)/crontab"
    let result = try await context.files.withLock(on: lock) { () throws(FileError) in
      await Result(catching: { try await install(by: command, without: name) })
    }
    try result.get()
  }

  /// - Throws: `SchedulerError` if the crontab cannot be read.
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
      throw SchedulingError.brokenCrontab(error)
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
