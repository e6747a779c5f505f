// SPDX-License-Identifier: MIT

import OppiModel

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
