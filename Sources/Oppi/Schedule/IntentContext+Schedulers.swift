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
  /// - Throws: `SchedulingError`, `SchedulerError` or `FileError`; `CancellationError`.
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
  /// - Throws: `SchedulingError.unusableProgram`.
  func files(of schedule: Schedule) throws(SchedulingError) -> [ScheduleFile] {
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

  private func units(of schedule: Schedule) throws(SchedulingError) -> ScheduleUnits {
    ScheduleUnits(of: schedule, running: try scheduledCommand())
  }

  /// - Throws: `SchedulingError.unusableProgram`.
  func scheduledCommand() throws(SchedulingError) -> ScheduledCommand {
    let path = programPath()
    guard let command = ScheduledCommand(program: path, environment: environment) else {
      throw .unusableProgram(path: path)
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
