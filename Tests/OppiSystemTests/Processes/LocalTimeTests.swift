// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiText
import Testing

/// Times in whatever zone the tests run.
@Suite struct LocalTimeTests {
  private static let now = Timestamp(seconds: 1_790_000_000)

  @Test(
    "the zone of TZ is a name or the path of its file, and no rule",
    arguments: [
      ("UTC", "UTC"), ("Europe/Berlin", "Europe/Berlin"), (":Asia/Tokyo", "Asia/Tokyo"),
      ("/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"), ("posix/Asia/Tokyo", "Asia/Tokyo"),
      ("/usr/share/zoneinfo/right/Asia/Tokyo", "Asia/Tokyo"), ("Etc/GMT-1", "Etc/GMT-1"),
      ("CET-1CEST", nil), ("<+03>-3", nil), ("/etc/zone", nil),
    ] as [(String, String?)]
  )
  func zone(variable: String, name: String?) {
    #expect(LocalTime.zone(environment: ["TZ": variable]) == name)
  }

  @Test("a time has its date from half a day on, before and after now")
  func near() {
    for sign in [-1, 1] {
      for (seconds, hasDate) in [(43_199, false), (43_200, true)] {
        let moment = Self.now.moved(by: .seconds(sign * seconds))
        #expect(LocalTime.text(of: moment, seenAt: Self.now).count == (hasDate ? 19 : 8))
        #expect(LocalTime.minute(of: moment, seenAt: Self.now).count == (hasDate ? 16 : 5))
      }
    }
  }

  @Test("the fields of cron are those of the date and of the time of day", arguments: [0, 40, 150])
  func clock(days: Int) throws {
    let moment = Self.now.moved(by: .seconds(days * 86_400))
    let clock = try #require(LocalTime.clock(at: moment))
    let date = LocalTime.date(at: moment).text.split(separator: "-").map { Int($0) }
    #expect(date.dropFirst() == [clock.month, clock.dayOfMonth])
    #expect(LocalTime.minuteOfDay(at: moment) == clock.hour * 60 + clock.minute)
  }
}
