// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import Testing

@Suite("ScheduleRecord")
struct ScheduleRecordTests {
  private let start = Timestamp(seconds: 1_800_000_000)

  private func at(_ seconds: Int) -> Timestamp { start.moved(by: .seconds(seconds)) }

  private var schedule: Schedule {
    var schedule = Schedule(
      name: "standup",
      trigger: ScheduleTrigger(.cron, "0 9 * * 1-5"),
      calendar: ["Mon..Fri *-*-* 09:00:00"],
      cron: ["0 9 * * 1-5"],
      zone: "Europe/Berlin"
    )
    schedule.missed = .once
    schedule.overlap = .queue
    schedule.jitter = .seconds(90)
    return schedule
  }

  @Test("a slot is claimed once, and no earlier slot after it")
  func claims() {
    var record = ScheduleRecord(schedule, at: start)
    let first = record.claim(at(60), at: at(61))
    let before = record
    let again = [start, at(30), at(60)].map { record.claim($0, at: at(62)) }
    #expect(first && again == [false, false, false] && record == before)
    let next = record.claim(at(120), at: at(121))
    #expect(next && record.settledUntil == at(120))
  }

  @Test("a manual run claims no slot")
  func byHand() {
    var record = ScheduleRecord(schedule, at: start)
    let manual = record.claim(nil, at: at(100))
    #expect(manual && record.settledUntil == start && record.runs.count == 1)
    let slot = record.claim(at(60), at: at(101))
    #expect(slot)
  }

  @Test("the result of a run is stored in that run")
  func finishes() {
    var record = ScheduleRecord(schedule, at: start)
    _ = record.claim(at(60), at: at(61))
    _ = record.claim(nil, at: at(62))
    record.finish(at(60), startedAt: at(61)) { run in
      run.state = "accepted"
      run.sessionID = "abc"
    }
    #expect(record.runs.map(\.state) == ["accepted", "running"])
    record.finish(at(99), startedAt: at(61)) { $0.state = "never" }
    #expect(record.runs.map(\.state) == ["accepted", "running"])
    record.endInterrupted()
    #expect(record.runs.map(\.state) == ["accepted", "interrupted"])
    // Of several manual runs, it is stored in the one that started then.
    for seconds in [70, 80] { _ = record.claim(nil, at: at(seconds)) }
    record.finish(nil, startedAt: at(70)) { $0.state = "started" }
    #expect(record.runs.map(\.state) == ["accepted", "interrupted", "started", "running"])
  }

  @Test("missed slots are settled but do not count as runs")
  func misses() {
    var record = ScheduleRecord(schedule, at: start)
    _ = record.claim(at(60), at: at(61), as: "accepted")
    record.pass(over: [at(120), at(180)], at: at(200), as: ScheduleRun.State.missed)
    record.finish(at(60), startedAt: at(61)) { $0.sessionID = "abc" }
    #expect(record.lastOutcome?.state == "missed" && record.lastInSession?.slot == at(60))
    let missed = record.claim(at(180), at: at(201))
    #expect(!missed)
  }

  @Test("an overtaken slot is skipped and recorded once")
  func overtaken() {
    var record = ScheduleRecord(schedule, at: start)
    record.noteOvertaken(at(60), at: at(61))
    #expect(record.runs.isEmpty, "no later slot was claimed")
    _ = record.claim(at(120), at: at(121))
    for _ in 0..<2 { record.noteOvertaken(at(60), at: at(130)) }
    record.noteOvertaken(at(120), at: at(130))
    #expect(record.runs.map(\.state) == ["running", "skipped"])
    #expect(record.settledUntil == at(120))
  }

  @Test("the last 50 runs are kept")
  func limits() {
    var record = ScheduleRecord(schedule, at: start)
    record.pass(over: (1...200).map { at($0 * 60) }, at: at(20_000), as: ScheduleRun.State.missed)
    #expect(record.runs.count == ScheduleRecord.limit)
    #expect(record.runs.last?.slot == at(12_000) && record.runs.first?.slot == at(9060))
  }

  @Test("slots before a schedule is added, enabled or replaced are not missed")
  func enables() {
    var record = ScheduleRecord(schedule, at: start)
    #expect(record.settled(at: start) == start)
    (record.schedule.isEnabled, record.isSeriesReported) = (false, true)
    record.enable(at: at(500))
    #expect(record.schedule.isEnabled && record.settledUntil == at(500))
    #expect(!record.isSeriesReported, "a series of failures is reported again")
    record.replace(with: schedule, at: at(900))
    #expect(record.settledUntil == at(900))
    // A clock that was set back does not release a claimed slot.
    record.enable(at: at(100))
    record.replace(with: schedule, at: at(100))
    #expect(record.settledUntil == at(900))
  }

  @Test("after the clock was ahead, no slot is skipped or released")
  func clockAhead() {
    var record = ScheduleRecord(schedule, at: start)
    let taken = [
      record.claim(at(3600), at: at(3600)), record.claim(at(1_000_000), at: at(1_000_001)),
    ]
    #expect(taken == [true, true] && record.settled(at: at(7200)) == at(3600))
    let later = [record.claim(at(3600), at: at(7200)), record.claim(at(7200), at: at(7200))]
    #expect(later == [false, true] && record.settledUntil == at(7200))
    // The slot in the future was claimed.
    let isFree = record.claim(at(1_000_000), at: at(1_000_000))
    #expect(!isFree)
    // A schedule created in the future is settled until 390 s ago.
    let new = ScheduleRecord(schedule, at: at(1_000_000))
    #expect(new.settled(at: at(7200)) == at(7200 - 390))
  }

  @Test("a paused schedule that is replaced begins anew, and another one keeps its failures")
  func replacedSeries() {
    for isEnabled in [false, true] {
      var record = ScheduleRecord(schedule, at: start)
      (record.schedule.isEnabled, record.isSeriesReported) = (isEnabled, true)
      record.replace(with: schedule, at: at(60))
      #expect(record.isSeriesReported == isEnabled)
      #expect(record.enabledAt == (isEnabled ? nil : at(60)))
    }
  }

  @Test("a success ends a reported series of failures, a skipped slot or a failure does not")
  func reportedSeries() {
    for (state, status, isReported) in [
      (ScheduleRun.State.skipped, 0, true), ("finished", 0, false), ("failed", 1, true),
    ] {
      var record = ScheduleRecord(schedule, at: start)
      record.isSeriesReported = true
      _ = record.claim(at(60), at: at(61))
      record.finish(at(60), startedAt: at(61)) { run in
        (run.state, run.status) = (state, status)
      }
      #expect(record.isSeriesReported == isReported, "\(state)")
    }
  }

  @Test("after the clock was ahead, the last run counts, and missed slots do not")
  func clockAheadWithRuns() {
    var record = ScheduleRecord(schedule, at: start)
    for seconds in [60, 120] { _ = record.claim(at(seconds), at: at(seconds)) }
    record.pass(over: [at(180), at(1_000_000)], at: at(1_000_001), as: ScheduleRun.State.missed)
    for now in [120, 600] { #expect(record.settled(at: at(now)) == at(120), "\(now)") }
  }

  @Test("a slot that was missed while the clock was ahead runs at its time")
  func missedAhead() {
    var record = ScheduleRecord(schedule, at: start)
    record.pass(over: [at(7200)], at: at(9000), as: ScheduleRun.State.missed)
    let taken = [record.claim(at(3600), at: at(3600)), record.claim(at(7200), at: at(7200))]
    #expect(taken == [true, true])
  }

  @Test("a run during which the clock was set back took no time")
  func negativeTime() {
    var record = ScheduleRecord(schedule, at: start)
    for (begin, end) in [(100, 40), (200, 210)] {
      _ = record.claim(nil, at: at(begin))
      record.finish(nil, startedAt: at(begin)) { run in
        (run.endedAt, run.state, run.status) = (at(end), "finished", 0)
      }
    }
    #expect(record.health.averageTime == .seconds(5))
  }

  @Test("a record survives a round trip")
  func roundTrip() {
    var record = ScheduleRecord(schedule, at: start)
    _ = record.claim(at(60), at: at(61))
    record.finish(at(60), startedAt: at(61)) { run in
      run.endedAt = at(70)
      run.state = "failed"
      run.sessionID = "Wq8sK2_d"
      run.status = 69
      run.error = "Can't reach studio"
    }
    _ = record.claim(nil, at: at(100))
    #expect(ScheduleRecord(json: record.json) == record)
    record.schedule.trigger = ScheduleTrigger(.at, "2026-12-24T18:00Z")
    record.schedule.isEnabled = false
    #expect(ScheduleRecord(json: record.json) == record)
  }

  @Test("an invalid record is rejected")
  func damaged() {
    let json = ScheduleRecord(schedule, at: start).json
    for name in (json.object ?? [:]).map(\.key) {
      var members = json.object ?? [:]
      members[name] = .string("x\n[Service]")
      guard name != "name" else { continue }
      #expect(ScheduleRecord(json: .object(members)) == nil, "\(name)")
    }
    let hostile = ["", "x\ny", "100%", "x$y", "* * * * * rm", String(repeating: "x", count: 501)]
    for (name, line) in hostile.flatMap({ [("calendar", $0), ("cron", $0), ("zone", $0)] }) {
      // This text is a valid calendar expression.
      if name == "calendar", line == "* * * * * rm" { continue }
      var members = json.object ?? [:]
      members[name] = name == "zone" ? .string(line) : .array([.string(line)])
      #expect(ScheduleRecord(json: .object(members)) == nil, "\(name): \(line)")
    }
  }

  @Test("a slot is part of the outbox key")
  func key() {
    #expect(schedule.key(of: start)?.text == "standup@2027-01-15T08:00:00Z")
  }
}

@Suite struct ScheduleHealthModelTests {
  private static let start = Timestamp(seconds: 1_795_687_200)

  /// A record with a run a second for each of these: its state, and its exit status.
  private static func health(
    _ runs: [(state: String, status: Int?)],
    enabledAfter seconds: Int? = nil
  ) -> ScheduleHealth {
    let schedule = Schedule(name: "s", trigger: ScheduleTrigger(.cron, "* * * * *"))
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

  @Test("a run that cost nothing has a known cost")
  func free() {
    let schedule = Schedule(name: "s", trigger: ScheduleTrigger(.cron, "* * * * *"))
    var record = ScheduleRecord(schedule, at: Self.start)
    _ = record.claim(nil, at: Self.start)
    record.finish(nil, startedAt: Self.start) { run in
      (run.state, run.status) = ("finished", 0)
      run.cost = Dollars.zero
    }
    #expect(record.health.cost == Dollars.zero)
  }
}
