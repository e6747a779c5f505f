// SPDX-License-Identifier: MIT

/// A moment in milliseconds, in UTC, within the years 1 to 9999.
///
/// Values out of range are clamped, so that two moments can always be subtracted and every moment
/// can be formatted.
package struct Timestamp: Sendable, Hashable, Comparable {
  private static let range = -62_135_596_800_000...253_402_300_799_999

  /// Milliseconds since the Unix epoch, the protocol's unit.
  package let milliseconds: Int

  package init(milliseconds: Int) {
    self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
  }

  package init(seconds: Int) {
    let (milliseconds, isOver) = seconds.multipliedReportingOverflow(by: 1000)
    self.init(milliseconds: isOver ? (seconds < 0 ? .min : .max) : milliseconds)
  }

  /// `timeOfDay` counts from the Unix epoch.
  package init(timeOfDay: Duration) { self.init(milliseconds: timeOfDay.milliseconds) }

  /// Whole seconds since the Unix epoch, rounded down.
  package var seconds: Int { (milliseconds - ((milliseconds % 1000) + 1000) % 1000) / 1000 }

  /// Returns the moment moved later, or earlier by a negative duration.
  package func moved(by duration: Duration) -> Timestamp {
    let (sum, isOver) = milliseconds.addingReportingOverflow(duration.milliseconds)
    return Timestamp(milliseconds: isOver ? (duration < .zero ? .min : .max) : sum)
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// RFC 3339 in UTC, to the second: `2026-11-21T00:24:45Z`.
  package var iso8601: String {
    let days = Int((Double(seconds) / 86_400).rounded(.down))
    let (year, month, day) = Self.date(ofDay: days)
    let time = seconds - days * 86_400
    let clock = [time / 3600, time / 60 % 60, time % 60].map { Self.padded($0, 2) }
    return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
      + "T\(clock.joined(separator: ":"))Z"
  }

  /// Parses the format of ``iso8601``; `nil` for any other.
  package init?(iso8601 text: String) {
    guard text.utf8.count == Self.length else { return nil }
    let fields = text.split { "-T:Z".contains($0) }.compactMap { Int($0) }
    guard fields.count == 6, text.hasSuffix("Z"), (1...12).contains(fields[1]) else { return nil }
    let days = Self.day(year: fields[0], month: fields[1], day: fields[2])
    self.init(seconds: days * 86_400 + fields[3] * 3600 + fields[4] * 60 + fields[5])
    guard iso8601 == text else { return nil }
  }

  private static let length = "2026-11-21T00:24:45Z".utf8.count

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// The days before each month of a year that begins in March, so that the leap day is last.
  private static func daysBefore(marchMonth month: Int) -> Int { (153 * month + 2) / 5 }

  /// Days from 1970-01-01 to a date of the proleptic Gregorian calendar.
  private static func day(year: Int, month: Int, day: Int) -> Int {
    let marchYear = month > 2 ? year : year - 1
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = daysBefore(marchMonth: (month + 9) % 12) + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    return (
      yearOfEra + era * 400 + (month >= 10 ? 1 : 0),
      month < 10 ? month + 3 : month - 9,
      dayOfYear - daysBefore(marchMonth: month) + 1
    )
  }
}
