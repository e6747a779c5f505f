// SPDX-License-Identifier: MIT

/// How the recorded runs of a schedule ended.
///
/// Slots without a run do not count.
package struct ScheduleHealth: Sendable, Equatable {
  /// After this many failures in a row, the series is reported, and the schedule may be paused.
  package static let seriesLength = 3

  /// The number of runs that have ended.
  package let endedCount: Int
  package let successCount: Int
  /// The number of failures since the last success, and since the schedule was last enabled.
  package let failuresInARow: Int
  /// The average time of the runs that have ended; `nil` without any.
  package let averageTime: Duration?
  /// The sum of the known costs; `nil` if none is known.
  package let cost: Dollars?

  package init(_ runs: [ScheduleRun], enabledAt: Timestamp? = nil) {
    let ended = runs.filter { $0.isRun && $0.status != nil }
    endedCount = ended.count
    successCount = ended.count { $0.status == 0 }
    failuresInARow =
      ended.reversed().prefix { run in
        run.status != 0 && enabledAt.map { run.startedAt >= $0 } ?? true
      }.count
    let times = ended.compactMap { run in
      run.endedAt.map { max(0, $0.milliseconds - run.startedAt.milliseconds) }
    }
    averageTime = times.isEmpty ? nil : .milliseconds(times.reduce(0, +) / times.count)
    let costs = ended.compactMap(\.cost)
    cost = costs.isEmpty ? nil : costs.reduce(.zero, +)
  }
}

extension ScheduleRecord {
  package var health: ScheduleHealth { ScheduleHealth(runs, enabledAt: enabledAt) }
}
