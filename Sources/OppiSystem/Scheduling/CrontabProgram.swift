// SPDX-License-Identifier: MIT

package import OppiModel

/// The user's crontab, accessed with crontab(1).
package struct CrontabProgram: Sendable {
  package static let limit = Duration.seconds(10)
  private static let daemons = ["cron", "crond", "fcron"]

  private let tools: ToolRunner
  private let files: FileStore

  package init(tools: ToolRunner, files: FileStore) {
    (self.tools, self.files) = (tools, files)
  }

  /// Whether no cron daemon is running; false if not all processes are visible.
  package var isUnread: Bool {
    let running = RunningPrograms(files: files)
    return running.areAllSeen && running.first(of: Self.daemons) == nil
  }

  /// Returns the crontab, which is empty if the user has none.
  ///
  /// - Throws: `SchedulerError`; `CancellationError`.
  package func load(within limit: Duration = limit) async throws -> Crontab {
    let outcome = try await tools.runScheduler(["crontab", "-l"], within: limit)
    if outcome.status == 0 { return Crontab(outcome.output) }
    let words = String(decoding: outcome.errors, as: UTF8.self)
    guard words.contains("no crontab for") else {
      throw SchedulerError.crontabUnreadable(words.safeLine())
    }
    return Crontab([])
  }

  /// Replaces the crontab with the content of a file in a folder, which cron validates first if it
  /// can.
  ///
  /// The text is not piped: if the writer is killed, cron would accept an incomplete text. The
  /// program runs in the folder, because it cuts the names of files to about 100 bytes.
  ///
  /// - Throws: `SchedulerError`; `CancellationError`.
  package func install(_ name: String, in folder: String) async throws {
    if try await hasDryRun() { try await run(["-n", name], in: folder) }
    try await run([name], in: folder)
  }

  /// Removes the crontab.
  ///
  /// - Throws: `SchedulerError`; `CancellationError`.
  package func remove() async throws { try await run(["-r"]) }

  /// Whether `-n` validates a file; it has another meaning in other implementations.
  private func hasDryRun() async throws -> Bool {
    let outcome = try await tools.runScheduler(["crontab", "-h"], within: Self.limit)
    return String(decoding: outcome.output + outcome.errors, as: UTF8.self).contains("dry run")
  }

  private func run(_ words: [String], in folder: String? = nil) async throws {
    let outcome = try await tools.runScheduler(["crontab"] + words, in: folder, within: Self.limit)
    guard outcome.status == 0 else { throw SchedulerError.crontabRejected(outcome.errorLine()) }
  }
}

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
