// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

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
  static func noSchedule(_ name: ShortcutName) -> OppiError {
    OppiError(
      .noSuchSchedule,
      "shortcut \(name.text) has no schedule",
      hints: ["list the schedules with: oppi schedule"]
    )
  }

  static func alreadyScheduled(_ name: ShortcutName) -> OppiError {
    OppiError(
      .cannotCreate,
      "shortcut \(name.text) already has a schedule",
      hints: ["show it with: oppi schedule", "or add --replace"]
    )
  }

  static func badTrigger(_ trigger: ScheduleRequest.Trigger, _ cause: ScheduleError) -> OppiError {
    OppiError(.usage, "\(trigger.option) \(cause.message)")
  }

  static func unknownZone(_ zone: String) -> OppiError {
    OppiError(
      .usage,
      "no time zone '\(zone.safeLine(limit: 60))'",
      hints: ["list time zones with: timedatectl list-timezones"]
    )
  }

  /// Cron cannot express the shortcut's schedule.
  static func notForCron(_ limit: CronLimit, _ name: ShortcutName) -> OppiError {
    OppiError(.usage, limit.reason(for: name))
  }

  static let neverDue = OppiError(.usage, "the schedule never runs")

  /// The time of the trigger, as the user wrote it, is in the past.
  static func inThePast(_ moment: String) -> OppiError {
    OppiError(.usage, "--at \(moment.safeLine()) is in the past")
  }

  /// The jitter is at least the time between two runs.
  static let jitterTooLong = OppiError(
    .usage,
    "--jitter must be shorter than the time between two runs"
  )

  /// Schedulers cannot start a program at this path.
  static func timerCannotRun(path: String) -> OppiError {
    OppiError(
      .badInput,
      "a timer cannot run \(path.safeLine())",
      hints: ["install oppi in a folder without special characters in its path"]
    )
  }

  static let noUserManager = OppiError(
    .noScheduler,
    "the systemd user manager is not running",
    hints: [
      "use cron: --backend cron",
      "or enable the manager permanently: loginctl enable-linger",
    ]
  )

  /// A unit file was changed since this program wrote it.
  static func changedUnit(path: String) -> OppiError {
    OppiError(blocking: path, "was changed after oppi wrote it")
  }

  /// A unit file was not written by this program.
  static func foreignUnit(path: String) -> OppiError {
    OppiError(blocking: path, "was not written by oppi")
  }

  /// The markers of this program's lines in the crontab were damaged.
  static func brokenCrontab(_ cause: ScheduleError) -> OppiError {
    OppiError(
      .badConfiguration,
      "cannot change the crontab: \(cause.message)",
      hints: ["correct it with: crontab -e"]
    )
  }

  static func stillRunning(_ name: ShortcutName) -> OppiError {
    OppiError(
      .locked,
      "a run of \(name.text) is still active",
      hints: ["retry later"]
    )
  }

  /// The server runs no schedules itself.
  static func noServerSchedules(server: String) -> OppiError {
    OppiError(.noSuchSchedule, "\(server) does not run schedules itself")
  }

  static func noServerSchedule(name: String, server: String) -> OppiError {
    OppiError(
      .noSuchSchedule,
      "\(server) has no schedule '\(name.safeLine(limit: 120))'",
      hints: ["list the schedules with: oppi schedule list --all"]
    )
  }

  static func ambiguousServerSchedule(name: String, ids: [String]) -> OppiError {
    OppiError(
      .ambiguousName,
      "'\(name.safeLine(limit: 120))' is ambiguous: it matches several schedules",
      hints: ["use one of the ids: \(ids.prefix(10).joined(separator: ", "))"]
    )
  }

  /// Another process runs the server's schedule.
  static func serverScheduleRunning(name: String, server: String) -> OppiError {
    OppiError(.locked, "another command runs \(server)/\(name)", hints: ["retry later"])
  }

  /// The server has not confirmed the run, which may have started; a repeat has the same id.
  static func runUnknown(name: String, server: String, because cause: OppiError?) -> OppiError {
    let why = cause.map { ": \($0.message)" } ?? ""
    return OppiError(
      .deliveryUnknown,
      "\(server) has not confirmed the run of \(name)\(why)",
      hints: ["repeat the command: it finds this run, and starts no other"]
    )
  }

  /// The run could not start, for this reason of the server.
  static func runFailed(name: String, server: String, reason: String?) -> OppiError {
    let why = reason.map { ": \($0)" } ?? ""
    return OppiError(.promptRefused, "\(server) could not run \(name)\(why)")
  }

  /// The state of the previous run's session could not be determined.
  static func sessionStateUnknown(because cause: any Error) -> OppiError {
    var error = OppiError(cause)
    error.message =
      "could not check whether the session of the previous run is busy: \(error.message)"
    return error
  }

  private init(blocking path: String, _ reason: String) {
    self.init(
      .cannotCreate,
      "\(path.safeLine()) \(reason); not modified",
      hints: ["move it away first"]
    )
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

extension ScheduleRequest.Trigger {
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
