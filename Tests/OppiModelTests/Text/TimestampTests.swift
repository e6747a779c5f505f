// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct TimestampTests {
  @Test(
    "moments are formatted as RFC 3339 and parsed",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (1_795_220_685, "2026-11-21T00:24:45Z"), (4_102_444_799, "2099-12-31T23:59:59Z"),
      (-1, "1969-12-31T23:59:59Z"), (68_169_600, "1972-02-29T00:00:00Z"),
    ]
  )
  func iso8601(seconds: Int, text: String) {
    #expect(Timestamp(seconds: seconds).iso8601 == text)
    #expect(Timestamp(iso8601: text)?.seconds == seconds)
  }

  @Test(
    "other forms and impossible dates are rejected",
    arguments: [
      "", "2026-11-21", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-21T00:24:45", "x",
      "0000-12-31T23:59:59Z", "10000-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
      "9223372036854775807-01-01T00:00:00Z", "2026-11-21T9223372036854775807:00:00Z",
    ]
  )
  func refuses(text: String) {
    #expect(Timestamp(iso8601: text) == nil)
  }

  @Test(
    "moments outside the years 1 to 9999 are clamped",
    arguments: [
      (Int.min, "0001-01-01T00:00:00Z"), (-62_135_596_801, "0001-01-01T00:00:00Z"),
      (253_402_300_800, "9999-12-31T23:59:59Z"), (.max, "9999-12-31T23:59:59Z"),
    ]
  )
  func ends(seconds: Int, text: String) {
    #expect(Timestamp(seconds: seconds).iso8601 == text)
    #expect(Timestamp(iso8601: text)?.iso8601 == text)
    let (milliseconds, isOver) = seconds.multipliedReportingOverflow(by: 1000)
    #expect(isOver || Timestamp(milliseconds: milliseconds).iso8601 == text)
    #expect(Timestamp(timeOfDay: .seconds(seconds)).iso8601 == text)
  }

  @Test("milliseconds are rounded down to seconds, also before the epoch")
  func rounding() {
    #expect(Timestamp(milliseconds: 1999).seconds == 1)
    #expect(Timestamp(milliseconds: -1).seconds == -1)
  }
}
