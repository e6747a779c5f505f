// SPDX-License-Identifier: MIT

import Glibc
package import OppiModel
package import OppiText

/// Times in the user's time zone.
package enum LocalTime {
  /// The local time of day, in minutes since midnight.
  package static func minuteOfDay(at moment: Timestamp) -> Int {
    guard let fields = fields(at: moment) else { return moment.seconds / 60 % 1440 }
    return Int(fields.tm_hour) * 60 + Int(fields.tm_min)
  }

  /// The local date and time, as `Mon 2026-03-30 02:30:00 CEST`.
  package static func text(at moment: Timestamp) -> String {
    text(at: moment, as: "%a %Y-%m-%d %H:%M:%S %Z")
  }

  /// The local time, such as `14:32:10`, with the date if it is more than half a day from `now`.
  package static func text(of moment: Timestamp, seenAt now: Timestamp) -> String {
    text(at: moment, as: isNear(moment, to: now) ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S")
  }

  /// The same without seconds, such as `14:32`.
  package static func minute(of moment: Timestamp, seenAt now: Timestamp) -> String {
    text(at: moment, as: isNear(moment, to: now) ? "%H:%M" : "%Y-%m-%d %H:%M")
  }

  private static func isNear(_ moment: Timestamp, to now: Timestamp) -> Bool {
    let halfADay = 12 * 3600
    return abs(moment.seconds - now.seconds) < halfADay
  }

  /// The local date.
  package static func date(at moment: Timestamp) -> LocalDate {
    let text = text(at: moment, as: "%Y-%m-%d")
    // A year beyond 9999 has no such text.
    return LocalDate(String(text.prefix(10))) ?? .distant
  }

  private static func text(at moment: Timestamp, as format: String) -> String {
    var buffer = [CChar](repeating: 0, count: 100)
    // The program sets no locale, so this uses the C locale.
    guard var fields = fields(at: moment),
      strftime(&buffer, buffer.count, format, &fields) > 0
    else { return moment.iso8601 }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The local time in the numbers of cron's fields; `nil` if unknown.
  package static func clock(at moment: Timestamp) -> CronExpression.Clock? {
    fields(at: moment).map { fields in
      (
        minute: Int(fields.tm_min),
        hour: Int(fields.tm_hour),
        dayOfMonth: Int(fields.tm_mday),
        month: Int(fields.tm_mon) + 1,
        dayOfWeek: Int(fields.tm_wday)
      )
    }
  }

  private static func fields(at moment: Timestamp) -> tm? {
    var seconds = time_t(moment.seconds)
    var fields = tm()
    return localtime_r(&seconds, &fields) == nil ? nil : fields
  }

  /// The IANA name of this machine's time zone, or of `TZ`; `nil` if it has none, as for a rule.
  package static func zone(environment: [String: String]) -> String? {
    if let given = environment["TZ"], !given.isEmpty {
      let path = given.hasPrefix(":") ? String(given.dropFirst()) : given
      return name(in: path) ?? (path.contains { "/".contains($0) } ? checked(path) : short(path))
    }
    guard let path = realpath("/etc/localtime", nil) else { return "UTC" }
    defer { free(path) }
    return name(in: String(cString: path))
  }

  /// The part of a path after the `zoneinfo` folder.
  private static func name(in path: String) -> String? {
    path.firstRange(of: "/zoneinfo/").flatMap { checked(String(path[$0.upperBound...])) }
  }

  /// A zone of one word, such as `UTC`; `nil` for a rule such as `CET-1CEST`.
  private static func short(_ text: String) -> String? {
    text.contains { $0.isNumber || ",<>".contains($0) } ? nil : checked(text)
  }

  private static func checked(_ text: String) -> String? {
    for prefix in ["posix/", "right/"] where text.hasPrefix(prefix) {
      return checked(String(text.dropFirst(prefix.count)))
    }
    return TimeZoneName.isValid(text) ? text : nil
  }
}
