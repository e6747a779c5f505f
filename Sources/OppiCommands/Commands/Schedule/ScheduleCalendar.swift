// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiSystem

/// When schedules are due, as systemd reckons it, which knows of leap days and of clocks that change.
struct ScheduleCalendar {
  /// It reckons on this machine, in milliseconds.
  private static let limit = Duration.seconds(10)
  /// As many as are asked for at once, more than a record remembers.
  private static let pageSize = 60
  /// Of more than that so many are enough.
  static let fewest = 30

  let context: Context

  /// Returns the next moments at which a schedule is due.
  ///
  /// - Throws: `OppiError` where systemd-analyze is not there or does not take the schedule.
  func next(
    _ schedule: Schedule,
    after moment: Timestamp,
    count: Int
  ) async throws -> [CalendarElapses.Elapse] {
    let elapses = try await elapses(schedule, after: moment, count: count)
    return Array(elapses.known(outOf: count).elapses.prefix(count))
  }

  /// Returns the slots after one moment and up to another, in order; of many the last ones.
  func slots(
    of schedule: Schedule,
    after settled: Timestamp,
    upTo end: Timestamp
  ) async throws -> [Timestamp] {
    guard settled < end else { return [] }
    let all = try await page(schedule, after: settled, upTo: end)
    if all.isComplete { return all.slots }
    // After the one moment there are too many, after the other none: what is wanted is between.
    var (many, few) = (settled, end)
    var slots: [Timestamp] = []
    while slots.count < Self.fewest, few.milliseconds - many.milliseconds > 1000 {
      let middle = many.moved(by: .milliseconds((few.milliseconds - many.milliseconds) / 2))
      let page = try await page(schedule, after: middle, upTo: end)
      if page.isComplete { (few, slots) = (middle, page.slots) } else { many = middle }
    }
    return slots
  }

  /// Throws where there is no time zone of a name.
  func check(zone: String) async throws {
    guard TimeZoneName.isValid(zone) else { throw Self.noZone(zone) }
    let outcome = try await run(["--iterations=1", "*-*-* 00:00:00 \(zone)"], zone: "UTC")
    guard outcome.status == 0 else { throw Self.noZone(zone) }
  }

  private static func noZone(_ zone: String) -> OppiError {
    OppiError(
      .usage,
      "there is no time zone '\(zone.safeLine(limit: 60))'",
      hints: ["name one such as Europe/Berlin; see them with: timedatectl list-timezones"]
    )
  }

  // MARK: - Asking

  private func page(
    _ schedule: Schedule,
    after start: Timestamp,
    upTo end: Timestamp
  ) async throws -> (slots: [Timestamp], isComplete: Bool) {
    let count = Self.pageSize
    let found = try await elapses(schedule, after: start, count: count).known(outOf: count)
    let slots = found.elapses.map(\.moment).filter { $0 <= end }
    return (slots, found.isComplete || slots.count < found.elapses.count)
  }

  private func elapses(
    _ schedule: Schedule,
    after moment: Timestamp,
    count: Int
  ) async throws -> CalendarElapses {
    let options = ["--iterations=\(count)", "--base-time=\(moment.clock) UTC", "--"]
    let outcome = try await run(options + schedule.calendar, zone: schedule.zone)
    guard outcome.status == 0 else {
      let words = String(decoding: outcome.errors, as: UTF8.self).safeLine()
      throw OppiError(.noScheduler, "systemd-analyze does not take the schedule: \(words)")
    }
    return CalendarElapses(output: String(decoding: outcome.output, as: UTF8.self))
  }

  private func run(_ words: [String], zone: String) async throws -> ChildProcess.Outcome {
    // With the zone in TZ it reckons in this one process, and tells what clocks show there.
    try await context.outcome(
      of: ["systemd-analyze", "calendar"] + words,
      variables: ["TZ": zone],
      within: Self.limit
    )
  }
}

extension Context {
  /// Runs another program that does not take long, in the C locale.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - variables: More of its environment.
  ///   - limit: How long it may take.
  ///   - input: What it reads.
  /// - Returns: What it said and how it ended.
  /// - Throws: `OppiError` where it is not there or does not end.
  func outcome(
    of words: [String],
    variables: [String: String] = [:],
    within limit: Duration,
    input: [UInt8] = []
  ) async throws(OppiError) -> ChildProcess.Outcome {
    let name = words[0]
    guard intents.programs.has(name) else {
      throw OppiError(.noScheduler, "there is no \(name) on this machine")
    }
    var process = ChildProcess(arguments: words)
    process.environment = intents.environment.merging(variables) { $1 }.merging(["LC_ALL": "C"]) {
      $1
    }
    process.input = input
    process.errors = .collected
    do throws(ChildProcess.Failure) {
      return try await intents.programs.run(
        process,
        on: intents.loop,
        until: intents.loop.now + limit
      )
    } catch {
      switch error {
      case .cannotStart(let cause): throw OppiError(.noScheduler, "cannot start \(name): \(cause)")
      case .timedOut: throw OppiError(.noScheduler, "\(name) does not answer")
      case .tooMuchOutput: throw OppiError(.noScheduler, "\(name) says too much")
      case .cancelled: throw OppiError(.interrupted, "interrupted")
      }
    }
  }
}
