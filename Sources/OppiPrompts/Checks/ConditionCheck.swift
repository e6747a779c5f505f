// SPDX-License-Identifier: MIT

import CommandTable
import OppiClient
import OppiModel
import OppiSystem
import OppiText
import OppiWire

/// Checks the condition of a shortcut before a run.
struct ConditionCheck: Sendable {
  /// In bytes; more output is an error.
  private static let outputLimit = 1 << 20
  /// In characters; the rest of the output is left out of the prompt.
  private static let textLimit = 64 << 10
  private static let timeLimit = Duration.seconds(60)

  let condition: RunCondition
  let name: ShortcutName
  let context: Services

  /// Returns the report of a run with the command's output, or of a run that is skipped.
  ///
  /// From the check of a changed output to the end of the run, no other process runs the shortcut,
  /// unless `isForced`, which starts the run in any case, or `isTrial`, which records nothing.
  ///
  /// - Throws: `OppiError` if the command failed; `ShellCommand.Failure`; `FileError`; what `run`
  ///   throws.
  func report(
    isForced: Bool,
    isTrial: Bool,
    of run: (_ output: String) async throws -> Report
  ) async throws -> Report {
    func checked() async throws -> Report {
      let outcome = try await outcome()
      let mayFail = condition.rule == .succeeds && !Self.notRunnable.contains(outcome.status)
      guard outcome.status == 0 || mayFail else { throw failure(outcome) }
      let output = outcome.output.safeBlock(limit: Self.textLimit)
      switch condition.rule {
      case .succeeds where outcome.status != 0 && !isForced:
        return .skipped(because: "the condition exited with status \(outcome.status)")
      case .nonempty where outcome.output.allSatisfy(\.isWhitespace) && !isForced:
        return .skipped(because: "the condition has no output")
      case .succeeds, .nonempty: return try await run(output)
      case .changed:
        let digest = SHA256.hex(of: Array(outcome.output.utf8))
        let before = try context.conditions.load()?[name.text]
        if let before, before.digest == digest, !isForced { return try await skipped(before) }
        return isTrial
          ? try await run(output)
          : try await claiming(digest, after: before) { try await run(output) }
      }
    }
    guard condition.rule == .changed, !isForced, !isTrial else { return try await checked() }
    // The run may fail because of another lock.
    let path = "\(context.conditions.path).\(name.text)"
    return try await context.files.withLock(on: path, lockTimeout: .zero, checked) {
      .skipped(because: "another run for this output is active")
    }
  }

  /// The statuses of a shell that cannot run a command (POSIX.1-2024, XCU 2.8.2).
  private static let notRunnable: ClosedRange<Int32> = 126...127

  private func outcome() async throws -> ShellCommand.Outcome {
    do throws(ShellCommand.Failure) {
      return try await ShellCommand(condition.command).run(
        by: context.programs,
        environment: context.environment,
        outputLimit: Self.outputLimit,
        on: context.loop,
        within: min(context.timeout ?? Self.timeLimit, Self.timeLimit)
      )
    } catch {
      guard error.cause == .timedOut else { throw error }
      throw OppiError(
        .checkFailed,
        "the condition of shortcut \(name.text) did not end within "
          + (error.limit.argumentText ?? "its limit")
      )
    }
  }

  private func failure(_ outcome: ShellCommand.Outcome) -> OppiError {
    let words = outcome.text.split(separator: "\n").last
      .map { ": \(String($0).safeLine(limit: 200))" }
    return OppiError(
      .checkFailed,
      "the condition of shortcut \(name.text) exited with status \(outcome.status)\(words ?? "")"
    )
  }

  /// The report of a run whose output has not changed.
  ///
  /// - Throws: `OppiError`, once, if it is unknown whether the prompt for that output was sent.
  private func skipped(_ before: ConditionRecord) async throws -> Report {
    guard before.isSent else {
      _ = try await replace(before, by: ConditionRecord(digest: before.digest, isSent: true))
      throw OppiError(
        .deliveryUnknown,
        "the previous run of \(name.text) for this output was interrupted; its prompt may have "
          + "been sent, and is not resent",
        hints: ["check with: oppi history", "send it with: oppi run --force \(name.text)"]
      )
    }
    return .skipped(because: "the output of the condition has not changed")
  }

  /// Records the output before its prompt is sent, so that an interrupted run is not repeated, and
  /// after the run whether it was or may have been sent; if not, the next run starts for the same
  /// output.
  private func claiming(
    _ digest: String,
    after before: ConditionRecord?,
    _ run: () async throws -> Report
  ) async throws -> Report {
    let own = ConditionRecord(digest: digest, isSent: false)
    guard try await replace(before, by: own) else {
      return .skipped(because: "another run for this output has started")
    }
    let result = await Result(catching: run)
    // Nothing was sent by a run that throws: a failed delivery is part of the report.
    let isSent = (try? result.get()).map { !$0.isUnsent } ?? false
    let sent = ConditionRecord(digest: digest, isSent: true)
    do {
      _ = try await replace(own, by: isSent ? sent : before)
    } catch {
      await context.reporter.warn("could not record the check's output", because: error)
    }
    return try result.get()
  }

  /// Replaces the record of the shortcut; false if another process has changed the known one.
  private func replace(
    _ known: ConditionRecord?,
    by record: ConditionRecord?
  ) async throws(FileError) -> Bool {
    try await context.conditions.update { records throws(FileError) in
      guard records[name.text] == known else { return false }
      records[name.text] = record
      return true
    }
  }
}

/// The output for which a shortcut with a condition last ran, in `conditions.json`.
struct ConditionRecord: ShapedRecord, Equatable {
  /// The SHA-256 of the output.
  var digest: String
  /// Whether the prompt for it was sent; false from before it is sent until that is known.
  var isSent: Bool

  static let shape = RecordShape(
    ConditionRecord(digest: "", isSent: false),
    [.required("output", { $1(&$0.digest) }, .text), .defaulted("sent", { $1(&$0.isSent) }, .bool)]
  )
}

extension Services {
  var conditions: RecordFile<KeyedRecords<ConditionRecord>> {
    RecordFile(paths.conditionsFile, in: files)
  }
}
