// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
package import OppiModel
import OppiSystem
import OppiText

package struct AddSchedule: Sendable {
  /// How many runs are checked for gaps shorter than the jitter.
  private static let lookahead = 50

  package struct Plan: Sendable {
    let outlook: ScheduleOutlook
    let files: [ScheduleFile]
    /// The existing schedule; `nil` if there is none.
    fileprivate let before: ScheduleRecord?

    var schedule: Schedule { outlook.record.schedule }
    /// The next two runs; empty if unknown.
    package var next: [CalendarElapses.Elapse] { outlook.next ?? [] }
  }

  package let request: ScheduleRequest
  package let name: ShortcutName
  package let context: Services
  /// The files of a shortcut that is created with the schedule.
  var shortcutFiles: [ScheduleFile] = []

  package init(
    request: ScheduleRequest,
    name: ShortcutName,
    context: Services,
    shortcutFiles: [ScheduleFile] = []
  ) {
    (self.request, self.name) = (request, name)
    (self.context, self.shortcutFiles) = (context, shortcutFiles)
  }

  /// Returns what would be written; writes nothing.
  ///
  /// Without `mayReplace` an existing schedule is an error.
  ///
  /// - Throws: `OppiError`, `ToolError` or `FileError`; `CancellationError`.
  package func plan(mayReplace: Bool) async throws -> Plan {
    let before = try context.schedules.load(name.text)
    guard before == nil || mayReplace else {
      throw OppiError(
        .cannotCreate,
        "shortcut \(name.text) already has a schedule",
        hints: ["show it with: oppi schedule", "or add --replace"]
      )
    }
    let schedule = try await schedule()
    let now = context.now()
    let next = try await upcoming(schedule)
    let record = ScheduleRecord(schedule, at: now)
    return Plan(
      outlook: ScheduleOutlook(record: record, next: next, now: now),
      files: shortcutFiles + (try context.backend(of: schedule).files(of: schedule)),
      before: before
    )
  }

  /// Checks that the backend would accept a plan; changes nothing.
  ///
  /// - Throws: As ``plan(mayReplace:)``.
  package func prepare(_ plan: Plan) async throws {
    try await context.backend(of: plan.schedule).prepare(plan.schedule)
  }

  /// Writes a plan; after a failure, restores the earlier state as far as possible.
  ///
  /// Writes the record first, because the backend may start a run at once.
  ///
  /// - Throws: As ``plan(mayReplace:)``.
  package func keep(_ plan: Plan) async throws {
    let schedule = plan.schedule
    let now = context.now()
    try await context.schedules.update(schedule.name) { record throws(FileError) in
      record?.replace(with: schedule, at: now)
      record = record ?? ScheduleRecord(schedule, at: now)
    }
    do {
      try await context.backend(of: schedule).install(schedule)
      if let old = plan.before?.schedule, old.backend != schedule.backend {
        _ = try await context.backend(of: old).remove(old.name)
      }
    } catch {
      await restore(plan.before?.schedule, insteadOf: schedule)
      throw error
    }
  }

  private func restore(_ old: Schedule?, insteadOf schedule: Schedule) async {
    let store = context.schedules
    guard let old else {
      try? await store.update(schedule.name) { record throws(FileError) in
        record?.schedule.isEnabled = false
      }
      _ = try? await context.backend(of: schedule).remove(schedule.name)
      try? await store.drop(schedule.name)
      return
    }
    await context.restoring(schedule.name) {
      try await store.update(schedule.name) { record throws(FileError) in record?.schedule = old }
    }
    // A partial installation may have nothing to remove.
    if old.backend != schedule.backend {
      _ = try? await context.backend(of: schedule).remove(schedule.name)
    }
    if old.isEnabled {
      await context.restoring(schedule.name) {
        try await context.backend(of: old).install(old)
      }
    }
  }

  // MARK: - The schedule

  private func schedule() async throws -> Schedule {
    if let zone = request.zone { try await context.calendar.check(zone: zone) }
    let localZone = LocalTime.zone(environment: context.environment)
    var schedule: Schedule
    do throws(ScheduleError) {
      let interval = try? Duration(argument: request.trigger.text)
      schedule = try request.schedule(of: name, every: interval, localZone: localZone)
    } catch {
      throw OppiError(.usage, "--\(request.trigger.kind.rawValue) \(error.message)")
    }
    schedule.backend = request.backend ?? (context.userManager.isThere ? .systemd : .cron)
    switch schedule.backend {
    case .systemd: try SystemdTimers(context: context).check()
    case .cron:
      let machineZone = LocalTime.zone(environment: [:])
      let limit = request.cronLimit(of: schedule, machineZone: machineZone, localZone: localZone)
      if let limit { throw OppiError(.usage, limit) }
    }
    return schedule
  }

  /// Returns the next two runs; requires that some exist and are farther apart than the jitter.
  private func upcoming(_ schedule: Schedule) async throws -> [CalendarElapses.Elapse] {
    let now = context.now()
    let next: [CalendarElapses.Elapse]
    do {
      next = try await context.calendar.next(schedule, after: now, count: Self.lookahead)
    } catch let error as ToolError where schedule.backend == .cron {
      await context.reporter.warn("could not determine the next runs", because: error)
      return []
    }
    guard !next.isEmpty else {
      guard request.trigger.kind == .at else { throw OppiError(.usage, "the schedule never runs") }
      throw OppiError(.usage, "--at \(schedule.trigger.text.safeLine()) is in the past")
    }
    if zip(next, next.dropFirst()).contains(where: {
      $0.moment.moved(by: request.jitter) >= $1.moment
    }) {
      throw OppiError(
        .usage,
        "--jitter must be shorter than the time between two runs"
      )
    }
    return Array(next.prefix(2))
  }
}

/// Resuming, pausing and removing schedules.
extension Services {
  /// Resumes the schedule, and returns its next two runs; runs during the pause do not count as
  /// missed.
  ///
  /// - Throws: `OppiError`, `ToolError` or `FileError`; the schedule is unchanged then.
  package func enableSchedule(_ name: ShortcutName) async throws -> ScheduleOutlook {
    let before = try existingSchedule(of: name).schedule
    let backend = backend(of: before)
    try await backend.prepare(before)
    try await setting(before, enabled: true) { try await backend.install(before) }
    return await ScheduleOutlook(of: try existingSchedule(of: name), count: 2, in: self)
  }

  /// Pauses the schedule, alone or `withAll` others, to be resumed with them; an active run
  /// continues.
  ///
  /// - Throws: As ``enableSchedule(_:)``.
  package func disableSchedule(
    _ name: ShortcutName,
    withAll: Bool = false
  ) async throws -> ScheduleOutlook {
    let schedule = try existingSchedule(of: name).schedule
    try await setting(schedule, enabled: false, withAll: withAll) {
      try await backend(of: schedule).disable(name.text)
    }
    return ScheduleOutlook(record: try existingSchedule(of: name), now: now())
  }

  /// Removes the schedule and the record of its runs; warns of a damaged record and removes it.
  ///
  /// Returns the paths of units that were changed by hand and stay.
  ///
  /// - Throws: As ``enableSchedule(_:)``.
  func removeSchedule(_ name: ShortcutName) async throws -> [String] {
    let left = try await clear(name)
    try await schedules.drop(name.text)
    return left
  }

  private func clear(_ name: ShortcutName) async throws -> [String] {
    let schedule: Schedule
    do {
      schedule = try existingSchedule(of: name).schedule
    } catch let error as FileError {
      if case .newerVersion = error { throw error }
      await reporter.warn(reporter.reason(of: error).message)
      if programs.has("crontab") {
        try await CrontabSchedules(context: self).update(without: name)
      }
      return try await SystemdTimers(context: self).remove(name.text)
    }
    return try await setting(schedule, enabled: false) {
      try await backend(of: schedule).remove(name.text)
    }
  }

  /// Enables or disables a schedule, then changes its backend, so that a run that still starts finds
  /// it disabled; restores whether it is enabled if that fails.
  private func setting<Result>(
    _ schedule: Schedule,
    enabled isEnabled: Bool,
    withAll: Bool = false,
    _ changeBackend: () async throws -> Result
  ) async throws -> Result {
    let now = now()
    try await schedules.update(schedule.name) { record throws(FileError) in
      if !isEnabled {
        record?.schedule.isEnabled = false
        record?.schedule.isPausedWithAll = withAll
      } else if record?.schedule.isEnabled == false {
        record?.enable(at: now)
      }
    }
    do {
      return try await changeBackend()
    } catch {
      await restoring(schedule.name) {
        try await schedules.update(schedule.name) { record throws(FileError) in
          record?.schedule.isEnabled = schedule.isEnabled
          record?.schedule.isPausedWithAll = schedule.isPausedWithAll
        }
      }
      throw error
    }
  }

  /// Restores a part of a schedule after a failure; warns if that also fails.
  fileprivate func restoring(_ name: String, _ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      await reporter.warn("could not restore schedule \(name)", because: error)
    }
  }
}
