// SPDX-License-Identifier: MIT

import CommandTable
import EventLoop
import OppiModel
import OppiSystem

/// Checks the condition of a shortcut before a run.
struct ConditionCheck: Sendable {
  enum Verdict: Sendable {
    /// The run may start; `claim` must be settled after it.
    case met(output: String, claim: Claim?)
    /// The run is skipped, for this reason.
    case notMet(String)
  }

  /// The record that a run for a changed output makes before its prompt is sent, so that an
  /// interrupted run is not repeated.
  struct Claim: Sendable {
    fileprivate let before: ConditionStore.Record?
    fileprivate let own: ConditionStore.Record
  }

  /// In bytes; more output is an error.
  private static let outputLimit = 1 << 20
  /// In characters; the rest of the output is left out of the prompt.
  private static let textLimit = 64 << 10
  private static let timeLimit = Duration.seconds(60)

  private let condition: RunCondition
  private let name: ShortcutName
  private let context: IntentContext

  init(_ condition: RunCondition, of name: ShortcutName, in context: IntentContext) {
    (self.condition, self.name, self.context) = (condition, name, context)
  }

  /// Runs the body, from the check to the end of the run, while no other process does; `nil` if
  /// another one does.
  ///
  /// - Throws: What the body throws; `FileError`.
  func alone<Result>(_ body: () async throws -> Result) async throws -> Result? {
    guard condition.rule == .changed else { return try await body() }
    do {
      return try await context.conditions.whileRunning(name.text) { () throws(FileError) in
        await Swift.Result(catching: body)
      }
      .get()
    } catch FileError.lockHeld {
      return nil
    }
  }

  /// The statuses of a shell that cannot run a command (POSIX.1-2024, XCU 2.8.2).
  private static let notRunnable: ClosedRange<Int32> = 126...127

  /// Runs the command and applies the rule.
  ///
  /// - Parameters:
  ///   - isForced: Whether the run starts in any case.
  ///   - isTrial: Whether nothing is recorded.
  /// - Returns: Whether the run may start.
  /// - Throws: `OppiError` if the command failed; `ShellCommand.Failure`; `FileError`.
  func run(isForced: Bool, isTrial: Bool) async throws -> Verdict {
    let outcome = try await outcome()
    let output = outcome.output.safeBlock(limit: Self.textLimit)
    if condition.rule == .succeeds {
      guard !Self.notRunnable.contains(outcome.status) else {
        throw failure(outcome)
      }
      guard outcome.status == 0 || isForced else {
        return .notMet("the condition exited with status \(outcome.status)")
      }
      return .met(output: output, claim: nil)
    }
    guard outcome.status == 0 else {
      throw failure(outcome)
    }
    switch condition.rule {
    case .succeeds, .nonempty:
      let isEmpty = outcome.output.allSatisfy(\.isWhitespace)
      guard !isEmpty || isForced else { return .notMet("the condition has no output") }
      return .met(output: output, claim: nil)
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
      guard case .timedOut(let limit) = error else { throw error }
      throw OppiError(
        .checkFailed,
        "the condition of shortcut \(name.text) did not end within "
          + (limit.argumentText ?? "its limit")
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
    let own = ConditionStore.Record(digest: SHA256.hex(of: Array(whole.utf8)), isSent: false)
    let before = try context.conditions.record(of: name.text)
    if let before, before.digest == own.digest, !isForced {
      guard before.isSent else {
        // Reported once; later runs are skipped.
        let known = ConditionStore.Record(digest: before.digest, isSent: true)
        _ = try await context.conditions.replace(name.text, known: before, by: known)
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
    guard try await context.conditions.replace(name.text, known: before, by: own) else {
      return .notMet("another run for this output has started")
    }
    return .met(output: output, claim: Claim(before: before, own: own))
  }

  /// Records whether the prompt was or may have been sent; if not, the next run starts for the same
  /// output.
  func settle(_ claim: Claim, isSent: Bool) async {
    let sent = ConditionStore.Record(digest: claim.own.digest, isSent: true)
    do {
      _ = try await context.conditions.replace(
        name.text,
        known: claim.own,
        by: isSent ? sent : claim.before
      )
    } catch {
      await context.reporter.warn("could not record the check's output", because: error)
    }
  }
}

/// The outputs for which shortcuts with a condition last ran, in `conditions.json`.
struct ConditionStore: Sendable {
  struct Record: ShapedRecord, Equatable {
    /// The SHA-256 of the output.
    var digest: String
    /// Whether the prompt for it was sent; false from before it is sent until that is known.
    var isSent: Bool

    static let shape = RecordShape(
      Record(digest: "", isSent: false),
      [.required("output", \.digest, .text), .defaulted("sent", \.isSent, .bool)]
    )
  }

  private let file: RecordFile<KeyedRecords<Record>>
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    self.files = files
    file = RecordFile(paths.conditionsFile, in: files)
  }

  /// Runs the body while no other process runs the shortcut for its condition.
  ///
  /// - Throws: `.lockHeld` if another process does.
  func whileRunning<Result>(
    _ shortcut: String,
    _ body: () async throws(FileError) -> Result
  ) async throws(FileError) -> Result {
    try await files.withLock(on: "\(file.path).\(shortcut)", lockTimeout: .zero, body)
  }

  /// Returns the record of a shortcut; `nil` if it has none.
  func record(of shortcut: String) throws(FileError) -> Record? { try file.load()?[shortcut] }

  /// Replaces the record of a shortcut, if it is still the known one.
  ///
  /// - Parameters:
  ///   - shortcut: The name of the shortcut.
  ///   - known: The record as it was read.
  ///   - record: The record to store; `nil` removes it.
  /// - Returns: Whether it was replaced; not if another process has changed it.
  /// - Throws: `FileError` if the file cannot be read or written.
  func replace(
    _ shortcut: String,
    known: Record?,
    by record: Record?
  ) async throws(FileError) -> Bool {
    try await file.update { records throws(FileError) in
      guard records[shortcut] == known else { return false }
      records[shortcut] = record
      return true
    }
  }

  func forget(_ shortcut: String) async throws(FileError) {
    try await file.update { $0[shortcut] = nil }
  }
}
