// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// Schedules as lines of the user's crontab.
struct UserCrontab {
  private static let limit = Duration.seconds(10)
  /// What reads crontabs, by the names of its processes.
  private static let daemons = ["cron", "crond", "fcron"]

  let context: Context

  /// Puts the lines of all schedules that are enabled there into the crontab.
  ///
  /// - Parameter name: A schedule that has none, whatever its file says.
  /// - Throws: `OppiError` where cron does not take them; the crontab is as it was then.
  func update(without name: ShortcutName? = nil) async throws {
    let command = try ScheduledCommand(in: context)
    let lock = "\(context.paths.schedulesFolder)/crontab"
    let result = try await context.files.withLock(on: lock) { () throws(FileError) in
      await Result(catching: { try await install(by: command, without: name) })
    }
    try result.get()
  }

  /// Whether nothing is seen to run that would read the crontab.
  var isUnread: Bool {
    let running = RunningPrograms(files: context.files)
    return running.areAllSeen && running.first(of: Self.daemons) == nil
  }

  /// What a person is told of that.
  static let unread = "no cron daemon runs, so nothing in the crontab does"

  /// Throws where there is no crontab to be changed.
  func check() async throws { _ = try await installed() }

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
        // Whatever is wrong with it, its lines are right again when it is.
        return try before.lines(running: name.text)
      }
      guard let schedule = record?.schedule, schedule.isEnabled, schedule.backend == .cron else {
        return []
      }
      return command.crontabLines(of: schedule)
    }
  }

  private func install(by command: ScheduledCommand, without name: ShortcutName?) async throws {
    let before = try await installed()
    var crontab = before
    do {
      try crontab.replaceBlock(with: try lines(by: command, without: name, before: before))
    } catch let error as ScheduleError {
      throw OppiError(
        .badConfiguration,
        "the crontab cannot be changed: \(error.message)",
        hints: ["put it right with: crontab -e"]
      )
    }
    guard crontab != before else { return }
    // Whoever had none, has none again.
    guard !crontab.bytes.isEmpty else { return try await crontabCommand(["-r"]) }
    // Not through a pipe: of a program that is killed before it has written all, cron would take
    // the beginning for the whole.
    let file = "\(context.paths.schedulesFolder)/crontab.new"
    try context.files.replace(file, with: crontab.bytes)
    defer { try? context.files.remove(file) }
    if try await hasDryRun() { try await crontabCommand(["-n", file]) }
    try await crontabCommand([file])
  }

  /// The crontab as it is; an empty one where the user has none.
  ///
  /// - Throws: `OppiError` where that cannot be told.
  func installed(within limit: Duration = limit) async throws -> Crontab {
    let outcome = try await context.outcome(of: ["crontab", "-l"], within: limit)
    if outcome.status == 0 { return Crontab(outcome.output) }
    let words = String(decoding: outcome.errors, as: UTF8.self)
    guard words.contains("no crontab for") else {
      throw OppiError(.noScheduler, "crontab -l failed: \(words.safeLine())")
    }
    return Crontab([])
  }

  /// Whether `-n` checks a file, which is something else in other crons.
  private func hasDryRun() async throws -> Bool {
    let outcome = try await context.outcome(of: ["crontab", "-h"], within: Self.limit)
    return String(decoding: outcome.output + outcome.errors, as: UTF8.self).contains("dry run")
  }

  private func crontabCommand(_ words: [String]) async throws {
    let outcome = try await context.outcome(of: ["crontab"] + words, within: Self.limit)
    guard outcome.status == 0 else {
      let text = String(decoding: outcome.errors, as: UTF8.self).safeLine()
      throw OppiError(.noScheduler, "cron does not take the crontab: \(text)")
    }
  }
}
