// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("CalendarElapses")
struct CalendarElapsesTests {
  private func moments(_ output: String, _ count: Int) -> (texts: [String], isComplete: Bool) {
    let known = CalendarElapses(output: output).known(outOf: count)
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
