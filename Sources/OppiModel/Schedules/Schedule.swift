// SPDX-License-Identifier: MIT

package import OppiText

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
    calendar: [String] = [],
    cron: [String] = [],
    zone: String = ""
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

/// The trigger of a schedule, as the user wrote it.
package struct ScheduleTrigger: Sendable, Hashable {
  package enum Kind: String, Sendable {
    /// Five fields of crontab(5) or a nickname.
    case cron
    /// An interval, counted from midnight.
    case every
    /// Once, at a local date and time: `2026-12-24 18:00:00`.
    case at
  }

  package var kind: Kind
  package var text: String

  package init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }

  package static let shape = RecordShape(
    ScheduleTrigger(.cron, ""),
    [.required("kind", { $1(&$0.kind) }, .word), .required("text", { $1(&$0.text) }, .text)]
  )
}

/// The time given with `--at`, with its zone if it has one.
package struct WrittenMoment: Sendable, Hashable {
  package enum Zone: Sendable, Hashable {
    case unsaid
    /// This machine's, given as `local`.
    case local
    /// Given as an offset, which is subtracted from the clock.
    case utc
  }

  /// The date and time in its zone: `2026-12-24 18:00:00`.
  package let clock: String
  package let zone: Zone

  /// Parses `2026-12-24 18:00`, with or without seconds, with `T` or a space, followed by nothing,
  /// `Z`, an offset such as `+01:00`, `UTC` or `local`.
  package init(_ text: String) throws(ScheduleError) {
    let pattern =
      /(\d{4}-\d\d-\d\d)[T ]+(\d\d:\d\d)(:\d\d)?\s*(Z|UTC|local|[+-]\d\d:?\d\d)?/.ignoresCase()
    guard let match = try? pattern.wholeMatch(in: text),
      let moment = Timestamp(iso8601: "\(match.1)T\(match.2)\(match.3 ?? ":00")Z")
    else {
      throw ScheduleError(
        "expects a date and time such as '2026-12-24 18:00 local' or 2026-12-24T18:00+01:00"
      )
    }
    guard match.1 < "2200" else {
      throw ScheduleError("is too far in the future: systemd supports dates up to the year 2199")
    }
    switch match.4?.lowercased() {
    case nil: (clock, zone) = (moment.clock, .unsaid)
    case "local": (clock, zone) = (moment.clock, .local)
    case "z", "utc": (clock, zone) = (moment.clock, .utc)
    case let offset?:
      let digits = offset.dropFirst().filter { $0 != ":" }
      let (hours, minutes) = (Int(digits.prefix(2)) ?? 0, Int(digits.suffix(2)) ?? 0)
      guard hours <= 14, minutes < 60 else {
        throw ScheduleError("has an invalid offset '\(offset)' from UTC")
      }
      let seconds = (hours * 3600 + minutes * 60) * (offset.hasPrefix("-") ? -1 : 1)
      (clock, zone) = (moment.moved(by: .seconds(-seconds)).clock, .utc)
    }
  }
}

extension Timestamp {
  /// The date and time in UTC in the format of systemd.time(7): `2026-12-24 18:00:00`.
  package var clock: String { String(iso8601.replacing("T", with: " ").dropLast()) }
}

/// Checks of time zone names that need no database.
package enum TimeZoneName {
  /// Whether two names are the same zone, judging by the names alone: `UTC` is `Etc/UTC`.
  package static func areSame(_ one: String, _ other: String?) -> Bool {
    func plain(_ name: String) -> Substring {
      name.hasPrefix("Etc/") ? name.dropFirst("Etc/".count) : name[...]
    }
    return other.map { plain(one) == plain($0) } ?? false
  }

  /// Whether a text has the form of an IANA name: letters, digits and `_+-`, separated by slashes.
  package static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    return (1...60).contains(text.utf8.count) && text.first?.isLetter == true
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_+-".utf8.contains($0) }
      }
  }
}
