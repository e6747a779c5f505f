// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension HealthCheck {
  /// Whether schedules can be read, their backends have them, and their last runs succeeded.
  static func schedules(_ subject: any DoctorSubject) async throws -> [HealthFact] {
    let context = subject.intents
    let (all, defects) = try await context.readSchedules { $0 }
    var facts = defects.map { HealthFact.failed($0) }
    let records = all.filter(\.schedule.isEnabled)
    let usesCron = records.contains { $0.schedule.backend == .cron }
    var crontab: Crontab?
    // `doctor --as cron` reads the crontab itself.
    if usesCron, subject.trigger == nil {
      do {
        crontab = try await context.crontab.load(within: TriggerEnvironment.limit)
      } catch {
        facts.append(.failed(error))
      }
    }
    for record in records { facts += Self.facts(of: record, crontab, subject) }
    if usesCron, context.crontab.isUnread { facts.append(.noCronDaemon) }
    return facts.isEmpty && !records.isEmpty ? [.schedules(count: records.count)] : facts
  }

  private static func facts(
    of record: ScheduleRecord,
    _ crontab: Crontab?,
    _ subject: any DoctorSubject
  ) -> [HealthFact] {
    let schedule = record.schedule
    let manager = subject.intents.userManager
    var facts: [HealthFact] = []
    let isWatched =
      switch schedule.backend {
      case .cron: crontab?.runs(schedule.name) ?? true
      case .systemd:
        manager.isEnabled((ScheduleUnits.name(of: schedule.name, "timer"), "timers.target"))
      }
    if !isWatched { facts.append(.unwatched(schedule)) }
    // A trigger's environment does not show whether a user manager is running.
    if subject.trigger == nil, schedule.backend == .systemd, !manager.isThere {
      facts.append(.unmanaged(schedule))
    }
    if let last = record.lastOutcome, isTrouble(last) { facts.append(.lastRun(last, of: schedule)) }
    return facts
  }

  private static func isTrouble(_ run: ScheduleRun) -> Bool {
    switch run.state {
    case ScheduleRun.State.failed, ScheduleRun.State.interrupted, "unknown",
      ScheduleRun.State.missed, ScheduleRun.State.skipped:
      true
    default: false
    }
  }
}
