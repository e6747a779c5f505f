// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

extension OppiError {
  init(_ error: SchedulerError) {
    let message =
      switch error {
      case .tool(.missing(let name)): "there is no \(name) on this machine"
      case .tool(.cannotStart(let name, let cause)): "cannot start \(name): \(cause)"
      case .tool(.timedOut(let name)): "\(name) does not answer"
      case .tool(.tooMuchOutput(let name)): "\(name) says too much"
      case .calendarRejected(let text): "systemd-analyze does not take the schedule: \(text)"
      case .unitsRejected(let text): "systemd does not take the timer: \(text)"
      case .systemctlFailed(let arguments, let text):
        "systemctl \(arguments.joined(separator: " ")) failed: \(text)"
      case .crontabUnreadable(let text): "crontab -l failed: \(text)"
      case .crontabRejected(let text): "cron does not take the crontab: \(text)"
      }
    self.init(.noScheduler, message)
  }

  init(_ error: SchedulingError) {
    switch error {
    case .noSchedule(let name):
      self.init(
        .noSuchSchedule,
        "the shortcut \(name.text) has no schedule",
        hints: ["see those that there are with: oppi schedule"]
      )
    case .alreadyScheduled(let name):
      self.init(
        .cannotCreate,
        "the shortcut \(name.text) has a schedule already",
        hints: ["see it with: oppi schedule", "or add --replace"]
      )
    case .stillRunning(let name):
      self.init(
        .locked,
        "a run of \(name.text) goes on already",
        hints: ["try again later"]
      )
    case .sessionStateUnknown(let cause):
      self.init(cause)
      message = "whether the session of the run before is at work is not known: \(message)"
    case .noUserManager, .changedUnit, .foreignUnit, .brokenCrontab, .unusableProgram:
      self.init(backend: error)
    case .badTrigger, .unknownZone, .notForCron, .neverDue, .inThePast, .jitterTooLong:
      self.init(wish: error)
    }
  }

  /// The backend cannot have the schedule.
  private init(backend error: SchedulingError) {
    switch error {
    case .noUserManager:
      self.init(
        .noScheduler,
        "no systemd user manager here",
        hints: [
          "let cron do it: --backend cron",
          "or have the manager run always: loginctl enable-linger",
        ]
      )
    case .changedUnit(let path): self.init(blocking: path, "was changed since oppi wrote it")
    case .foreignUnit(let path): self.init(blocking: path, "was not written by oppi")
    case .brokenCrontab(let cause):
      self.init(
        .badConfiguration,
        "the crontab cannot be changed: \(cause.message)",
        hints: ["put it right with: crontab -e"]
      )
    case .unusableProgram(let path):
      self.init(
        .badInput,
        "no timer can run a program at \(path.safeLine())",
        hints: ["install oppi in a folder with a plain name"]
      )
    default: self.init(.bug, "unexpected error: \(error)".safeLine())
    }
  }

  private init(blocking path: String, _ reason: String) {
    self.init(
      .cannotCreate,
      "\(path.safeLine()) \(reason), and is left alone",
      hints: ["move it away first"]
    )
  }

  /// What was asked for is no schedule.
  private init(wish error: SchedulingError) {
    switch error {
    case .badTrigger(let trigger, let cause):
      self.init(.usage, "\(trigger.option) \(cause.message)")
    case .unknownZone(let zone):
      self.init(
        .usage,
        "there is no time zone '\(zone.safeLine(limit: 60))'",
        hints: ["name one such as Europe/Berlin; see them with: timedatectl list-timezones"]
      )
    case .notForCron(let limit, let name): self.init(.usage, limit.reason(for: name))
    case .neverDue: self.init(.usage, "this never comes")
    case .inThePast(let moment):
      self.init(.usage, "--at \(moment.safeLine()) is in the past")
    case .jitterTooLong:
      self.init(.usage, "--jitter must be shorter than the time between two runs")
    default: self.init(.bug, "unexpected error: \(error)".safeLine())
    }
  }

  /// A shortcut that a timer cannot run, since it needs values or standard input.
  static func unschedulable(_ name: ShortcutName, needs: String) -> OppiError {
    OppiError(
      .badInput,
      "the shortcut \(name.text) needs \(needs), which no timer gives",
      hints: ["give it values of its own: oppi shortcuts edit \(name.text)"]
    )
  }

  /// A person has answered no.
  static let notScheduled = OppiError(
    .interrupted,
    "not scheduled",
    hints: ["nothing was written"]
  )
}

extension ScheduleWish.Trigger {
  /// The option that gives it.
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
    case .missedRuns: "cron does not run missed jobs, so --missed once needs systemd"
    case .otherZone(let zone):
      "cron goes by this machine's clocks, so --tz \(zone) needs systemd"
    case .localZone(let zone):
      "cron goes by this machine's clocks (\(zone)) and not by TZ; use systemd, or unset TZ"
    }
  }
}
