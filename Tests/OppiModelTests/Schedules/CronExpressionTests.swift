// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("CronExpression")
struct CronExpressionTests {
  @Test(
    "an expression of cron is said as systemd says it, and again as cron does",
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
        written.matches(.init(minute: 0, hour: 9, dayOfMonth: 3, month: 3, dayOfWeek: day))
      }
      #expect(days == Set((first...end).map { $0 % 7 }).sorted())
      #expect(written.calendar == expression.calendar)
    }
  }

  @Test("where both kinds of days are restricted, either is enough")
  func eitherDay() throws {
    #expect(
      try CronExpression("0 0 13 * 5").calendar
        == ["*-*-13 00:00:00", "Fri *-*-* 00:00:00"]
    )
    // Restricted to all there are, it is met each day.
    #expect(try CronExpression("0 0 13 * 0-6").calendar == ["*-*-* 00:00:00"])
    // A star with a step does not count as a restriction, and then both are needed.
    #expect(
      try CronExpression("0 0 */10 * 5").calendar == ["Fri *-*-01,11,21,31 00:00:00"]
    )
    #expect(try CronExpression("0 0 */10 * 5").cronText == "0 0 */10 * 5")
    // All days without a star are met each day, and not those of the other field alone.
    for (text, cron) in [
      ("0 0 1-31 * 1", "0 0 1-31 * 1"), ("0 0 1 * sun-sat", "0 0 1 * 0-6"),
      ("0 0 1-31/1 * 1", "0 0 1-31 * 1"), ("0-59 0-23 */1 1-12 *", "* * * * *"),
    ] {
      let expression = try CronExpression(text)
      #expect(expression.cronText == cron)
      #expect(try CronExpression(cron).calendar == expression.calendar)
    }
    // ... also in a list, where cron is to take it so, too.
    let list = try CronExpression("0 0 */10,5 * 5")
    #expect(list.calendar == ["Fri *-*-01,05,11,21,31 00:00:00"])
    #expect(list.cronText == "0 0 */31,1,5,11,21,31 * 5")
    #expect(try CronExpression(list.cronText).calendar == list.calendar)
    #expect(try CronExpression("0 0 13 * */7").cronText == "0 0 13 * */7")
    #expect(try CronExpression("0 0 13 * */7").calendar == ["Sun *-*-13 00:00:00"])
    #expect(try CronExpression("0 0 1 * */2").calendar == ["Tue,Thu,Sat,Sun *-*-01 00:00:00"])
  }

  @Test("it is time when the clock shows a minute of each field, and a day of either kind")
  func matches() throws {
    func clock(_ day: Int, weekday: Int, _ hour: Int = 9, _ minute: Int = 0) -> CronExpression.Clock
    {
      .init(minute: minute, hour: hour, dayOfMonth: day, month: 3, dayOfWeek: weekday)
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
    "what is no expression of cron says what would be",
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

  @Test("a part of the hour or the day is every so often; anything else is refused")
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
    // All of them meet as many moments as there are parts of a day.
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
    "a moment is a date and time with what it says of its zone",
    arguments: [
      ("2026-12-24 18:00", "2026-12-24 18:00:00", WrittenMoment.Zone.unsaid),
      ("2026-12-24T18:00:30", "2026-12-24 18:00:30", .unsaid),
      ("2026-12-24 18:00 local", "2026-12-24 18:00:00", .local),
      ("2026-12-24T18:00Z", "2026-12-24 18:00:00", .offset(0)),
      ("2026-12-24T18:00+01:00", "2026-12-24 18:00:00", .offset(3600)),
      ("2026-12-24 18:00 -0530", "2026-12-24 18:00:00", .offset(-19_800)),
    ]
  )
  func reads(text: String, clock: String, zone: WrittenMoment.Zone) throws {
    let moment = try WrittenMoment(text)
    #expect(moment.clock == clock && moment.zone == zone)
  }

  @Test("an offset gives the time in UTC")
  func inUTC() throws {
    #expect(try WrittenMoment("2026-12-24T00:30+01:00").clockInUTC == "2026-12-23 23:30:00")
    #expect(try WrittenMoment("2026-12-24 18:00 -0530").clockInUTC == "2026-12-24 23:30:00")
    #expect(try WrittenMoment("2026-12-24 18:00").clockInUTC == nil)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "tomorrow", "18:00", "2026-13-01 00:00Z", "2026-02-30 00:00", "2026-12-24",
      "2026-12-24 24:00", "2026-12-24 18:00 CET", "2026-12-24 18:00 +25:00",
      "2026-12-24 18:00 +01:99", "x2026-12-24 18:00",
    ]
  )
  func refuses(text: String) {
    #expect(throws: ScheduleError.self) { try WrittenMoment(text) }
  }

  @Test("a zone's name has the form of one")
  func zones() {
    for name in ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+1"] {
      #expect(TimeZoneName.isValid(name), "\(name)")
    }
    for name in ["", "/UTC", "Europe//Berlin", "../x", "a b", "1x", "X/", "x\ny", "ä"] {
      #expect(!TimeZoneName.isValid(name), "\(name)")
    }
  }
}
