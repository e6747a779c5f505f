// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiText

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

  @Test("a moment that is moved too far is the last or the first one")
  func movedTooFar() {
    let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
    #expect(last.moved(by: .milliseconds(Int.max)) == last)
    #expect(first.moved(by: .milliseconds(Int.min)) == first)
  }

  @Test("a time up to a minute ahead has the age zero, a later one has none")
  func ahead() {
    let now = Timestamp(seconds: 0)
    #expect(Timestamp(seconds: 60).knownAge(at: now) == 0)
    #expect(Timestamp(milliseconds: 60_001).knownAge(at: now) == nil)
  }
}

@Suite("Timestamp(httpDate:)")
struct TimestampHTTPDateTests {
  @Test("the form of RFC 9110 is read")
  func reads() {
    let date = Timestamp(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(date?.iso8601 == "1994-11-06T08:49:37Z")
    #expect(Timestamp(httpDate: "Tue, 01 Sep 2026 00:00:00 GMT")?.iso8601 == "2026-09-01T00:00:00Z")
    #expect(Timestamp(httpDate: "Thu, 01 Oct 2026 00:00:00 GMT")?.iso8601 == "2026-10-01T00:00:00Z")
  }

  @Test(
    "other forms are rejected",
    arguments: [
      "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Xyz 1994 08:49:37 GMT",
      "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT  ",
    ]
  )
  func rejects(text: String) {
    #expect(Timestamp(httpDate: text) == nil)
  }
}

@Suite("ClockOffset")
struct ClockOffsetTests {
  private static func offset(date: Int, sent: Int, received: Int) -> Int {
    ClockOffset.estimate(
      date: Timestamp(milliseconds: date),
      sentAt: Timestamp(milliseconds: sent),
      receivedAt: Timestamp(milliseconds: received)
    ).milliseconds
  }

  @Test("clocks that may agree have no difference", arguments: [0, 1, 500, 999])
  func agree(fraction: Int) {
    #expect(Self.offset(date: 5000, sent: 5000 + fraction, received: 5000 + fraction) == 0)
  }

  @Test("a slow answer makes a larger difference possible")
  func slow() {
    #expect(Self.offset(date: 8000, sent: 5000, received: 8000) == 0)
    #expect(Self.offset(date: 8001, sent: 5000, received: 8000) != 0)
    #expect(Self.offset(date: 5000, sent: 5999, received: 9000) == 0)
    #expect(Self.offset(date: 5000, sent: 6000, received: 9000) != 0)
  }

  @Test("a difference is known to half a second")
  func differ() {
    #expect(Self.offset(date: 65_000, sent: 5000, received: 5000) == 60_499)
    #expect(Self.offset(date: 5000, sent: 65_000, received: 65_000) == -59_500)
  }

  @Test("a server's time is compared with the middle of the round trip")
  func middle() {
    let offset = ClockOffset.estimate(
      serverTime: 7000,
      sentAt: Timestamp(milliseconds: 5000),
      receivedAt: Timestamp(milliseconds: 6000)
    )
    #expect(offset == .milliseconds(1500))
  }

  @Test("extreme times do not trap", arguments: [Int.min, -1, 0, Int.max])
  func extreme(number: Int) {
    let far = Timestamp(milliseconds: number)
    for other in [Timestamp(milliseconds: .min), Timestamp(milliseconds: .max)] {
      _ = ClockOffset.estimate(date: far, sentAt: other, receivedAt: other)
      _ = ClockOffset.estimate(serverTime: number, sentAt: other, receivedAt: other)
    }
  }
}

/// Elapsed time by the adjustable clock and by the clock that starts at boot.
@Suite struct MachineTimeTests {
  private static let margin = 5
  private static let left = MachineTime(timeOfDay: .noon, sinceBoot: .seconds(1000))

  /// The elapsed time after 100 s in which the time of day was set by `jump` seconds.
  private static func elapsed(setBy jump: Int, restartedBefore: Int? = nil) -> Duration? {
    MachineTime(
      timeOfDay: .ago(-100 - jump),
      sinceBoot: .seconds(restartedBefore ?? 1100)
    )
    .elapsed(since: left)
  }

  @Test(
    "if both clocks agree, the elapsed time is the greater one without a margin",
    arguments: [
      (0, 100_102), (-1, 100_102), (-5, 100_102), (5, 105_107), (-6, 105_000), (6, 111_000),
    ]
  )
  func agreement(jump: Int, milliseconds: Int) {
    #expect(Self.elapsed(setBy: jump) == .milliseconds(milliseconds))
  }

  @Test("shortly after the boot, clocks that agree do not show that the machine was not restarted")
  func young() {
    for (uptime, expected) in [(10_000, 105_000), (10_001, 100_102)] {
      let left = MachineTime(timeOfDay: .noon, sinceBoot: .milliseconds(uptime))
      let now = MachineTime(timeOfDay: .ago(-100), sinceBoot: .milliseconds(uptime + 100_000))
      #expect(now.elapsed(since: left) == .milliseconds(expected), "\(uptime)")
    }
  }

  @Test(
    "the elapsed time follows the clock that shows more",
    arguments: [
      ("set back", -60, nil, 100),
      ("set back", -100, nil, 100), ("set back before the start, it is unknown", -101, nil, nil),
      ("set back before the start", -3600, nil, nil),
      ("set forward, it is too long", 50, nil, 150),
      ("after a restart it is at least the time since boot", 0, 20, 100),
      ("after a restart", -90, 20, 20),
    ] as [(String, Int, Int?, Int?)]
  )
  func jumps(rule: String, jump: Int, restart: Int?, seconds: Int?) {
    let expected = seconds.map { Duration.seconds($0 + Self.margin) }
    #expect(Self.elapsed(setBy: jump, restartedBefore: restart) == expected, "\(rule)")
  }

  @Test("the time of day is used if the time since boot is unknown")
  func timeOfDayAlone() {
    let left = MachineTime(timeOfDay: .noon)
    let now = MachineTime(timeOfDay: .ago(-7), sinceBoot: .seconds(9000))
    #expect(now.elapsed(since: left) == .seconds(7 + Self.margin))
    #expect(left.elapsed(since: now) == nil)
  }

  @Test("no elapsed time is zero")
  func same() {
    #expect(Self.left.elapsed(since: Self.left) == .milliseconds(2))
  }

  @Test("extreme moments do not overflow, and a moved moment moves both clocks")
  func extremes() {
    let ends = [Timestamp(milliseconds: .min), Timestamp(milliseconds: .max)]
    for (one, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
      let moment = MachineTime(timeOfDay: one, sinceBoot: .milliseconds(Int.max))
      let earlier = MachineTime(timeOfDay: other, sinceBoot: .milliseconds(Int.min))
      #expect((moment.elapsed(since: earlier) ?? .zero) >= .zero)
    }
    let moved = Self.left.moved(by: .seconds(-60))
    #expect(moved == MachineTime(timeOfDay: .ago(60), sinceBoot: .seconds(940)))
  }
}
