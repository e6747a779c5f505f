// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

extension Ask {
  static func send(
    _ order: AskOrder,
    _ settings: ConfigFile.Settings,
    in context: Context
  ) async throws -> Report {
    let context = try context.applying(settings)
    let jobs = try await AskPlan(order: order, settings: settings, context: context).jobs()
    if order.isStored || jobs.contains(where: { !$0.request.uploadsImages }) {
      try AskInput.check(order.prompt.text, order.prompt.images)
    }
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
    await context.console.warn(
      "queued for the same session, to be sent after this prompt: \(first.key.text)\(others)"
    )
  }

  /// Shows what would be sent, in the order of the command line.
  private static func planAll(_ jobs: [AskJob], in context: Context) async throws -> Report {
    guard jobs.count > 1 else { return await jobs[0].plan() }
    var failures: [OppiError] = []
    for job in jobs {
      let report = await job.plan()
      try await context.console.print(report)
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
            try await context.console.print(report)
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
    if errors.contains(where: { $0 is ReaderGone }) { throw ReaderGone() }
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
      await context.console.report(other)
    }
    return .end(failure: failure)
  }
}
