// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering

/// An awaited turn that has ended, perhaps because of a usage limit: `--on-limit` then continues it.
struct LimitedTurn {
  /// How often one command waits for a reset.
  private static let pauseLimit = 20

  let job: AskJob
  let outcome: AskOutcome
  let ending: TurnEnding
  /// When the command began.
  let begin: EventLoop.Instant
  /// The cost of the turn, if known.
  let cost: Dollars?

  private var context: Context { job.context }
  private var elapsed: Duration { begin.duration(to: context.loop.now) }

  /// Continues the turn as ordered, and returns the report; `nil` if the turn has simply ended.
  func handle() async throws -> Report? {
    guard job.order.onLimit != .fail, case .turn(let end) = ending, end.limit != nil else {
      return nil
    }
    guard let reset = ending.resetAt(after: context.now()) else {
      await context.console.warn("the provider does not state when the limit is reset")
      return nil
    }
    await job.record.settle(ending.state, cost: cost)
    let pause = LimitPause(outcome, on: job.request.target.server, in: context.intents)
    do {
      let continuation = try await pause.continuation(at: reset)
      return job.order.onLimit == .queue
        ? try await queue(continuation, pause)
        : try await wait(for: continuation, pause)
    } catch {
      let why = OppiError(error)
      guard why.code != .interrupted else {
        throw OppiError(interruptedWait: outcome.sessionID)
      }
      await context.console.warn("could not continue: \(why.message)")
      return nil
    }
  }

  private func queue(
    _ continuation: LimitPause.Continuation,
    _ pause: LimitPause
  ) async throws -> Report {
    let prompt = try await pause.queue(continuation)
    var report = job.report.continuesLater(outcome, prompt, elapsed: elapsed)
    report.afterwards = { await job.record.note(QueuedPrompt.waitingWord, key: prompt.key) }
    return report
  }

  private func wait(
    for continuation: LimitPause.Continuation,
    _ pause: LimitPause
  ) async throws -> Report? {
    let left = context.options.timeout.map { $0 - elapsed }
    let delay = Duration.milliseconds(
      continuation.resetAt.milliseconds - context.now().milliseconds
    )
    guard job.pauseCount < Self.pauseLimit, left.map({ delay < $0 }) ?? true else { return nil }
    await context.console.status(
      "usage limit reached; continues at \(continuation.resetAt.iso8601)"
    )
    try await pause.wait(until: continuation.resetAt)
    guard try await pause.isCurrent(continuation) else {
      await context.console.warn("not continued: the session has other messages meanwhile")
      return nil
    }
    var options = context.options
    options.timeout = context.options.timeout.map { max(.milliseconds(1), $0 - elapsed) }
    var next = AskJob(
      request: pause.request(continuation, clientTurnID: context.loop.newID()),
      order: job.order,
      isOnlyOne: job.isOnlyOne,
      keepsHistory: job.keepsHistory,
      workspace: nil,
      context: context.with(options)
    )
    next.pauseCount = job.pauseCount + 1
    return try await next.ask(since: begin)
  }
}
