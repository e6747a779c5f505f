// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Why a schedule cannot be created, changed or run.
enum SchedulingError: Error {
  case noSchedule(ShortcutName)
  case alreadyScheduled(ShortcutName)
  case badTrigger(ScheduleWish.Trigger, ScheduleError)
  case unknownZone(String)
  /// Cron cannot express the shortcut's schedule.
  case notForCron(CronLimit, ShortcutName)
  case neverDue
  /// The time of the trigger, as the user wrote it, is in the past.
  case inThePast(String)
  /// The jitter is at least the time between two runs.
  case jitterTooLong
  /// Schedulers cannot start a program at this path.
  case unusableProgram(path: String)
  case noUserManager
  /// A unit file was changed since this program wrote it.
  case changedUnit(path: String)
  /// A unit file was not written by this program.
  case foreignUnit(path: String)
  /// The markers of this program's lines in the crontab were damaged.
  case brokenCrontab(ScheduleError)
  case stillRunning(ShortcutName)
  /// The server runs no schedules itself.
  case noServerSchedules(server: String)
  case noServerSchedule(name: String, server: String)
  case ambiguousServerSchedule(name: String, ids: [String])
  /// Another process runs the server's schedule.
  case requestRunning(name: String, server: String)
  /// The server has not confirmed the run, which may have started; a repeat has the same id.
  case runUnknown(name: String, server: String, because: IntentError?)
  /// The run could not start, for this reason of the server.
  case runFailed(name: String, server: String, reason: String?)
  /// The state of the previous run's session could not be determined.
  case sessionStateUnknown(because: any Error)
}

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

/// Failures of schedules that servers run themselves.
extension OppiError {
  init(onServer error: SchedulingError) {
    switch error {
    case .noServerSchedules(let server):
      self.init(.noSuchSchedule, "\(server) does not run schedules itself")
    case .noServerSchedule(let name, let server):
      self.init(
        .noSuchSchedule,
        "\(server) has no schedule '\(name.safeLine(limit: 120))'",
        hints: ["list the schedules with: oppi schedule list --all"]
      )
    case .ambiguousServerSchedule(let name, let ids):
      self.init(
        .ambiguousName,
        "'\(name.safeLine(limit: 120))' is ambiguous: it matches several schedules",
        hints: ["use one of the ids: \(ids.prefix(10).joined(separator: ", "))"]
      )
    case .requestRunning(let name, let server):
      self.init(.locked, "another command runs \(server)/\(name)", hints: ["retry later"])
    case .runFailed(let name, let server, let reason):
      let why = reason.map { ": \($0)" } ?? ""
      self.init(.promptRefused, "\(server) could not run \(name)\(why)")
    case .runUnknown(let name, let server, let cause):
      let why = cause.map { ": \(OppiError($0).message)" } ?? ""
      self.init(
        .deliveryUnknown,
        "\(server) has not confirmed the run of \(name)\(why)",
        hints: ["repeat the command: it finds this run, and starts no other"]
      )
    default: self.init(.bug, "unexpected error: \(error)".safeLine())
    }
  }
}
