// SPDX-License-Identifier: MIT

package import OppiModel

/// Why a schedule cannot be made, changed or run.
package enum SchedulingError: Error {
  /// The shortcut has no schedule.
  case noSchedule(ShortcutName)
  case alreadyScheduled(ShortcutName)
  /// A trigger that is not a schedule.
  case badTrigger(ScheduleWish.Trigger, ScheduleError)
  case unknownZone(String)
  /// The named shortcut's schedule is not for cron.
  case notForCron(CronLimit, ShortcutName)
  case neverDue
  /// The moment of the trigger, as the user wrote it, is over.
  case inThePast(String)
  /// The jitter is as long as the time between two runs.
  case jitterTooLong
  /// No scheduler can call a program at this path.
  case unusableProgram(path: String)
  case noUserManager
  /// A unit's file was changed since this program wrote it.
  case changedUnit(path: String)
  /// A unit's file was not written by this program.
  case foreignUnit(path: String)
  /// This program's lines in the crontab were broken by hand.
  case brokenCrontab(ScheduleError)
  /// A run of the shortcut is active.
  case stillRunning(ShortcutName)
  /// The server did not say whether the session of the previous run is at work.
  case sessionStateUnknown(because: any Error)
}
