// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiSystem

/// Checks the condition of a shortcut before a run.
struct ConditionCheck: Sendable {
  private enum Verdict {
    /// The run may start; `claim` must be settled after it.
    case met(output: String, claim: Claim?)
    /// The run is skipped, for this reason.
    case notMet(String)
  }

  /// The record that a run for a changed output makes before its prompt is sent, so that an
  /// interrupted run is not repeated.
  private struct Claim {
    let before: ConditionRecord?
    let own: ConditionRecord
  }

  /// In bytes; more output is an error.
  private static let outputLimit = 1 << 20
  /// In characters; the rest of the output is left out of the prompt.
  private static let textLimit = 64 << 10
  private static let timeLimit = Duration.seconds(60)

  let condition: RunCondition
  let name: ShortcutName
  let context: IntentContext

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
      switch try await verdict(isForced: isForced, isTrial: isTrial) {
      case .notMet(let reason): .skipped(because: reason)
      case .met(let output, let claim): try await settling(claim) { try await run(output) }
      }
    }
    guard condition.rule == .changed, !isForced, !isTrial else { return try await checked() }
    let result: Result<Report, any Error>
    do {
      let lock = "\(context.conditions.path).\(name.text)"
      result = try await context.files.withLock(on: lock, lockTimeout: .zero) {
        () throws(FileError) in await Result(catching: checked)
      }
    } catch .lockHeld {
      return .skipped(because: "another run for this output is active")
    }
    // The run may have failed because of another lock.
    return try result.get()
  }

  /// Records whether the prompt was or may have been sent; if not, the next run starts for the same
  /// output.
  private func settling(
    _ claim: Claim?,
    _ run: () async throws -> Report
  ) async throws -> Report {
    guard let claim else { return try await run() }
    var isSent = false
    let result = await Result(catching: run)
    // Nothing was sent by a run that throws: a failed delivery is part of the report.
    if case .success(let report) = result { isSent = !report.isUnsent }
    let sent = ConditionRecord(digest: claim.own.digest, isSent: true)
    do {
      _ = try await replace(claim.own, by: isSent ? sent : claim.before)
    } catch {
      await context.reporter.warn("could not record the check's output", because: error)
    }
    return try result.get()
  }

  /// The statuses of a shell that cannot run a command (POSIX.1-2024, XCU 2.8.2).
  private static let notRunnable: ClosedRange<Int32> = 126...127

  /// Runs the command and applies the rule.
  private func verdict(isForced: Bool, isTrial: Bool) async throws -> Verdict {
    let outcome = try await outcome()
    let output = outcome.output.safeBlock(limit: Self.textLimit)
    let mayFail = condition.rule == .succeeds && !Self.notRunnable.contains(outcome.status)
    guard outcome.status == 0 || mayFail else { throw failure(outcome) }
    switch condition.rule {
    case .succeeds where outcome.status != 0 && !isForced:
      return .notMet("the condition exited with status \(outcome.status)")
    case .nonempty where outcome.output.allSatisfy(\.isWhitespace) && !isForced:
      return .notMet("the condition has no output")
    case .succeeds, .nonempty: return .met(output: output, claim: nil)
    case .changed:
      return try await claim(outcome.output, output, isForced: isForced, isTrial: isTrial)
    }
  }

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

  private func claim(
    _ whole: String,
    _ output: String,
    isForced: Bool,
    isTrial: Bool
  ) async throws -> Verdict {
    let own = ConditionRecord(digest: SHA256.hex(of: Array(whole.utf8)), isSent: false)
    let before = try context.conditions.load()?[name.text]
    if let before, before.digest == own.digest, !isForced {
      guard before.isSent else {
        // Reported once; later runs are skipped.
        _ = try await replace(before, by: ConditionRecord(digest: before.digest, isSent: true))
        throw OppiError(
          .deliveryUnknown,
          "the previous run of \(name.text) for this output was interrupted; its prompt may have "
            + "been sent, and is not resent",
          hints: ["check with: oppi history", "send it with: oppi run --force \(name.text)"]
        )
      }
      return .notMet("the output of the condition has not changed")
    }
    guard !isTrial else { return .met(output: output, claim: nil) }
    guard try await replace(before, by: own) else {
      return .notMet("another run for this output has started")
    }
    return .met(output: output, claim: Claim(before: before, own: own))
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
    [.required("output", \.digest, .text), .defaulted("sent", \.isSent, .bool)]
  )
}
