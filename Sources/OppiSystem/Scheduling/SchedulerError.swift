// SPDX-License-Identifier: MIT

import OppiModel

/// Why a scheduler of the machine, systemd or cron, did not do what it was asked for.
///
/// A text in a case is what the program wrote to standard error, as one line that is safe to show.
package enum SchedulerError: Error, Equatable {
  /// One of its programs did not run to its end.
  case tool(ToolError)
  /// systemd-analyze rejected a calendar expression.
  case calendarRejected(String)
  /// systemd-analyze found a fault in the units.
  case unitsRejected(String)
  /// systemctl failed with these arguments.
  case systemctlFailed(arguments: [String], String)
  case crontabUnreadable(String)
  case crontabRejected(String)
}

extension ToolRunner {
  /// Runs a program of a scheduler.
  ///
  /// - Throws: `SchedulerError.tool`; `CancellationError`.
  func runScheduler(
    _ words: [String],
    variables: [String: String] = [:],
    within limit: Duration
  ) async throws -> ChildProcess.Outcome {
    do {
      return try await run(words, variables: variables, within: limit)
    } catch let error as ToolError {
      throw SchedulerError.tool(error)
    }
  }
}

extension ChildProcess.Outcome {
  /// What the program wrote to standard error, as one line that is safe to show.
  func errorLine(limit: Int = 300) -> String {
    String(decoding: errors, as: UTF8.self).safeLine(limit: limit)
  }
}
