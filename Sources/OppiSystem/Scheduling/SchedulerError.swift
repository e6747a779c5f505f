// SPDX-License-Identifier: MIT

import OppiModel

/// Why systemd or cron failed.
///
/// Associated texts are the program's standard error, as one line that is safe to show.
package enum SchedulerError: Error, Equatable {
  /// A program did not run to its end.
  case tool(ToolError)
  /// systemd-analyze rejected a calendar expression.
  case calendarRejected(String)
  /// systemd-analyze found an error in the units.
  case unitsRejected(String)
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
    in folder: String? = nil,
    within limit: Duration
  ) async throws -> ChildProcess.Outcome {
    do {
      return try await run(words, variables: variables, in: folder, within: limit)
    } catch let error as ToolError {
      throw SchedulerError.tool(error)
    }
  }
}

extension ChildProcess.Outcome {
  /// The standard error as one line that is safe to show.
  func errorLine(limit: Int = 300) -> String {
    String(decoding: errors, as: UTF8.self).safeLine(limit: limit)
  }
}
