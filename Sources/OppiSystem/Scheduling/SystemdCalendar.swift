// SPDX-License-Identifier: MIT

package import OppiModel

/// The calendar of systemd-analyze(1), which supports leap days and daylight saving time.
package struct SystemdCalendar: Sendable {
  /// It runs locally and takes milliseconds.
  private static let limit = Duration.seconds(10)

  private let tools: ToolRunner

  package init(tools: ToolRunner) {
    self.tools = tools
  }

  /// Returns whether a time zone exists.
  ///
  /// - Throws: `SchedulerError.tool`; `CancellationError`.
  package func hasZone(_ name: String) async throws -> Bool {
    guard TimeZoneName.isValid(name) else { return false }
    return try await run(["--iterations=1", "*-*-* 00:00:00 \(name)"], zone: "UTC").status == 0
  }

  /// Returns when the expressions of a schedule elapse next.
  ///
  /// - Parameters:
  ///   - schedule: The schedule.
  ///   - moment: The moment after which they elapse.
  ///   - count: The number of times to return per expression.
  /// - Returns: The known times.
  /// - Throws: `SchedulerError`; `CancellationError`.
  package func elapses(
    of schedule: Schedule,
    after moment: Timestamp,
    count: Int
  ) async throws -> CalendarElapses {
    let options = ["--iterations=\(count)", "--base-time=\(moment.clock) UTC", "--"]
    let outcome = try await run(options + schedule.calendar, zone: schedule.zone)
    guard outcome.status == 0 else { throw SchedulerError.calendarRejected(outcome.errorLine()) }
    return CalendarElapses(output: String(decoding: outcome.output, as: UTF8.self))
  }

  private func run(_ words: [String], zone: String) async throws -> ChildProcess.Outcome {
    // With the zone in TZ, it computes in its own process and prints local times of the zone.
    try await tools.runScheduler(
      ["systemd-analyze", "calendar"] + words,
      variables: ["TZ": zone],
      within: Self.limit
    )
  }
}
