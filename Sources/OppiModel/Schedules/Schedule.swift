// SPDX-License-Identifier: MIT

package struct Schedule: Sendable, Hashable {
  /// The program that starts the runs.
  package enum Backend: String, Sendable, CaseIterable {
    /// A timer of systemd's user manager.
    case systemd
    /// The user's crontab.
    case cron
  }

  /// What to do with runs that were due while the machine was off or asleep.
  package enum Missed: String, Sendable, CaseIterable {
    case skip
    /// Run once, however many were missed.
    case once
  }

  /// What to do with a run that is due while the previous one is still active.
  package enum Overlap: String, Sendable, CaseIterable {
    case skip
    /// Run it after the active one.
    case queue
  }

  /// The shortcut; each has at most one schedule.
  package internal(set) var name: String
  package var trigger: ScheduleTrigger
  /// The trigger as expressions of systemd.time(7), without a zone.
  package var calendar: [String]
  /// The trigger as cron expressions; empty if cron does not support it.
  package var cron: [String]
  /// The IANA name of the time zone of the expressions.
  package var zone: String
  package var missed = Missed.skip
  package var overlap = Overlap.skip
  /// The maximum random delay of a run, so that runs do not start at the same time.
  package var jitter = Duration.zero
  package var backend = Backend.systemd
  package var isEnabled = true
  /// Whether a series of failures disables it.
  package var pausesOnFailure = false
  /// Whether it was disabled together with all others, and is enabled together with them.
  package var isPausedWithAll = false

  package init(
    name: String,
    trigger: ScheduleTrigger,
    calendar: [String],
    cron: [String],
    zone: String
  ) {
    self.name = name
    self.trigger = trigger
    self.calendar = calendar
    self.cron = cron
    self.zone = zone
  }

  /// The outbox key of a slot, which ensures that its prompt is sent at most once.
  package func key(of slot: Timestamp) -> OutboxKey? { OutboxKey("\(name)@\(slot.iso8601)") }
}
