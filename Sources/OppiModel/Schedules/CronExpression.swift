// SPDX-License-Identifier: MIT

import OppiText

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
  package typealias Clock = (minute: Int, hour: Int, dayOfMonth: Int, month: Int, dayOfWeek: Int)

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

/// One field of a cron expression, by crontab(5).
struct CronField: Sendable, Hashable {
  struct Kind: Sendable, Hashable {
    /// The name in error messages.
    let name: String
    let range: ClosedRange<Int>
    /// Names of the numbers, from the lowest one up.
    var words: [String] = []

    static let minute = Kind(name: "minute", range: 0...59)
    static let hour = Kind(name: "hour", range: 0...23)
    static let dayOfMonth = Kind(name: "day of the month", range: 1...31)
    static let month = Kind(
      name: "month",
      range: 1...12,
      words: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    )
    /// From Sunday; 0 and 7 are both Sunday.
    static let dayOfWeek = Kind(
      name: "day of the week",
      range: 0...7,
      words: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    )

    func number(_ text: Substring) -> Int? {
      if let index = words.firstIndex(of: text.lowercased()) { return range.lowerBound + index }
      guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit) else {
        return nil
      }
      return Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// Sorted; Sunday is 0.
  let values: [Int]
  /// Whether the field begins with a star, which means that it does not restrict the days.
  let isStar: Bool
  private let kind: Kind

  /// Parses lists of numbers, names, ranges and steps.
  init(_ text: Substring, _ kind: Kind) throws(ScheduleError) {
    var values: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let numbers = Self.numbers(part, kind) else {
        throw ScheduleError(
          "'\(String(text).safeLine(limit: 40))' is not a valid \(kind.name): expects numbers from "
            + "\(kind.range.lowerBound) to \(kind.range.upperBound) as 1,2 or 1-5 or */2 or 1-9/2"
        )
      }
      values.formUnion(numbers)
    }
    if kind == .dayOfWeek, values.remove(7) != nil { values.insert(0) }
    self.values = values.sorted()
    isStar = text.hasPrefix("*")
    self.kind = kind
  }

  private static func numbers(_ part: Substring, _ kind: Kind) -> [Int]? {
    let pieces = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    var range = kind.range
    if kind == .dayOfWeek, pieces[0] == "*" { range = 0...6 }
    if pieces[0] != "*" {
      let ends = pieces[0].split(separator: "-", omittingEmptySubsequences: false)
      let numbers = ends.compactMap(kind.number)
      guard numbers.count == ends.count, (1...2).contains(ends.count) else { return nil }
      // A step needs a range.
      guard ends.count == 2 || pieces.count == 1 else { return nil }
      // In a range that ends with "sun" and begins on another day, Sunday is day 7.
      let endsWithSunday = kind == .dayOfWeek && numbers[0] > 0 && numbers.last == 0
      let last = endsWithSunday ? 7 : numbers.last
      guard let last, numbers[0] <= last else { return nil }
      range = numbers[0]...last
    }
    guard pieces.count == 2 else { return Array(range) }
    guard let step = Int(pieces[1]), (1...range.upperBound + 1).contains(step),
      pieces[1].utf8.allSatisfy(\.isASCIIDigit)
    else { return nil }
    return Array(stride(from: range.lowerBound, through: range.upperBound, by: step))
  }

  // MARK: - Output

  /// The valid numbers, with Sunday only once.
  private var all: ClosedRange<Int> { kind == .dayOfWeek ? 0...6 : kind.range }

  var isEvery: Bool { values.count == all.count }

  /// The field for cron, in numbers.
  var cronText: String {
    let isOfDays = kind == .dayOfMonth || kind == .dayOfWeek
    if isEvery {
      // Without a star, a list of all days is a restriction that accepts every day.
      return isStar || !isOfDays ? "*" : "\(all.lowerBound)-\(all.upperBound)"
    }
    if isStar, values.count > 1 {
      let step = values[1] - values[0]
      let steps = stride(from: all.lowerBound, through: all.upperBound, by: step)
      if values.elementsEqual(steps) { return "*/\(step)" }
    }
    let runs = Self.runs(of: values, range: "-") { String($0) }
    // The star marks the field as unrestricted; with this step it adds only the first day.
    guard isStar, isOfDays else { return runs }
    let first = "*/\(kind.range.upperBound)"
    return values.count == 1 ? first : "\(first),\(runs)"
  }

  func contains(_ number: Int) -> Bool { values.contains(number) }

  /// The field in the syntax of systemd.time(7), with two digits per number.
  var calendarText: String {
    isEvery ? "*" : Self.runs(of: values, range: "..") { $0 < 10 ? "0\($0)" : "\($0)" }
  }

  /// The days of the week in the syntax of systemd.time(7), from Monday.
  var weekdayText: String {
    let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let days = values.map { ($0 + 6) % 7 }.sorted()
    return Self.runs(of: days, range: "..") { names[$0] }
  }

  /// Joins the numbers; three or more consecutive ones become a range.
  private static func runs(of values: [Int], range: String, _ word: (Int) -> String) -> String {
    var parts: [String] = []
    var rest = values[...]
    while let first = rest.first {
      var count = 1
      while count < rest.count, rest[rest.startIndex + count] == first + count { count += 1 }
      let isRange = count > 2
      if !isRange { count = 1 }
      parts.append(isRange ? "\(word(first))\(range)\(word(first + count - 1))" : word(first))
      rest = rest.dropFirst(count)
    }
    return parts.joined(separator: ",")
  }
}

/// Why a schedule is invalid, with a suggestion.
package struct ScheduleError: Error, Equatable {
  package let message: String

  package init(_ message: String) { self.message = message }
}
