// SPDX-License-Identifier: MIT

package import OppiModel

/// The user's crontab, by crontab(1).
package struct CrontabProgram: Sendable {
  /// How long a call may take.
  package static let limit = Duration.seconds(10)
  /// The names of the processes that read crontabs.
  private static let daemons = ["cron", "crond", "fcron"]

  private let tools: ToolRunner
  private let files: FileStore

  package init(tools: ToolRunner, files: FileStore) {
    (self.tools, self.files) = (tools, files)
  }

  /// Whether no cron daemon runs, as far as all processes can be seen.
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

  /// Replaces the crontab by a file's text, which cron checks first if it can.
  ///
  /// It is not piped: from a writer that is killed halfway, cron would accept the beginning as the
  /// whole.
  ///
  /// - Throws: `SchedulerError`; `CancellationError`.
  package func install(_ path: String) async throws {
    if try await hasDryRun() { try await run(["-n", path]) }
    try await run([path])
  }

  /// Removes the crontab.
  ///
  /// - Throws: `SchedulerError`; `CancellationError`.
  package func remove() async throws { try await run(["-r"]) }

  /// Whether `-n` checks a file; it has another meaning in other crons.
  private func hasDryRun() async throws -> Bool {
    let outcome = try await tools.runScheduler(["crontab", "-h"], within: Self.limit)
    return String(decoding: outcome.output + outcome.errors, as: UTF8.self).contains("dry run")
  }

  private func run(_ words: [String]) async throws {
    let outcome = try await tools.runScheduler(["crontab"] + words, within: Self.limit)
    guard outcome.status == 0 else { throw SchedulerError.crontabRejected(outcome.errorLine()) }
  }
}
