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

  /// The age in whole seconds; 0 for a time in the future.
  package func age(at now: Timestamp) -> Int { max(0, (now.milliseconds - milliseconds) / 1000) }

  /// As ``age(at:)``; `nil` for a time clearly in the future: the clock was set back since.
  package func knownAge(at now: Timestamp) -> Int? {
    self <= now.moved(by: .seconds(60)) ? age(at: now) : nil
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// RFC 3339 in UTC, to the second: `2026-11-21T00:24:45Z`.
  package var iso8601: String {
    let days = Int((Double(seconds) / 86_400).rounded(.down))
    let (year, month, day) = Self.date(ofDay: days)
    let time = seconds - days * 86_400
    return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))T"
      + "\(Self.padded(time / 3600, 2)):\(Self.padded(time / 60 % 60, 2)):\(Self.padded(time % 60, 2))Z"
  }

  /// Parses the format of ``iso8601``; `nil` for any other.
  package init?(iso8601 text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == Self.format.count else { return nil }
    var fields = [0]
    for place in bytes.indices {
      let (byte, form) = (bytes[place], Self.format[place])
      if form == UInt8(ascii: "0") {
        guard byte.isASCIIDigit else { return nil }
        fields[fields.count - 1] = fields[fields.count - 1] * 10 + Int(byte - form)
      } else {
        guard byte == form else { return nil }
        fields.append(0)
      }
    }
    guard fields[0] > 0, (1...12).contains(fields[1]), fields[3] < 24, fields[4] < 60,
      fields[5] < 60
    else { return nil }
    let days = Self.day(year: fields[0], month: fields[1], day: fields[2])
    // Other days of the month do not exist.
    guard Self.date(ofDay: days) == (fields[0], fields[1], fields[2]) else { return nil }
    self.init(seconds: days * 86_400 + fields[3] * 3600 + fields[4] * 60 + fields[5])
  }

  private static let format = Array("0000-00-00T00:00:00Z".utf8)

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

extension Timestamp {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Parses the date of an HTTP message (IMF-fixdate of RFC 9110, section 5.6.7), for example
  /// `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for any other form.
  package init?(httpDate text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard text.utf8.count == 29, words.count == 6, words[5] == "GMT", words[0].hasSuffix(","),
      let month = Self.months.firstIndex(where: { $0 == words[2] })
    else { return nil }
    let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
    self.init(iso8601: "\(words[3])-\(number)-\(words[1])T\(words[4])Z")
  }
}

/// Compares a server's clock with this machine's.
package enum ClockOffset {
  /// How far a server's clock is ahead, by the date of its answer, which has whole seconds.
  ///
  /// Zero if the clocks may agree, so that the result does not vary from answer to answer.
  ///
  /// - Parameters:
  ///   - date: The date of the answer: the server's time, rounded down to a second.
  ///   - sentAt: When the request was sent, on this machine's clock.
  ///   - receivedAt: When the answer was received.
  /// - Returns: The difference.
  package static func estimate(
    date: Timestamp,
    sentAt: Timestamp,
    receivedAt: Timestamp
  ) -> Duration {
    let least = date.milliseconds.subtractingReportingOverflow(receivedAt.milliseconds).0
    let most = date.milliseconds.addingReportingOverflow(999).0
      .subtractingReportingOverflow(sentAt.milliseconds).0
    guard least > 0 || most < 0 else { return .zero }
    return .milliseconds(least / 2 + most / 2)
  }

  /// How far a server's clock is ahead, by its time at about half of the round trip.
  package static func estimate(
    serverTime: Int,
    sentAt: Timestamp,
    receivedAt: Timestamp
  ) -> Duration {
    let middle = sentAt.milliseconds + (receivedAt.milliseconds - sentAt.milliseconds) / 2
    return .milliseconds(serverTime.subtractingReportingOverflow(middle).0)
  }
}

/// A moment on two clocks of this machine: the time of day and the time since boot.
package struct MachineTime: Sendable, Hashable {
  /// May be set forward or back at any time.
  package var timeOfDay: Timestamp
  /// Cannot be set and continues while the machine sleeps; `nil` if it was not recorded.
  package var sinceBoot: Duration?

  /// Smaller corrections of a clock are ignored.
  private static let margin = Duration.seconds(5)

  package init(timeOfDay: Timestamp, sinceBoot: Duration? = nil) {
    self.timeOfDay = timeOfDay
    // Files store milliseconds.
    self.sinceBoot = sinceBoot.map { .milliseconds($0.milliseconds) }
  }

  /// Returns the moment moved later, or earlier by a negative duration.
  package func moved(by duration: Duration) -> MachineTime {
    MachineTime(
      timeOfDay: timeOfDay.moved(by: duration),
      sinceBoot: sinceBoot.map { $0 + duration }
    )
  }

  /// Returns an upper bound of the time since an earlier moment; `nil` if the time of day is before
  /// it.
  ///
  /// If both clocks agree, the machine was not restarted, and the greater of them is exact but for
  /// the speeds of clocks. The time of day alone is too short if it was set back by less than has
  /// passed. The time since boot is right unless the machine was restarted, and then the earlier
  /// moment was before its boot.
  package func elapsed(since earlier: MachineTime) -> Duration? {
    guard let shown = shown(since: earlier) else { return nil }
    guard let present = sinceBoot, let past = earlier.sinceBoot else { return shown + Self.margin }
    let difference = present - past
    // After a restart, the clocks would differ by more than the earlier moment was after its boot.
    if past > Self.margin * 2, difference >= .zero, shown <= difference + Self.margin,
      difference <= shown + Self.margin
    {
      let elapsed = max(shown, difference)
      return elapsed + elapsed / 1000 + .milliseconds(2)
    }
    return max(shown, present >= past ? difference : present) + Self.margin
  }

  /// Returns a lower bound of the time since an earlier moment; `nil` if either clock is before it,
  /// or shows nothing.
  ///
  /// The time of day alone is too long if it was set forward, the time since boot alone if another
  /// machine with the same home recorded the moment.
  package func leastElapsed(since earlier: MachineTime) -> Duration? {
    guard let present = sinceBoot, let past = earlier.sinceBoot, present >= past,
      let shown = shown(since: earlier)
    else { return nil }
    return min(shown, present - past)
  }

  /// The time since an earlier moment by the time of day; `nil` if that is before it.
  private func shown(since earlier: MachineTime) -> Duration? {
    guard timeOfDay >= earlier.timeOfDay else { return nil }
    return .milliseconds(timeOfDay.milliseconds - earlier.timeOfDay.milliseconds)
  }
}

extension Duration {
  /// Whole milliseconds, the protocol's unit, rounded towards zero and clamped.
  package var milliseconds: Int {
    let (seconds, attoseconds) = components
    let (whole, isOver) = Int(seconds).multipliedReportingOverflow(by: 1000)
    guard !isOver else { return seconds < 0 ? .min : .max }
    let (sum, isBeyond) = whole.addingReportingOverflow(Int(attoseconds / 1_000_000_000_000_000))
    return isBeyond ? (seconds < 0 ? .min : .max) : sum
  }
}
