// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

extension HealthCheck {
  /// What runs by itself.
  static let schedules = HealthCheck(
    name: "schedules",
    summary: "schedules: whole, watched, and how their last runs ended"
  ) { subject in
    let context = subject.context
    var findings: [Finding] = []
    var records: [ScheduleRecord] = []
    do {
      for name in try context.schedules.all() {
        do {
          let record = try context.schedules.existing(name)
          if record.schedule.isEnabled { records.append(record) }
        } catch {
          findings.append(.fault(error))
        }
      }
    } catch {
      return [.fault(error)]
    }
    let usesCron = records.contains { $0.schedule.backend == .cron }
    var crontab: Crontab?
    // 'doctor --as cron' reads the crontab itself.
    if usesCron, subject.trigger == nil {
      do {
        let limit = TriggerEnvironment.limit
        crontab = try await context.crontab.load(within: limit)
      } catch {
        findings.append(.fault(error))
      }
    }
    for record in records { findings += Self.findings(record, crontab, subject) }
    if usesCron, context.crontab.isUnread {
      let hints = ["start it: sudo systemctl enable --now cron"]
      findings.append(.warning(Schedules.unread, hints: hints))
    }
    if !records.isEmpty, findings.isEmpty {
      return [.ok(records.count == 1 ? "1 schedule" : "\(records.count) schedules")]
    }
    return findings
  }

  /// Whether anything watches the clock for a schedule, as far as that is to be seen here.
  private static func isWatched(
    _ schedule: Schedule,
    _ crontab: Crontab?,
    _ subject: Subject
  ) -> Bool {
    switch schedule.backend {
    case .cron: return crontab?.runs(schedule.name) ?? true
    case .systemd:
      let timer = ScheduleUnits.name(of: schedule.name, "timer")
      return subject.context.userManager.isEnabled((timer, "timers.target"))
    }
  }

  private static func findings(
    _ record: ScheduleRecord,
    _ crontab: Crontab?,
    _ subject: Subject
  ) -> [Finding] {
    let name = record.schedule.name
    var findings: [Finding] = []
    if !isWatched(record.schedule, crontab, subject) {
      let place =
        record.schedule.backend == .cron ? "the crontab has no line" : "no timer is enabled"
      let error = OppiError(
        .badConfiguration,
        "\(place) for \(name), so it does not run",
        hints: ["put it there: oppi schedule enable \(name)"]
      )
      findings.append(.fault(error))
    }
    let hasManager = subject.context.userManager.isThere
    // Outside of the login it is not to be seen what runs there.
    if subject.trigger == nil, record.schedule.backend == .systemd, !hasManager {
      let hints = ["have the user manager run always: loginctl enable-linger"]
      findings.append(.warning("no user manager watches the clock for \(name)", hints: hints))
    }
    guard let last = record.lastOutcome else { return findings }
    let hints = ["see its runs with: oppi schedule list"]
    switch last.state {
    case ScheduleRun.State.failed, ScheduleRun.State.interrupted, "unknown":
      let why = last.error.map { ": \($0)" } ?? ""
      findings.append(.warning("the last run of \(name) was \(last.state)\(why)", hints: hints))
    case ScheduleRun.State.missed, ScheduleRun.State.skipped:
      findings.append(.note("the last run of \(name) was \(last.state)", hints: hints))
    default: break
    }
    return findings
  }
}
