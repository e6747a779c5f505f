// SPDX-License-Identifier: MIT

import CommandTable
package import OppiClient
import OppiModel
import OppiSystem

/// Rejects contradictory options before anything is read or sent.
extension Ask {
  static let validate: @Sendable (Options) throws(UsageError) -> Void = {
    (options) throws(UsageError) in
    if let text = options.contradiction { throw UsageError(.contradiction(text)) }
    if !options.isAgain, options.file == nil, options.words.isEmpty {
      throw UsageError(
        .custom("no prompt"),
        hint: "give it as arguments, with -F FILE, or as - for standard input"
      )
    }
  }
}

extension Ask.Options {
  fileprivate var contradiction: String? {
    let isOld = session != nil
    let isStaying = isWaiting || isFollowing
    let isSeveral = workspaces.count > 1
    let newOnly = "requires a new session; it cannot be used with --session"
    let waitOnly = "requires --wait or --follow"
    let isNumber = words.allSatisfy { Int($0).map { $0 > 0 } ?? false }
    let isOnlyAgain = file == nil && images.isEmpty && words.count <= 1 && isNumber
    let rules: [(isBroken: Bool, text: String)] = [
      (isOld && !workspaces.isEmpty, "--workspace \(newOnly)"),
      (isOld && prompt.model != nil, "--model \(newOnly)"),
      (isOld && prompt.title != nil, "--name \(newOnly)"),
      (isWaiting && isFollowing, "--follow includes --wait; give only one of them"),
      (isFollowing && isSeveral, "--follow shows one turn; use --wait with several -w"),
      (!isStaying && (onAsk ?? .wait) != .wait, "--on-ask \(waitOnly)"),
      (!isStaying && onLimit != .fail, "--on-limit \(waitOnly)"),
      (!isStaying && schema != nil, "--schema \(waitOnly)"),
      (!isStaying && verify != nil, "--verify \(waitOnly)"),
      (!isStaying && then != nil, "--then \(waitOnly)"),
      (verify == nil && verifyRetries != nil, "--verify-retries requires --verify"),
      (isSeveral && then != nil, "--then requires a single -w"),
      (!isStaying && prompt.budget.turn != nil, "--max-cost \(waitOnly)"),
      (
        isStaying && (isQueueing || key != nil),
        "--queue and --key cannot be used with --wait or --follow"
      ),
      (expiry.map { $0 < .seconds(1) } ?? false, "--expires expects 1s or more"),
      (!isQueueing && expiry != nil, "--expires requires --queue"),
      (isSeveral && key != nil, "--key requires a single -w"),
      (isAgain && !isOnlyAgain, "--again takes a number from 'oppi history', not a prompt"),
      (
        !isAgain && file != nil && !words.isEmpty,
        "give the prompt either with --file or on the command line"
      ),
      (
        !isAgain && words.dropLast().contains("-"),
        "- (standard input) must be the last argument"
      ),
    ]
    return rules.first { $0.isBroken }?.text
  }
}

extension Ask {
  package static func send(
    _ order: AskOrder,
    _ settings: ConfigFile.Settings,
    in context: Context
  ) async throws -> Report {
    let context = try context.applying(settings)
    let jobs = try await order.jobs(by: settings, in: context)
    if order.terms?.isKept != true { await warnOfOvertaking(by: jobs, context) }
    if case .shownTurn = order.waiting { await context.announceMode() }
    var report =
      order.isDryRun
      ? try await planAll(jobs, in: context)
      : jobs.count == 1 ? await jobs[0].run() : try await askAll(jobs, in: context)
    report.theme = context.output.policy.theme
    return report
  }

  /// Warns of queued prompts for the same session, which come after this one.
  private static func warnOfOvertaking(by jobs: [AskJob], _ context: Context) async {
    var waiting: [QueuedPrompt] = []
    do throws(FileError) {
      for job in jobs {
        waiting += try context.services.queuedPrompts(
          on: job.request.target.server,
          in: job.threads
        )
      }
    } catch {
      return await context.services.reporter.warn(
        "could not check for queued prompts to the same session",
        because: error
      )
    }
    guard let first = waiting.first else { return }
    let others = waiting.count > 1 ? " and \(waiting.count - 1) more" : ""
    await context.output.warn(
      "queued for the same session, to be sent after this prompt: \(first.key.text)\(others)"
    )
  }

  /// Shows what would be sent, in the order of the command line.
  private static func planAll(_ jobs: [AskJob], in context: Context) async throws -> Report {
    guard jobs.count > 1 else { return await jobs[0].plan() }
    var failures: [OppiError] = []
    for job in jobs {
      let report = await job.plan()
      try await context.output.print(report)
      if let failure = report.failure { failures.append(failure) }
    }
    return await end(failures, in: context)
  }

  /// Sends to several workspaces concurrently, and prints each report as it arrives; a failure does
  /// not affect the others.
  private static func askAll(_ runs: [AskJob], in context: Context) async throws -> Report {
    let errors: [any Error] = await withTaskGroup(of: (any Error)?.self) { group in
      for run in runs {
        group.addTask {
          let report = await run.run()
          do {
            try await context.output.print(report)
            return report.failure
          } catch {
            return error
          }
        }
      }
      return await group.reduce(into: []) { errors, error in
        if let error { errors.append(error) }
      }
    }
    if errors.contains(where: { $0 is OutputClosed }) { throw OutputClosed() }
    return await end(errors.map { OppiError($0) }, in: context)
  }

  /// Reports all failures but the most important one, which ends the command.
  private static func end(_ failures: [OppiError], in context: Context) async -> Report {
    var failures = failures
    // An unknown delivery must not hide behind a failure that is safe to repeat.
    let worst = failures.firstIndex { $0.code.status == .deliveryUnknown } ?? failures.startIndex
    guard !failures.isEmpty else { return .end() }
    let failure = failures.remove(at: worst)
    // An interrupted prompt needs no error message.
    for other in failures where other.code != .interrupted {
      await context.output.report(other)
    }
    return .end(failure: failure)
  }
}
