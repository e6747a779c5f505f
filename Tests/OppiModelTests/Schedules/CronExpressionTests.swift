// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("CronExpression")
struct CronExpressionTests {
  @Test(
    "a cron expression is translated to systemd and to normalized cron",
    arguments: [
      ("0 9 * * 1-5", ["Mon..Fri *-*-* 09:00:00"], "0 9 * * 1-5"),
      ("*/30 * * * *", ["*-*-* *:00,30:00"], "*/30 * * * *"),
      ("5-59/20 0-6,22,23 * * *", ["*-*-* 00..06,22,23:05,25,45:00"], "5,25,45 0-6,22,23 * * *"),
      ("30 2 1 jan-mar *", ["*-01..03-01 02:30:00"], "30 2 1 1-3 *"),
      ("0 0 * * SUN", ["Sun *-*-* 00:00:00"], "0 0 * * 0"),
      ("0 0 * * 7", ["Sun *-*-* 00:00:00"], "0 0 * * 0"),
      ("0 0 * * fri-sun", ["Fri..Sun *-*-* 00:00:00"], "0 0 * * 0,5,6"),
      ("0 0 * * sun,wed", ["Wed,Sun *-*-* 00:00:00"], "0 0 * * 0,3"),
      ("0 9 * * 0-0", ["Sun *-*-* 09:00:00"], "0 9 * * 0"),
      ("0 9 * * sun-sun", ["Sun *-*-* 09:00:00"], "0 9 * * 0"),
      ("0 9 * * 7-7", ["Sun *-*-* 09:00:00"], "0 9 * * 0"),
      ("0 9 * * 0-7", ["*-*-* 09:00:00"], "0 9 * * 0-6"),
      ("0 9 * * 6-0", ["Sat,Sun *-*-* 09:00:00"], "0 9 * * 0,6"),
      ("@daily", ["*-*-* 00:00:00"], "0 0 * * *"),
      ("@HOURLY", ["*-*-* *:00:00"], "0 * * * *"),
      ("@weekly", ["Sun *-*-* 00:00:00"], "0 0 * * 0"),
      ("@yearly", ["*-01-01 00:00:00"], "0 0 1 1 *"),
      ("@annually", ["*-01-01 00:00:00"], "0 0 1 1 *"),
      ("@monthly", ["*-*-01 00:00:00"], "0 0 1 * *"),
      ("@midnight", ["*-*-* 00:00:00"], "0 0 * * *"),
      ("  0\t9  * * * ", ["*-*-* 09:00:00"], "0 9 * * *"),
      ("0-59 0-23 * * *", ["*-*-* *:*:00"], "* * * * *"),
    ]
  )
  func translates(text: String, calendar: [String], cron: String) throws {
    let expression = try CronExpression(text)
    #expect(expression.calendar == calendar)
    #expect(expression.cronText == cron)
    #expect(try CronExpression(cron) == CronExpression(expression.cronText))
  }

  @Test(
    "a range of weekdays contains the days from its start to its end",
    arguments: 0...7,
    0...7
  )
  func weekdays(first: Int, last: Int) throws {
    let text = "0 9 * * \(first)-\(last)"
    let end = first > 0 && last == 0 ? 7 : last
    guard first <= end else {
      #expect(throws: ScheduleError.self) { try CronExpression(text) }
      return
    }
    let expression = try CronExpression(text)
    for written in [expression, try CronExpression(expression.cronText)] {
      let days = (0...6).filter { day in
        written.matches((minute: 0, hour: 9, dayOfMonth: 3, month: 3, dayOfWeek: day))
      }
      #expect(days == Set((first...end).map { $0 % 7 }).sorted())
      #expect(written.calendar == expression.calendar)
    }
  }

  @Test("if both day fields are restricted, either is sufficient")
  func eitherDay() throws {
    #expect(
      try CronExpression("0 0 13 * 5").calendar
        == ["*-*-13 00:00:00", "Fri *-*-* 00:00:00"]
    )
    // A field that lists all values matches every day.
    #expect(try CronExpression("0 0 13 * 0-6").calendar == ["*-*-* 00:00:00"])
    // A star with a step is not a restriction, and then both fields must match.
    #expect(
      try CronExpression("0 0 */10 * 5").calendar == ["Fri *-*-01,11,21,31 00:00:00"]
    )
    #expect(try CronExpression("0 0 */10 * 5").cronText == "0 0 */10 * 5")
    // A full list without a star matches every day, and the other field adds no restriction.
    for (text, cron) in [
      ("0 0 1-31 * 1", "0 0 1-31 * 1"), ("0 0 1 * sun-sat", "0 0 1 * 0-6"),
      ("0 0 1-31/1 * 1", "0 0 1-31 * 1"), ("0-59 0-23 */1 1-12 *", "* * * * *"),
    ] {
      let expression = try CronExpression(text)
      #expect(expression.cronText == cron)
      #expect(try CronExpression(cron).calendar == expression.calendar)
    }
    // The same holds for a list; its cron text keeps a star.
    let list = try CronExpression("0 0 */10,5 * 5")
    #expect(list.calendar == ["Fri *-*-01,05,11,21,31 00:00:00"])
    #expect(list.cronText == "0 0 */31,1,5,11,21,31 * 5")
    #expect(try CronExpression(list.cronText).calendar == list.calendar)
    #expect(try CronExpression("0 0 13 * */7").cronText == "0 0 13 * */7")
    #expect(try CronExpression("0 0 13 * */7").calendar == ["Sun *-*-13 00:00:00"])
    #expect(try CronExpression("0 0 1 * */2").calendar == ["Tue,Thu,Sat,Sun *-*-01 00:00:00"])
  }

  @Test("an expression matches if each field matches, with either kind of day")
  func matches() throws {
    func clock(_ day: Int, weekday: Int, _ hour: Int = 9, _ minute: Int = 0) -> CronExpression.Clock
    {
      (minute: minute, hour: hour, dayOfMonth: day, month: 3, dayOfWeek: weekday)
    }
    let either = try CronExpression("0 9 13 3 fri")
    #expect(either.matches(clock(13, weekday: 1)) && either.matches(clock(1, weekday: 5)))
    #expect(!either.matches(clock(1, weekday: 1)) && !either.matches(clock(13, weekday: 5, 10)))
    #expect(!either.matches(clock(13, weekday: 5, 9, 1)))
    let both = try CronExpression("0 9 */2 * 7")
    #expect(both.matches(clock(3, weekday: 0)))
    #expect(!both.matches(clock(3, weekday: 1)) && !both.matches(clock(4, weekday: 0)))
    #expect(try !CronExpression("0 9 * 4 *").matches(clock(3, weekday: 0)))
  }

  @Test(
    "an invalid cron expression is rejected with its cause",
    arguments: [
      ("0 9 * *", "five fields"), ("", "five fields"), ("0 0 9 * * *", "seconds are not supported"),
      ("60 * * * *", "not a valid minute"), ("* 24 * * *", "not a valid hour"),
      ("* * 0 * *", "day of the month"),
      ("* * * 13 *", "not a valid month"), ("* * * * 8", "day of the week"),
      ("5-1 * * * *", "not a valid minute"),
      ("*/0 * * * *", "not a valid minute"), ("*/61 * * * *", "not a valid minute"),
      ("5/10 * * * *", "not a valid minute"),
      ("1, * * * *", "not a valid minute"), ("1--2 * * * *", "not a valid minute"),
      ("-1 * * * *", "not a valid minute"),
      ("+1 * * * *", "not a valid minute"), ("* * L * *", "day of the month"),
      ("* * * foo *", "not a valid month"),
      ("* * * * mon#1", "day of the week"), ("@reboot", "@reboot is not supported"),
      ("@never", "supported: @annually"), ("٣ * * * *", "not a valid minute"),
      ("001 * * * *", "not a valid minute"),
    ]
  )
  func refuses(text: String, words: String) {
    let error = #expect(throws: ScheduleError.self) { try CronExpression(text) }
    #expect(error?.message.contains(words) == true, "\(String(describing: error))")
  }

  @Test("each month and each day of the week has its name")
  func names() throws {
    let months = [
      "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    for (index, name) in months.enumerated() {
      #expect(try CronExpression("0 0 1 \(name) *").cronText == "0 0 1 \(index + 1) *")
    }
    let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    for (index, name) in days.enumerated() {
      #expect(try CronExpression("0 0 * * \(name)").cronText == "0 0 * * \(index)")
    }
  }

  @Test("an interval must divide an hour or a day evenly")
  func every() throws {
    func cron(_ minutes: Int64) throws -> [String] {
      try CronExpression.every(.seconds(minutes * 60)).map(\.cronText)
    }
    #expect(try cron(1) == ["* * * * *"])
    #expect(try cron(30) == ["*/30 * * * *"])
    #expect(try cron(60) == ["0 * * * *"])
    #expect(try cron(120) == ["0 0,2,4,6,8,10,12,14,16,18,20,22 * * *"])
    #expect(try cron(1440) == ["0 0 * * *"])
    #expect(
      try cron(90) == ["0 0,3,6,9,12,15,18,21 * * *", "30 1,4,7,10,13,16,19,22 * * *"]
    )
    // Every divisor of a day needs at most 20 expressions.
    for minutes in 1...1440 where 1440 % minutes == 0 {
      let count = try CronExpression.every(.seconds(Int64(minutes) * 60)).count
      #expect(count <= 20, "\(minutes)")
    }
    for wrong in [Duration.zero, .seconds(30), .seconds(90), .seconds(7 * 60), .seconds(48 * 3600)]
    {
      #expect(throws: ScheduleError.self, "\(wrong)") { try CronExpression.every(wrong) }
    }
  }
}

@Suite("WrittenMoment")
struct WrittenMomentTests {
  @Test(
    "a moment is a date, a time and an optional zone; one with an offset is converted to UTC",
    arguments: [
      ("2026-12-24 18:00", "2026-12-24 18:00:00", WrittenMoment.Zone.unsaid),
      ("2026-12-24T18:00:30", "2026-12-24 18:00:30", .unsaid),
      ("2026-12-24 18:00 local", "2026-12-24 18:00:00", .local),
      ("2026-12-24T18:00Z", "2026-12-24 18:00:00", .utc),
      ("2026-12-24T18:00+01:00", "2026-12-24 17:00:00", .utc),
      ("2026-12-24T00:30+01:00", "2026-12-23 23:30:00", .utc),
      ("2026-12-24 18:00 -0530", "2026-12-24 23:30:00", .utc),
      ("2026-12-24 18:00+14:00", "2026-12-24 04:00:00", .utc),
      ("2026-12-24 18:00 utc", "2026-12-24 18:00:00", .utc),
    ]
  )
  func reads(text: String, clock: String, zone: WrittenMoment.Zone) throws {
    let moment = try WrittenMoment(text)
    #expect(moment.clock == clock && moment.zone == zone)
  }

  @Test(
    "any other text is rejected",
    arguments: [
      "", "tomorrow", "18:00", "2026-13-01 00:00Z", "2026-02-30 00:00", "2026-12-24",
      "2026-12-24 24:00", "2026-12-24 18:00 CET", "2026-12-24 18:00 +25:00",
      "2026-12-24 18:00 +01:60", "2026-12-24 18:00 +15:00", "x2026-12-24 18:00",
    ]
  )
  func refuses(text: String) {
    #expect(throws: ScheduleError.self) { try WrittenMoment(text) }
  }

  @Test("zone names are validated by their form")
  func zones() {
    for name in ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+1"] {
      #expect(TimeZoneName.isValid(name), "\(name)")
    }
    for name in ["", "/UTC", "Europe//Berlin", "../x", "a b", "1x", "X/", "x\ny", "ä"] {
      #expect(!TimeZoneName.isValid(name), "\(name)")
    }
  }
}
