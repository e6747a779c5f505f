// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

extension OppiError {
  init(_ error: SchedulerError) {
    let message =
      switch error {
      case .tool(.missing(let name)): "\(name) is not installed"
      case .tool(.cannotStart(let name, let cause)): "cannot start \(name): \(cause)"
      case .tool(.timedOut(let name)): "\(name) timed out"
      case .tool(.tooMuchOutput(let name)): "the output of \(name) is too long"
      case .calendarRejected(let text): "systemd-analyze rejected the schedule: \(text)"
      case .unitsRejected(let text): "systemd rejected the timer: \(text)"
      case .systemctlFailed(let arguments, let text):
        "systemctl \(arguments.joined(separator: " ")) failed: \(text)"
      case .crontabUnreadable(let text): "crontab -l failed: \(text)"
      case .crontabRejected(let text): "crontab rejected the new crontab: \(text)"
      }
    var hints: [String] = []
    if case .tool(.missing(let name)) = error {
      hints = [name == "crontab" ? Self.installCron : "use cron: --backend cron"]
    }
    self.init(.noScheduler, message, hints: hints)
  }

  private static let installCron =
    "install cron (Debian: apt install cron), or let another scheduler run: oppi run NAME"

  init(_ error: SchedulingError) {
    switch error {
    case .noSchedule(let name):
      self.init(
        .noSuchSchedule,
        "shortcut \(name.text) has no schedule",
        hints: ["list the schedules with: oppi schedule"]
      )
    case .alreadyScheduled(let name):
      self.init(
        .cannotCreate,
        "shortcut \(name.text) already has a schedule",
        hints: ["show it with: oppi schedule", "or add --replace"]
      )
    case .stillRunning(let name):
      self.init(
        .locked,
        "a run of \(name.text) is still active",
        hints: ["retry later"]
      )
    case .sessionStateUnknown(let cause):
      self.init(cause)
      message = "could not check whether the session of the previous run is busy: \(message)"
    case .noUserManager, .changedUnit, .foreignUnit, .brokenCrontab, .unusableProgram:
      self.init(backend: error)
    case .noServerSchedules, .noServerSchedule, .ambiguousServerSchedule, .requestRunning,
      .runUnknown, .runFailed:
      self.init(onServer: error)
    case .badTrigger, .unknownZone, .notForCron, .neverDue, .inThePast, .jitterTooLong:
      self.init(wish: error)
    }
  }

  /// Why the backend cannot have the schedule.
  private init(backend error: SchedulingError) {
    switch error {
    case .noUserManager:
      self.init(
        .noScheduler,
        "the systemd user manager is not running",
        hints: [
          "use cron: --backend cron",
          "or enable the manager permanently: loginctl enable-linger",
        ]
      )
    case .changedUnit(let path): self.init(blocking: path, "was changed after oppi wrote it")
    case .foreignUnit(let path): self.init(blocking: path, "was not written by oppi")
    case .brokenCrontab(let cause):
      self.init(
        .badConfiguration,
        "cannot change the crontab: \(cause.message)",
        hints: ["correct it with: crontab -e"]
      )
    case .unusableProgram(let path):
      self.init(
        .badInput,
        "a timer cannot run \(path.safeLine())",
        hints: ["install oppi in a folder without special characters in its path"]
      )
    default: self.init(.bug, "unexpected error: \(error)".safeLine())
    }
  }

  private init(blocking path: String, _ reason: String) {
    self.init(
      .cannotCreate,
      "\(path.safeLine()) \(reason); not modified",
      hints: ["move it away first"]
    )
  }

  /// Why the options are not a valid schedule.
  private init(wish error: SchedulingError) {
    switch error {
    case .badTrigger(let trigger, let cause):
      self.init(.usage, "\(trigger.option) \(cause.message)")
    case .unknownZone(let zone):
      self.init(
        .usage,
        "no time zone '\(zone.safeLine(limit: 60))'",
        hints: ["list time zones with: timedatectl list-timezones"]
      )
    case .notForCron(let limit, let name): self.init(.usage, limit.reason(for: name))
    case .neverDue: self.init(.usage, "the schedule never runs")
    case .inThePast(let moment):
      self.init(.usage, "--at \(moment.safeLine()) is in the past")
    case .jitterTooLong:
      self.init(.usage, "--jitter must be shorter than the time between two runs")
    default: self.init(.bug, "unexpected error: \(error)".safeLine())
    }
  }

  /// A shortcut that a timer cannot run, because it needs values or standard input.
  static func unschedulable(_ name: ShortcutName, needs: String) -> OppiError {
    OppiError(
      .badInput,
      "cannot schedule shortcut \(name.text): it requires \(needs)",
      hints: ["set default values with: oppi shortcuts edit \(name.text)"]
    )
  }

  /// The user declined.
  static let notScheduled = OppiError(
    .interrupted,
    "not scheduled",
    hints: ["nothing was written"]
  )
}

extension ScheduleWish.Trigger {
  fileprivate var option: String {
    switch self {
    case .cron: "--cron"
    case .every: "--every"
    case .at: "--at"
    }
  }
}

extension CronLimit {
  fileprivate func reason(for name: ShortcutName) -> String {
    switch self {
    case .oneTime:
      "cron cannot run one-time jobs; use at(1) with 'oppi run \(name.text)', or systemd"
    case .missedRuns: "cron does not run missed jobs; --missed once requires systemd"
    case .otherZone(let zone):
      "cron uses this machine's time zone; --tz \(zone) requires systemd"
    case .localZone(let zone):
      "cron uses this machine's time zone (\(zone)) and ignores TZ; use systemd, or unset TZ"
    }
  }
}
