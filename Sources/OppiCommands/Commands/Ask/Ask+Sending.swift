// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

extension Ask {
  /// What is sent.
  struct Message: Sendable {
    var prompt: String
    var images: [ImageAttachment] = []
    /// Where it goes; where the options say if `nil`.
    var targets: [AskRequest.Target]?
    /// Hears which session has it.
    var hear: @Sendable (AskRun.Place) -> Void = { _ in }

    init(
      prompt: String,
      targets: [AskRequest.Target]? = nil,
      hear: @escaping @Sendable (AskRun.Place) -> Void = { _ in }
    ) {
      self.prompt = prompt
      self.targets = targets
      self.hear = hear
    }
  }

  /// Sends a message as the options say, with settings that were read before where there are some.
  static func send(
    _ message: Message,
    _ given: Options,
    _ settings: ConfigFile.Settings? = nil,
    in context: Context
  ) async throws -> Report {
    let settings = if let settings { settings } else { try await Config.load(in: context) }
    let general = WorkspaceSettings(settings: settings)
    // A setting that cannot be used is told before anything is asked.
    _ = try given.completed(from: general)
    if given.session == nil { _ = try general.sessionDefaults(beside: given) }
    var targets = message.targets ?? []
    if message.targets == nil {
      let limited = try context.limited(by: general)
      targets = try await AskTargets.resolve(given, settings, in: limited)
    }
    let plan = AskPlan(options: given, settings: settings, message: message, context: context)
    let jobs = try await plan.jobs(for: targets)
    if !given.isQueueing { await warnOfOvertaking(by: jobs, context) }
    if given.isDryRun { return try await planAll(jobs, in: context) }
    return jobs.count == 1 ? await jobs[0].run() : try await askAll(jobs, in: context)
  }

  /// Tells of prompts that were kept for the same session and come after this one.
  private static func warnOfOvertaking(by jobs: [AskJob], _ context: Context) async {
    guard jobs.contains(where: { !$0.threads.isEmpty }) else { return }
    var kept: [QueuedPrompt] = []
    do throws(FileError) {
      for key in try context.outbox.keys() {
        if let prompt = try context.outbox.load(key) { kept.append(prompt) }
      }
    } catch {
      let message = OppiError(error).message
      return await context.console.warn(
        "whether queued prompts wait for the same session is not known: \(message)"
      )
    }
    let waiting = kept.filter { waiting in
      waiting.isQueued && waiting.isOpen(at: context.now())
        && jobs.contains { job in
          job.request.target.server.id == waiting.target.serverID
            && !job.threads.isDisjoint(with: waiting.threads)
        }
    }
    guard let first = waiting.first else { return }
    let others = waiting.count > 1 ? " and \(waiting.count - 1) more" : ""
    await context.console.warn(
      "\(first.key.text)\(others) of the outbox waits for the same session, and comes after this prompt"
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

  /// Asks in several workspaces at the same time, and prints each report as it comes; one that
  /// fails leaves the others alone.
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

  /// Ends with the failure that says most, after the others were told.
  private static func end(_ failures: [OppiError], in context: Context) async -> Report {
    var failures = failures
    // An unknown delivery must not hide behind a failure that is safe to repeat.
    let worst = failures.firstIndex { $0.code.status == .deliveryUnknown } ?? failures.startIndex
    guard !failures.isEmpty else { return .end() }
    let failure = failures.remove(at: worst)
    // What was interrupted has nothing to explain.
    for other in failures where other.code != .interrupted {
      await context.console.report(other)
    }
    return .end(failure: failure)
  }
}
