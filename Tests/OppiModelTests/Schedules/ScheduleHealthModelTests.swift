// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct ScheduleHealthModelTests {
  private static let start = Timestamp(seconds: 1_795_687_200)

  /// A record with a run a second for each of these: its state, and its exit status.
  private static func health(
    _ runs: [(state: String, status: Int?)],
    enabledAfter seconds: Int? = nil
  ) -> ScheduleHealth {
    let schedule = Schedule(
      name: "s",
      trigger: .cron("* * * * *"),
      calendar: [],
      cron: [],
      zone: "UTC"
    )
    var record = ScheduleRecord(schedule, at: start)
    for (index, run) in runs.enumerated() {
      let now = start.moved(by: .seconds(index + 1))
      _ = record.claim(nil, at: now)
      record.finish(nil, startedAt: now) {
        $0.state = run.state
        $0.status = run.status
        $0.endedAt = run.status == nil ? nil : now.moved(by: .seconds(index))
        $0.cost = run.status == 0 ? Dollars("0.5") : nil
      }
    }
    guard let seconds else { return record.health }
    return ScheduleHealth(record.runs, enabledAt: start.moved(by: .seconds(seconds)))
  }

  @Test("failures from before the schedule was enabled do not count, one at that moment does")
  func enabled() {
    let failures = [("failed", 1), ("failed", 1), ("failed", 1)] as [(String, Int?)]
    #expect(Self.health(failures, enabledAfter: 2).failuresInARow == 2)
    #expect(Self.health(failures, enabledAfter: 4).failuresInARow == 0)
  }

  @Test("only runs that have ended count")
  func counts() {
    let health = Self.health([
      ("finished", 0), ("skipped", 0), ("missed", nil), ("failed", 1), ("running", nil),
      ("interrupted", nil), ("failed", 69),
    ])
    #expect(health.endedCount == 3 && health.successCount == 1 && health.failuresInARow == 2)
    #expect(health.averageTime == .seconds(3) && health.cost?.text == "$0.50")
  }

  @Test("a success ends a series, a skipped slot does not")
  func series() {
    #expect(Self.health([("failed", 1), ("finished", 0)]).failuresInARow == 0)
    #expect(Self.health([("failed", 1), ("skipped", 0), ("failed", 1)]).failuresInARow == 2)
    #expect(Self.health([]).failuresInARow == 0)
  }

  @Test("without an ended run there is no average and no cost")
  func none() {
    let health = Self.health([("running", nil)])
    #expect(health.averageTime == nil && health.cost == nil && health.endedCount == 0)
  }
}
