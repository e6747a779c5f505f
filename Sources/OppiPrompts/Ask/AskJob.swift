// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiSystem
import OppiText
import OppiTurns
import OppiWire

/// Delivers one prompt of the command, and reports what happened.
struct AskJob {
  var request: AskRequest
  /// The history's entry for all turns of the order.
  var record: AskRecord
  let order: AskOrder
  /// What to do when the turn needs input; `nil` if the turn is not awaited.
  let onAsk: OnAsk?
  /// Whether it is the command's only prompt.
  var isOnlyOne = true
  /// The workspace for a new session; `nil` if a session was named.
  let workspace: ServerWorkspace?
  var context: Context
  /// When the command began with this order.
  var begin: EventLoop.Instant
  /// The end of `--timeout` for all turns of this order; `nil` until it begins, and without one.
  var deadline: EventLoop.Instant?
  /// What the earlier turns of this order have cost.
  var earlierCost = Dollars.zero
  /// How often a usage limit has interrupted the turn.
  var pauseCount = 0
  /// How often each check has rejected the answer.
  var rejections: [CheckAnswer.Rejection.Kind: Int] = [:]

  /// The sessions and conversations that must not get another prompt before this one.
  var threads: Set<QueuedPrompt.Thread> {
    request.target.stored.threads(of: request.prompt)
  }

  /// Reports what would be sent, or why nothing would be sent.
  func plan() async -> Report {
    do {
      try await checkModel()
      return planned
    } catch {
      return .end(failure: named(OppiError(error)))
    }
  }

  /// Checks the model as `ask` does; a server that may be unreachable for now is only warned of if
  /// the prompt can be queued.
  private func checkModel() async throws {
    guard request.target.knownSession == nil, let model = request.newModel else { return }
    let server = request.target.server
    let obstacle = try await context.services.obstacle(
      toModel: model,
      thinking: request.level,
      on: [server]
    )
    guard let error = obstacle else { return }
    guard error.reason != .unknownModel, order.terms != nil, error.isPassing else { throw error }
    await context.services.warn(ofUncheckedModel: error)
  }

  /// Delivers the prompt; the report is not printed yet.
  func run() async -> Report {
    var job = self
    job.begin = context.loop.now
    job.deadline = context.options.timeout.map { job.begin + $0 }
    let report = await job.attempt()
    guard let failure = report.failure,
      let inNewSession = job.inNewSession(after: failure, isUnsent: report.isUnsent)
    else { return report }
    return await inNewSession.attempt()
  }

  private func attempt() async -> Report {
    do {
      var report = try await ask()
      report.failure = report.failure.map(named)
      return report
    } catch {
      return .end(failure: named(OppiError(error)))
    }
  }

  /// The same prompt for a new session, within the rest of the time, if its conversation's session is
  /// gone and did not get it; `nil` otherwise.
  private func inNewSession(after failure: OppiError, isUnsent: Bool) -> AskJob? {
    guard request.prompt.conversation != nil, let workspace, failure.code == .noSuchSession,
      isUnsent
    else { return nil }
    var job = self
    job.context = inTimeLeft
    job.request = AskRequest(
      request.prompt,
      to: .newSession(workspace),
      clientTurnID: context.loop.newID()
    )
    job.request.prompt.conversation = nil
    job.record.request = job.request
    return job
  }

  /// Whether the prompt is sent again, in a new session, so that only that attempt is recorded.
  private func isTriedAgain(after failure: AskFailure) -> Bool {
    inNewSession(after: failure.explanation, isUnsent: failure.isUnsent) != nil
  }

  /// Adds the source of an unknown model, and the target if there are several prompts.
  private func named(_ error: OppiError) -> OppiError {
    var named = error.code == .noSuchModel ? error.tracing(order.modelSource) : error
    if !isOnlyOne { named.message = "\(request.target.name): \(named.message)" }
    return named
  }

  var elapsed: Duration { begin.duration(to: context.loop.now) }

  /// The rest of `--timeout`; `nil` without one.
  var timeLeft: Duration? {
    deadline.map { max(.milliseconds(1), context.loop.now.duration(to: $0)) }
  }

  /// The context for a further request of this order.
  var inTimeLeft: Context {
    var options = context.options
    options.timeout = timeLeft
    return context.with(options)
  }

  var reporter: any Reporter { context.services.reporter }

  /// Whether `--timeout` has elapsed.
  var isTimeUp: Bool { deadline.map { $0 <= context.loop.now } ?? false }

  /// Sends the prompt.
  func ask() async throws -> Report {
    await reporter.detail(
      "sending to \(request.target.name) at \(request.target.server.endpoint)"
    )
    if let terms = order.terms { return try await queue(terms) }
    let delivery: (outcome: AskOutcome, watch: TurnWatch?)
    do throws(AskFailure) {
      delivery = try await context.services.deliver(request, awaiting: onAsk)
    } catch {
      let now = context.now()
      let explained = explained(error, at: now)
      if earlierCost == .zero, pauseCount == 0, rejections.isEmpty, !isTriedAgain(after: error) {
        await record.note(error)
      }
      var answer =
        onAsk == nil
        ? .end(failure: explained) : failed(error, explained, at: now)
      answer.isUnsent = error.isUnsent
      return answer
    }
    let outcome = delivery.outcome
    await report(outcome)
    guard var watch = delivery.watch else {
      var answer = delivered(outcome)
      answer.afterwards = { await record.remember(outcome) }
      return answer
    }
    await record.remember(outcome)
    var observer = try observer(sessionID: outcome.sessionID)
    let ending = try await end(of: &watch, observer: &observer, sessionID: outcome.sessionID)
    if let answer = ending.answer, Turn.isCut(answer) {
      let size = Turn.textLimit >> 20
      await reporter.warn("the answer was truncated to \(size) MiB")
    }
    let turn = AwaitedTurn(
      job: self,
      outcome: outcome,
      ending: ending,
      endedAt: context.now(),
      turnCost: watch.cost.spent,
      costLimit: watch.costLimit
    )
    return try await turn.report()
  }

  /// Delivers through the outbox.
  private func queue(_ terms: QueuePrompt.Terms) async throws -> Report {
    let flow = QueuePrompt(
      request: request,
      terms: terms,
      endsSession: order.endsSession,
      context: context.services
    )
    let (key, outcome): (OutboxKey, QueuePrompt.Outcome)
    do {
      (key, outcome) = try await flow.run()
    } catch {
      // No delivery was attempted, but another process may have made one.
      var answer = Report.end(failure: OppiError(error))
      answer.isUnsent = ![.deliveryUnknown, .locked].contains((error as? OppiError)?.code)
      return answer
    }
    switch outcome {
    case .kept(let prompt, let isAgain):
      var answer = kept(prompt, isAgain: isAgain)
      answer.notes += await context.deliveryNotes()
      if !isAgain {
        answer.afterwards = { await record.note(QueuedPrompt.waitingWord, key: key) }
      }
      return answer
    case .deliveredBefore(let prompt): return deliveredBefore(prompt)
    case .failed(let failure, let kept):
      if !isTriedAgain(after: failure) { await record.note(failure, key: key) }
      var error = explained(failure, at: context.now())
      error.details["key"] = .string(key.text)
      var answer = Report.end(failure: kept.map(error.naming) ?? error)
      answer.isUnsent = failure.isUnsent
      return answer
    case .delivered(let outcome, let kept):
      await report(outcome)
      var answer = delivered(outcome, key: key)
      answer.afterwards = { await record.remember(outcome, keptAs: kept?.key) }
      return answer
    }
  }

  /// Waits for the turn's end; an interruption becomes an error that names the session.
  private func end(
    of watch: inout TurnWatch,
    observer: inout any TurnObserver,
    sessionID: String
  ) async throws -> TurnEnding {
    do {
      return try await watch.run(&observer)
    } catch {
      let why = OppiError(error)
      guard why.code == .interrupted else { throw error }
      throw OppiError(interruptedWait: sessionID)
    }
  }

  private func observer(sessionID: String) throws -> any TurnObserver {
    if let choice = shownView(sessionID: sessionID) { return try choice.sideView() }
    // Several live views would draw over each other.
    return try ViewChoice(context: context, sessionID: sessionID, isPlain: !isOnlyOne)
      .waitingView(isHumanAwaited: onAsk == .wait)
  }

  /// The live view of the turn; `nil` without `--follow`.
  func shownView(sessionID: String) -> ViewChoice? {
    guard case .shownTurn(_, let isPlain) = order.waiting else { return nil }
    return ViewChoice(context: context, sessionID: sessionID, isPlain: isPlain)
  }

  /// The error of a failed delivery; with `--timeout`, a slow start of the agent counts as part of
  /// the wait.
  private func explained(_ failure: AskFailure, at now: Timestamp) -> OppiError {
    let delivery = failure.delivery
    let isSlowStart =
      onAsk != nil && isTimeUp
      && (delivery == .unknown(.silence) || delivery == .unknown(.starting))
    var error = failure.explanation
    if isSlowStart {
      error.code = .waitTimedOut
      error.message = "--timeout elapsed before the agent started; it may still run the prompt"
    }
    error.add(failure.limit, failedAt: now, now: now)
    return error
  }

  private func report(_ outcome: AskOutcome) async {
    order.onDelivered(outcome, request.target.server)
    await reporter.detail("\(outcome.state.rawValue) as \(outcome.clientTurnID)")
    // The server replaces an unknown model without an error.
    if let asked = request.newModel, let model = outcome.location.model, model != asked {
      let server = request.target.server.name
      await reporter.warn(
        "\(server) has no model '\(asked.safeLine(limit: 120))' (from \(order.modelSource.words)) "
          + "and uses \(model)"
      )
    }
  }
}
