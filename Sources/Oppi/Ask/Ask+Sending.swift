// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// Rejects contradictory options before anything is read or sent.
extension Ask {
  static let validate: @Sendable (Options) throws(UsageError) -> Void = {
    (options) throws(UsageError) in
    if options.session != nil {
      let newOnly = [
        ("--workspace", !options.workspaces.isEmpty), ("--model", options.prompt.model != nil),
        ("--name", options.prompt.title != nil),
      ]
      if let (flag, _) = newOnly.first(where: \.1) {
        throw UsageError(
          .contradiction("\(flag) requires a new session; it cannot be used with --session")
        )
      }
    }
    if options.isWaiting, options.isFollowing {
      throw UsageError(.contradiction("--follow includes --wait; give only one of them"))
    }
    if options.isFollowing, options.workspaces.count > 1 {
      throw UsageError(.contradiction("--follow shows one turn; use --wait with several -w"))
    }
    let isStaying = options.isWaiting || options.isFollowing
    if options.onAsk ?? .wait != .wait, !isStaying {
      throw UsageError(.contradiction("--on-ask requires --wait or --follow"))
    }
    if options.onLimit != .fail, !isStaying {
      throw UsageError(.contradiction("--on-limit requires --wait or --follow"))
    }
    let waitOnly = [
      ("--schema", options.schema != nil), ("--verify", options.verify != nil),
      ("--then", options.then != nil),
    ]
    if let (flag, _) = waitOnly.first(where: \.1), !isStaying {
      throw UsageError(.contradiction("\(flag) requires --wait or --follow"))
    }
    if options.verifyRetries != nil, options.verify == nil {
      throw UsageError(.contradiction("--verify-retries requires --verify"))
    }
    if options.then != nil, options.workspaces.count > 1 {
      throw UsageError(.contradiction("--then requires a single -w"))
    }
    if options.prompt.budget.turn != nil, !isStaying {
      throw UsageError(.contradiction("--max-cost requires --wait or --follow"))
    }
    if options.isQueueing || options.key != nil, isStaying {
      throw UsageError(.contradiction("--queue and --key cannot be used with --wait or --follow"))
    }
    if let expiry = options.expiry, expiry < .seconds(1) {
      throw UsageError(.custom("--expires expects 1s or more"))
    }
    if options.expiry != nil, !options.isQueueing {
      throw UsageError(.contradiction("--expires requires --queue"))
    }
    if options.key != nil, options.workspaces.count > 1 {
      throw UsageError(.contradiction("--key requires a single -w"))
    }
    if options.isAgain {
      guard options.file == nil, options.images.isEmpty, options.words.count <= 1,
        options.words.allSatisfy({ Int($0).map { $0 > 0 } ?? false })
      else {
        throw UsageError(.contradiction("--again takes a number from 'oppi history', not a prompt"))
      }
      return
    }
    if options.file != nil, !options.words.isEmpty {
      throw UsageError(.contradiction("give the prompt either with --file or on the command line"))
    }
    if options.words.dropLast().contains("-") {
      throw UsageError(.contradiction("- (standard input) must be the last argument"))
    }
    if options.file == nil, options.words.isEmpty {
      throw UsageError(
        .custom("no prompt"),
        hint: "give it as arguments, with -F FILE, or as - for standard input"
      )
    }
  }
}

extension Ask {
  static func send(
    _ order: AskOrder,
    _ settings: ConfigFile.Settings,
    in context: Context
  ) async throws -> Report {
    let context = try context.applying(settings)
    let jobs = try await AskPlan(order: order, settings: settings, context: context).jobs()
    if !order.isQueueing { await warnOfOvertaking(by: jobs, context) }
    if order.isShown { await context.announceMode() }
    if order.isDryRun { return try await planAll(jobs, in: context) }
    return jobs.count == 1 ? await jobs[0].run() : try await askAll(jobs, in: context)
  }

  /// Warns of queued prompts for the same session, which come after this one.
  private static func warnOfOvertaking(by jobs: [AskJob], _ context: Context) async {
    var waiting: [QueuedPrompt] = []
    do throws(FileError) {
      for job in jobs {
        waiting += try context.intents.queuedPrompts(
          on: job.request.target.server,
          in: job.threads
        )
      }
    } catch {
      return await context.intents.reporter.warn(
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
