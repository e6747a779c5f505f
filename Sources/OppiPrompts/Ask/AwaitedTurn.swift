// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiSystem
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// An awaited turn that has ended: its report, or a further turn of the same session, after a usage
/// limit or because a check has rejected the answer.
struct AwaitedTurn {
  /// How often one command waits for the reset of a limit.
  private static let pauseLimit = 20
  private static let leastPause = Duration.seconds(60)
  /// How often to look at the clock.
  private static let glance = Duration.seconds(60)

  let job: AskJob
  let outcome: AskOutcome
  let ending: TurnEnding
  let endedAt: Timestamp
  /// The cost of this turn, if known.
  let turnCost: Dollars?
  /// The most that this turn may cost; `nil` for no such limit.
  let costLimit: Dollars?

  /// The cost of all turns of the order, if that of this one is known.
  private var cost: Dollars? { turnCost.map { job.earlierCost + $0 } }

  private var context: Context { job.context }
  private var reporter: any Reporter { job.reporter }
  private var timeLeft: Duration? { job.timeLeft }

  func report() async throws -> Report {
    if case .turn(.succeeded(let answer)) = ending, !job.order.checks.isEmpty {
      return try await checked(answer)
    }
    if let report = try await continuation() { return report }
    return ended(ending)
  }

  /// The report of the turn: the answer as text, or all data as JSON.
  private func ended(
    _ ending: TurnEnding,
    _ rejection: CheckAnswer.Rejection? = nil
  ) -> Report {
    let (answer, cost) = (ending.answer, cost)
    var result = AskResult(job.request, outcome, ending.state, after: job.elapsed)
    result.response = answer.map(JSONValue.string) ?? .null
    result.resetAt = ending.resetAt(after: endedAt)
    result.cost = cost
    let failure =
      rejection.map { OppiError($0, sessionID: outcome.sessionID) }
      ?? ending.failure(sessionID: outcome.sessionID, at: endedAt)
    var report = job.report(
      result,
      job.shown(answer),
      pipe: answer.map(job.text),
      failure: overLimit(ending, failure)
    )
    report.isLong = Report.isLong(answer?.utf8.count ?? 0)
    report.remark = outcome.remark
    // The history has one entry for all turns of the order.
    report.answer = answer.map { Report.Answer(text: $0, turnID: job.record.turnID) }
    report.afterwards = { await job.record.settle(ending.state, cost: cost) }
    return report
  }

  /// Whether the turn has cost more than its limit; some servers report a cost only at the end.
  private var isOverLimit: Bool {
    guard let turnCost, let costLimit else { return false }
    return turnCost > costLimit
  }

  /// The error of the turn, with its cost if that exceeds the limit.
  private func overLimit(_ ending: TurnEnding, _ failure: OppiError?) -> OppiError? {
    guard isOverLimit || ending.isOverBudget, let cost,
      let limit = costLimit.map({ job.earlierCost + $0 })
    else { return failure }
    let words = "it cost \(cost.exactText); the limit is \(limit.exactText)"
    var error = failure ?? TurnEnding.overBudget(ending.state, sessionID: outcome.sessionID)
    if ending.isOverBudget {
      error.message = "the turn was stopped: \(words)"
    } else if failure == nil {
      error.message = "the turn finished, but \(words)"
    } else {
      error.hints.append("the turn exceeded its limit: \(words)")
    }
    return error
  }

  /// A further message to the session, under the same order.
  private func next(_ text: String) -> AskJob {
    var next = job
    var prompt = Prompt(text, clientTurnID: context.loop.newID())
    prompt.budget = job.request.prompt.budget
    if let limit = prompt.budget.turn, let turnCost { prompt.budget.turn = limit - turnCost }
    next.request = AskRequest(prompt, to: .session(session))
    next.earlierCost = cost ?? job.earlierCost
    next.context = job.inTimeLeft
    return next
  }

  /// Sends a further message and returns the report of its turn; that of this turn, with a warning,
  /// if the message was not sent.
  private func report(
    of next: AskJob,
    orElse ended: @autoclosure () -> Report
  ) async throws -> Report {
    let report = try await next.ask()
    guard report.isUnsent, let failure = report.failure else { return report }
    guard failure.code != .interrupted else {
      throw OppiError(interruptedWait: outcome.sessionID)
    }
    await reporter.warn("could not continue the session: \(failure.message)")
    return ended()
  }

  private var session: ServerSession { outcome.session(on: job.request.target.server) }

  // MARK: - Checks

  private func checked(_ answer: String) async throws -> Report {
    let check = CheckAnswer(checks: job.order.checks, context: context.services)
    let rejection: CheckAnswer.Rejection
    do throws(ShellCommand.Failure) {
      switch try await check.verdict(on: answer, within: timeLeft) {
      case .accepted(let text): return ended(.turn(.succeeded(answer: text)))
      case .rejected(let why): rejection = why
      }
    } catch {
      guard error.cause != .cancelled else { throw OppiError(interruptedWait: outcome.sessionID) }
      guard !job.isTimeUp else { throw OppiError(timeUpInCheckOf: outcome.sessionID) }
      let unchecked = CheckAnswer.Rejection(
        kind: .command,
        reason: "not verified: \(OppiError(error).message)",
        // The agent cannot fix a command that did not run to its end.
        feedback: ""
      )
      return ended(.rejected(unchecked.reason), unchecked)
    }
    let count = job.rejections[rejection.kind] ?? 0
    guard count < job.order.checks.retries(of: rejection.kind) else {
      return ended(.rejected(rejection.reason), rejection)
    }
    await reporter.status("\(rejection.reason); asking again")
    var again = next(rejection.feedback)
    again.rejections[rejection.kind] = count + 1
    return try await report(of: again, orElse: ended(.rejected(rejection.reason), rejection))
  }

  // MARK: - Usage limits

  /// Continues a turn that reached a usage limit, as ordered; `nil` for any other turn.
  private func continuation() async throws -> Report? {
    guard job.order.onLimit != .fail, case .turn(let end) = ending, end.limit != nil else {
      return nil
    }
    guard let reset = ending.resetAt(after: endedAt) else {
      await reporter.warn("the provider does not state when the limit is reset")
      return nil
    }
    do {
      let pause = try await LimitPause(
        of: session,
        after: outcome.clientTurnID,
        until: reset,
        in: context.services
      )
      if job.order.onLimit == .queue { return try await queue(pause) }
      guard try await wait(for: pause) else { return nil }
    } catch {
      let why = OppiError(error)
      guard why.code != .interrupted else {
        throw OppiError(
          .interrupted,
          "interrupted; session \(outcome.sessionID) is not continued after the reset",
          hints: ["continue it with: oppi ask --session \(outcome.sessionID) continue"],
          details: ["sessionId": .string(outcome.sessionID)]
        )
      }
      await reporter.warn("could not continue: \(why.message)")
      return nil
    }
    // From here on, the continued turn is what counts.
    var next = next(LimitPause.message)
    next.pauseCount = job.pauseCount + 1
    return try await report(of: next, orElse: ended(ending))
  }

  private func queue(_ pause: LimitPause) async throws -> Report {
    let prompt = try await pause.queue(
      within: job.request.prompt.budget,
      endingSession: job.order.endsSession
    )
    var report = job.continuesLater(outcome, prompt)
    report.notes += await context.deliveryNotes()
    let (state, cost) = (ending.state, cost)
    report.afterwards = { await job.record.settle(state, cost: cost) }
    return report
  }

  /// Waits for the reset; returns whether the turn may be continued.
  private func wait(for pause: LimitPause) async throws -> Bool {
    // A reset that is stated as past may be due to another clock.
    let wake = max(pause.resetAt, context.now().moved(by: Self.leastPause))
    let delay = Duration.milliseconds(wake.milliseconds - context.now().milliseconds)
    guard job.pauseCount < Self.pauseLimit, timeLeft.map({ delay < $0 }) ?? true else {
      return false
    }
    await reporter.status("usage limit reached; continues \(wake.clock(at: context.now()))")
    while context.now() < wake {
      guard !job.isTimeUp else {
        await reporter.warn("not continued: --timeout elapsed before the reset")
        return false
      }
      // The clock may be set, and it goes on while the machine sleeps.
      let left = Duration.milliseconds(wake.milliseconds - context.now().milliseconds)
      try await context.loop.sleep(for: min(left, Self.glance, timeLeft ?? left))
    }
    guard try await pause.isCurrent() else {
      await reporter.warn("not continued: the session has since received another message")
      return false
    }
    return true
  }
}

extension AnswerChecks {
  fileprivate func retries(of kind: CheckAnswer.Rejection.Kind) -> Int {
    switch kind {
    case .schema: Self.schemaRetries
    case .command: commandRetries
    }
  }
}

/// The pause of a turn that a usage limit interrupted, and its continuation in the same session.
struct LimitPause: Sendable {
  /// The message to the agent.
  ///
  /// The conversation already has the prompt, which must not run twice.
  static let message = "Please continue where you stopped."
  private static let settling = Duration.seconds(2)

  let session: ServerSession
  /// The id of the interrupted turn.
  let turnID: String
  let resetAt: Timestamp
  /// The number of messages of the session after its failed turn, which tells whether anyone else
  /// has continued it.
  let messageCount: Int
  let context: Services

  /// Whether the session has had no other message since.
  func isCurrent() async throws(OppiError) -> Bool {
    try await context.messageCount(of: session) == messageCount
  }

  /// Queues the continuation, to be sent once after the reset.
  ///
  /// The key is derived from the interrupted turn, so that a repeated call queues nothing else.
  ///
  /// - Parameters:
  ///   - budget: The budget of the workspace.
  ///   - endsSession: Whether to end the session after the turn.
  /// - Returns: The queued prompt.
  /// - Throws: `OppiError.promptBusy`; `FileError`.
  func queue(within budget: Budget, endingSession endsSession: Bool) async throws -> QueuedPrompt {
    let key = OutboxKey(digestOf: ["continuation", turnID])
    return try await context.outbox.withPrompt(key, lockTimeout: .seconds(5)) { known in
      if let known { return known }
      var prompt = QueuedPrompt(
        key: key,
        target: AskRequest.Target.session(session).stored,
        content: Prompt(Self.message, clientTurnID: context.loop.newID()),
        createdAt: context.now()
      )
      (prompt.notBefore, prompt.expectedMessageCount) = (resetAt, messageCount)
      (prompt.content.budget, prompt.endsSession) = (budget, endsSession)
      try context.outbox.save(prompt)
      return prompt
    }
  }
}

extension LimitPause {
  /// Reads the state of the session after its failed turn.
  ///
  /// - Throws: `OppiError` if the state cannot be read; `CancellationError`.
  init(
    of session: ServerSession,
    after turnID: String,
    until resetAt: Timestamp,
    in context: Services
  ) async throws {
    // Older servers count a message up to a second later.
    try await context.loop.sleep(for: Self.settling)
    self.init(
      session: session,
      turnID: turnID,
      resetAt: resetAt,
      messageCount: try await context.messageCount(of: session),
      context: context
    )
  }
}

extension Services {
  fileprivate func messageCount(of session: ServerSession) async throws(OppiError) -> Int {
    try await connections.client(for: session.server).within(answerLimit)
      .session(session.id, workspaceID: session.workspaceID)
      .session.messageCount
  }
}
