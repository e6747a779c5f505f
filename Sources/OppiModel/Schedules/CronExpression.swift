// SPDX-License-Identifier: MIT

/// A schedule in the five fields of crontab(5).
package struct CronExpression: Sendable, Hashable {
  let minute: CronField
  let hour: CronField
  private let dayOfMonth: CronField
  private let month: CronField
  private let dayOfWeek: CronField

  private static let nicknames = [
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0", "@daily": "0 0 * * *", "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
  ]

  /// Parses five fields, or a nickname such as `@daily`.
  package init(_ text: String) throws(ScheduleError) {
    let words = try Self.fields(of: text)
    minute = try CronField(words[0], .minute)
    hour = try CronField(words[1], .hour)
    dayOfMonth = try CronField(words[2], .dayOfMonth)
    month = try CronField(words[3], .month)
    dayOfWeek = try CronField(words[4], .dayOfWeek)
  }

  private static func fields(of text: String) throws(ScheduleError) -> [Substring] {
    let words = text.split(whereSeparator: \.isWhitespace)
    if words.count == 1, words[0].hasPrefix("@") {
      let nickname = words[0].lowercased()
      guard let fields = nicknames[nickname] else {
        throw ScheduleError(
          nickname == "@reboot"
            ? "@reboot is not supported; use a systemd unit"
            : "'\(nickname.safeLine(limit: 40))' is unknown; supported: "
              + nicknames.keys.sorted().joined(separator: ", ")
        )
      }
      return fields.split(separator: " ")
    }
    guard words.count == 5 else {
      throw ScheduleError(
        "expects five fields: minute, hour, day of the month, month, day of the week"
          + (words.count == 6 ? "; seconds are not supported" : "")
      )
    }
    return words
  }

  /// Returns the expressions of an interval, counted from midnight.
  ///
  /// - Throws: If the interval does not divide a day into equal parts of whole minutes, because the
  ///   times would differ from day to day.
  package static func every(_ interval: Duration) throws(ScheduleError) -> [CronExpression] {
    let seconds = interval.components.seconds
    let minutes = Int(clamping: seconds / 60)
    guard interval == .seconds(Int64(minutes) * 60), minutes > 0, 1440 % minutes == 0 else {
      throw ScheduleError(
        "expects an interval that divides an hour or a day evenly, such as 5m, 15m, 30m, 1h, "
          + "90m, 2h, 6h or 24h; use --cron for others"
      )
    }
    if 60 % minutes == 0, minutes < 60 { return [try CronExpression("*/\(minutes) * * * *")] }
    // Group the times by minute: one expression per minute of the hour.
    let times = stride(from: 0, to: 1440, by: minutes).map { $0 }
    var expressions: [CronExpression] = []
    for minute in Set(times.map { $0 % 60 }).sorted() {
      let hours = times.filter { $0 % 60 == minute }.map { String($0 / 60) }
      expressions.append(try CronExpression("\(minute) \(hours.joined(separator: ",")) * * *"))
    }
    return expressions
  }

  /// The expression for cron, without names and nicknames.
  package var cronText: String {
    [minute, hour, dayOfMonth, month, dayOfWeek].map(\.cronText).joined(separator: " ")
  }

  /// A local time in the numbers of the five fields; Sunday is 0.
  package struct Clock: Sendable, Hashable {
    package var minute: Int
    package var hour: Int
    package var dayOfMonth: Int
    package var month: Int
    package var dayOfWeek: Int

    package init(minute: Int, hour: Int, dayOfMonth: Int, month: Int, dayOfWeek: Int) {
      (self.minute, self.hour) = (minute, hour)
      (self.dayOfMonth, self.month, self.dayOfWeek) = (dayOfMonth, month, dayOfWeek)
    }
  }

  package func matches(_ clock: Clock) -> Bool {
    let isDay = dayOfMonth.contains(clock.dayOfMonth)
    let isWeekday = dayOfWeek.contains(clock.dayOfWeek)
    let isEitherEnough = !dayOfMonth.isStar && !dayOfWeek.isStar
    return minute.contains(clock.minute) && hour.contains(clock.hour) && month.contains(clock.month)
      && (isEitherEnough ? isDay || isWeekday : isDay && isWeekday)
  }

  /// The equivalent calendar expressions of systemd.time(7); a time that matches any of them
  /// counts.
  ///
  /// If both the day of the month and the day of the week are restricted, cron accepts either; a
  /// field that begins with a star does not count as restricted.
  package var calendar: [String] {
    let time = "\(hour.calendarText):\(minute.calendarText):00"
    let weekdays = dayOfWeek.isEvery ? "" : "\(dayOfWeek.weekdayText) "
    func line(_ weekdays: String, _ day: String) -> String {
      "\(weekdays)*-\(month.calendarText)-\(day) \(time)"
    }
    guard !dayOfMonth.isStar, !dayOfWeek.isStar else {
      return [line(weekdays, dayOfMonth.calendarText)]
    }
    // A field that lists all days accepts every day.
    if dayOfMonth.isEvery || dayOfWeek.isEvery { return [line("", "*")] }
    return [line("", dayOfMonth.calendarText), line(weekdays, "*")]
  }
}
