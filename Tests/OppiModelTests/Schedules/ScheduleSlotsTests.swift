// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import Testing

/// The slots that cron has fired for, around daylight saving changes.
@Suite struct CronSlotsTests {
  /// 2026-10-25 01:00 UTC, when the clock of a zone two hours ahead of UTC changes.
  private static let change = 1_792_890_000

  private static func clock(_ moment: Timestamp, goingBackBy back: Int) -> CronExpression.Clock {
    let isChanged = moment.seconds >= change
    let shown = moment.moved(by: .seconds(7200 - (isChanged ? back : 0)))
    let text = shown.iso8601
    func number(_ start: Int) -> Int {
      Int(text.dropFirst(start).prefix(2)) ?? -1
    }
    return (
      minute: number(14),
      hour: number(11),
      dayOfMonth: number(8),
      month: number(5),
      dayOfWeek: (shown.seconds / 86_400 + 4) % 7
    )
  }

  private static func at(_ text: String) throws -> Timestamp {
    try #require(Timestamp(iso8601: "2026-10-\(text):00Z"))
  }

  private static func due(
    _ fields: String,
    after settled: String,
    at now: String,
    goingBackBy back: Int = 3600
  ) throws -> [String] {
    let expressions = [try CronExpression(fields)]
    return CronSlots.due(expressions, after: try at(settled), at: try at(now)) {
      clock($0, goingBackBy: back)
    }
    .map { String($0.iso8601.dropFirst(8).prefix(8)) }
  }

  @Test("the test clock is set back at 01:00 UTC")
  func change() throws {
    #expect(try Self.at("25T01:00").seconds == Self.change)
    #expect(Self.clock(try Self.at("25T00:30"), goingBackBy: 3600).hour == 2)
    let clocks = try ["25T00:30", "25T01:30"].map { Self.clock(try Self.at($0), goingBackBy: 3600) }
    #expect(clocks[0] == clocks[1])
  }

  private typealias Row = (fields: String, settled: String, now: String, back: Int, slots: [String])

  private static let rows: [Row] = [
    // A slot is due once, also if cron is three minutes late.
    ("0 9 * * *", "19T07:00", "20T07:00", 3600, ["20T07:00"]),
    ("0 9 * * *", "19T07:00", "20T07:03", 3600, ["20T07:00"]),
    ("0 9 * * *", "19T07:00", "20T07:04", 3600, ["20T07:00"]),
    ("0 9 * * *", "20T06:59", "20T07:00", 3600, ["20T07:00"]),
    // If no slot matches, cron uses another clock, and the current minute is the slot.
    ("0 9 * * *", "20T07:00", "20T07:03", 3600, ["20T07:03"]),
    // All slots after a gap are due, oldest first.
    ("0 9 * * *", "19T07:00", "22T07:00", 3600, ["20T07:00", "21T07:00", "22T07:00"]),
    // If cron is at most three minutes late, only the oldest slot is due.
    ("* * * * *", "20T07:00", "20T07:03", 3600, ["20T07:01"]),
    ("* * * * *", "20T06:59", "20T07:03", 3600, ["20T07:00"]),
    (
      "* * * * *", "20T06:59", "20T07:04", 3600,
      ["20T07:00", "20T07:01", "20T07:02", "20T07:03", "20T07:04"]
    ),
    // A slot in a repeated hour is due the first time only,
    ("30 2 * * *", "24T00:30", "25T00:30", 3600, ["25T00:30"]),
    ("30 2 * * *", "25T00:30", "25T01:30", 3600, []),
    ("30 2 * * *", "25T00:30", "25T01:31", 3600, []),
    ("30 2 * * *", "25T00:30", "25T01:33", 3600, []),
    ("30 2 * * *", "25T00:30", "26T01:30", 3600, ["26T01:30"]),
    // the second time if the first was missed, and is missed once.
    ("30 2 * * *", "24T00:30", "25T01:30", 3600, ["25T00:30", "25T01:30"]),
    ("30 2 * * *", "23T00:30", "26T01:30", 3600, ["24T00:30", "25T00:30", "26T01:30"]),
    // An hourly slot is due in both repeated hours.
    ("0 * * * *", "25T00:00", "25T01:00", 3600, ["25T01:00"]),
    ("30 * * * *", "25T00:30", "25T01:30", 3600, ["25T01:30"]),
    ("*/20 2 * * *", "25T00:40", "25T01:00", 3600, ["25T01:00"]),
    // A slot in a repeated half hour is due once.
    ("45 2 * * *", "24T00:45", "25T00:45", 1800, ["25T00:45"]),
    ("45 2 * * *", "25T00:45", "25T01:15", 1800, []),
    // A slot in a skipped hour is not due.
    ("30 3 * * *", "23T01:30", "26T00:30", -3600, ["24T01:30", "26T00:30"]),
  ]

  @Test("slots are due by the clock of the zone", arguments: rows.indices)
  func slots(index: Int) throws {
    let row = Self.rows[index]
    let due = try Self.due(row.fields, after: row.settled, at: row.now, goingBackBy: row.back)
    #expect(due == row.slots, "\(row)")
  }

  @Test("at most 50 slots of the last week are due")
  func limits() throws {
    let slots = try Self.due("0 9 * * *", after: "01T00:00", at: "20T07:00")
    #expect(slots.count == 7 && slots.first == "14T07:00", "\(slots)")
    #expect(try Self.due("* * * * *", after: "01T00:00", at: "20T07:00").count == 50)
  }
}

@Suite("CalendarElapses")
struct CalendarElapsesTests {
  private func moments(_ output: String, _ count: Int) -> (texts: [String], isComplete: Bool) {
    let known = CalendarElapses.read(output, outOf: count)
    return (known.elapses.map { "\($0.moment.iso8601) \($0.zoneText)" }, known.isComplete)
  }

  @Test("moments are in UTC, with the local time of the zone")
  func zone() {
    let output = """
      Normalized form: *-*-* 02:30:00
          Next elapse: Sun 2026-10-25 02:30:00 CEST
             (in UTC): Sun 2026-10-25 00:30:00 UTC
             From now: 4 weeks 0 days ago
             Iter. #2: Mon 2026-10-26 02:30:00 CET
             (in UTC): Mon 2026-10-26 01:30:00 UTC
             From now: 3 weeks 6 days ago
      """
    let (texts, isComplete) = moments(output, 3)
    #expect(
      texts == [
        "2026-10-25T00:30:00Z Sun 2026-10-25 02:30:00 CEST",
        "2026-10-26T01:30:00Z Mon 2026-10-26 02:30:00 CET",
      ]
    )
    #expect(isComplete)
    #expect(!moments(output, 2).isComplete)
  }

  @Test("a UTC zone has one line per moment")
  func utc() {
    let output = """
        Original form: 9:00
      Normalized form: *-*-* 09:00:00
          Next elapse: Thu 2026-01-01 09:00:00 UTC
             From now: 1 day left
      """
    #expect(moments(output, 2).texts == ["2026-01-01T09:00:00Z Thu 2026-01-01 09:00:00 UTC"])
  }

  @Test("output without a known moment gives no moments")
  func never() {
    #expect(moments("Normalized form: x\n    Next elapse: never\n", 2).texts.isEmpty)
    for text in [
      "", "Next elapse: Thu 2026-01-01 09:00:00 UTC", "garbage", "Normalized form: x\n(in UTC): x",
    ] {
      #expect(moments(text, 2).texts.isEmpty, "\(text)")
    }
  }

  @Test("several expressions give one list, up to the first unknown moment")
  func several() {
    func section(_ days: ClosedRange<Int>) -> String {
      var text = "Normalized form: x\n"
      for day in days {
        text +=
          "  \(day == days.lowerBound ? "Next elapse" : "Iter. #\(day)"): Fri 2026-01-0\(day) 00:00:00 UTC\n"
      }
      return text
    }
    let both = moments(section(1...2) + "\n" + section(2...3), 2)
    #expect(both.texts.map { $0.prefix(10) } == ["2026-01-01", "2026-01-02"])
    #expect(!both.isComplete)
    let all = moments(section(1...2) + "\n" + section(2...4), 4)
    #expect(
      all.texts.map { $0.prefix(10) } == ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]
    )
    #expect(all.isComplete)
  }
}
