// SPDX-License-Identifier: MIT

package import OppiModel
import OppiText

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
  /// - Throws: `ToolError`; `CancellationError`.
  package func load(within limit: Duration = limit) async throws -> Crontab {
    let outcome = try await tools.run(["crontab", "-l"], within: limit)
    if outcome.status == 0 { return Crontab(outcome.output) }
    let words = String(decoding: outcome.errors, as: UTF8.self)
    guard words.contains("no crontab for") else {
      throw ToolError("crontab -l failed: \(words.safeLine())")
    }
    return Crontab([])
  }

  /// Replaces the crontab with the content of a file in a folder, which cron validates first if it
  /// can.
  ///
  /// The text is not piped: if the writer is killed, cron would accept an incomplete text. The
  /// program runs in the folder, because it cuts the names of files to about 100 bytes.
  ///
  /// - Throws: `ToolError`; `CancellationError`.
  package func install(_ name: String, in folder: String) async throws {
    if try await hasDryRun() { try await run(["-n", name], in: folder) }
    try await run([name], in: folder)
  }

  /// Removes the crontab.
  ///
  /// - Throws: `ToolError`; `CancellationError`.
  package func remove() async throws { try await run(["-r"]) }

  /// Whether `-n` validates a file; it has another meaning in other implementations.
  private func hasDryRun() async throws -> Bool {
    let outcome = try await tools.run(["crontab", "-h"], within: Self.limit)
    return String(decoding: outcome.output + outcome.errors, as: UTF8.self).contains("dry run")
  }

  private func run(_ words: [String], in folder: String? = nil) async throws {
    let outcome = try await tools.run(["crontab"] + words, in: folder, within: Self.limit)
    guard outcome.status == 0 else {
      throw ToolError("crontab rejected the new crontab: \(outcome.errorLine())")
    }
  }
}

extension ChildProcess.Outcome {
  /// The standard error as one line that is safe to show.
  func errorLine(limit: Int = 300) -> String {
    String(decoding: errors, as: UTF8.self).safeLine(limit: limit)
  }
}
