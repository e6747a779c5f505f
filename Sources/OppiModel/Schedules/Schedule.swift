// SPDX-License-Identifier: MIT

/// When a shortcut is run by itself, and by whom.
package struct Schedule: Sendable, Hashable {
  /// Who watches the clock.
  package enum Backend: String, Sendable, CaseIterable {
    /// A timer of systemd's user manager.
    case systemd
    /// The user's crontab.
    case cron
  }

  /// What becomes of a run whose time passed while the machine was off or asleep.
  package enum Missed: String, Sendable, CaseIterable {
    case skip
    /// However many were missed, one is made up for.
    case once
  }

  /// What becomes of a run whose time comes while the one before still goes on.
  package enum Overlap: String, Sendable, CaseIterable {
    case skip
    /// It comes after it.
    case queue
  }

  /// The shortcut, which has one schedule at most.
  package let name: String
  package var trigger: ScheduleTrigger
  /// The trigger as expressions of systemd.time(7) without a zone.
  package var calendar: [String]
  /// The same for cron; empty where cron cannot do it.
  package var cron: [String]
  /// Whose clocks the expressions are about, by its IANA name.
  package var zone: String
  package var missed = Missed.skip
  package var overlap = Overlap.skip
  /// By how much a run may be late on purpose, so that not all come at once.
  package var jitter = Duration.zero
  package var backend = Backend.systemd
  package var isEnabled = true

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

  /// The key under which a slot's prompt is sent once at most.
  package func key(of slot: Timestamp) -> OutboxKey? { OutboxKey("\(name)@\(slot.iso8601)") }
}
