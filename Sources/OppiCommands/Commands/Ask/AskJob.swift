// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem
import OppiTransport

/// One prompt of the command: runs its ask and says what comes of it.
struct AskJob {
  /// How long the command stays.
  enum Waiting: Sendable {
    /// Until the server has the prompt.
    case delivery
    /// Until the turn is over.
    case turn(OnAsk)
    /// Until the turn is over, which is shown meanwhile.
    case shownTurn(OnAsk, isPlain: Bool)
    /// Until the server or the outbox has the prompt.
    case outbox(QueuedAsk.Terms)
  }

  let request: AskRequest
  /// The shortcut whose conversation it goes on with.
  let conversation: String?
  /// Where the model of the request was named.
  let modelSource: ValueSource
  let waiting: Waiting
  /// Whether no other prompts of the same command are on their way beside this one.
  let isOnlyOne: Bool
  /// Whether the prompt is kept in the history.
  let keepsHistory: Bool
  /// Hears which session has the prompt.
  let hear: @Sendable (AskRun.Place) -> Void
  let context: Context

  /// What must not get another prompt before this one.
  var threads: Set<QueuedPrompt.Place> {
    var threads = conversation.map { Set([QueuedPrompt.Place.conversation($0)]) } ?? []
    if case .session(let session) = request.target { threads.insert(.session(session.id)) }
    return threads
  }

  var report: AskReport {
    AskReport(request, isOnlyOne: isOnlyOne, width: context.console.policy.width)
  }

  private var onAsk: OnAsk? {
    switch waiting {
    case .delivery, .outbox: nil
    case .turn(let onAsk), .shownTurn(let onAsk, _): onAsk
    }
  }

  /// The report of what would be sent, or of why nothing would be.
  func plan() async -> Report {
    do {
      try await checkModel()
      return report.planned
    } catch {
      return .end(failure: named(OppiError(error)))
    }
  }

  /// Checks the model as the ask itself would, which keeps a prompt for later where it may.
  private func checkModel() async throws {
    guard case .newSession = request.target, let model = request.newModel else { return }
    switch try await context.standing(ofModel: model, on: [request.target.server]) {
    case .offered: return
    case .unknown(let error): throw error
    case .unchecked(let error):
      guard case .outbox = waiting, error.isPassing else { throw OppiError(error) }
      await context.warn(ofUncheckedModel: error)
    }
  }

  /// Asks, and returns the report, which is not printed yet.
  func run() async -> Report {
    do {
      var report = try await ask()
      report.failure = report.failure.map(named)
      return report
    } catch {
      return .end(failure: named(OppiError(error)))
    }
  }

  /// The error with the source of a model that is not there, and with its prompt among several.
  private func named(_ error: OppiError) -> OppiError {
    var named = error.code == .noSuchModel ? error.tracing(modelSource) : error
    if !isOnlyOne { named.message = "\(report.targetName): \(named.message)" }
    return named
  }

  private func ask() async throws -> Report {
    let begin = context.loop.now
    var elapsed: Duration { begin.duration(to: context.loop.now) }
    await context.console.detail("asking \(report.targetName) at \(request.target.server.endpoint)")
    if case .outbox(let terms) = waiting { return try await queue(terms) { elapsed } }
    let handover: AskRun.Handover
    do throws(AskFailure) {
      handover = try await flow.handOver()
    } catch {
      let explained = explained(error)
      await note(error)
      guard onAsk != nil else { throw explained }
      return report.failed(error, explained, elapsed: elapsed)
    }
    let outcome = handover.outcome
    await tell(outcome)
    guard var watch = handover.watch else {
      var answer = report.delivered(outcome, elapsed: elapsed)
      answer.afterwards = { await remember(outcome) }
      return answer
    }
    await remember(outcome)
    var observer = try observer(sessionID: outcome.sessionID)
    let ending = try await end(of: &watch, observer: &observer, sessionID: outcome.sessionID)
    if let answer = ending.answer, TurnActivity.isCut(answer) {
      let size = TurnActivity.textLimit >> 20
      await context.console.warn("the answer is longer than \(size) MiB; what follows was left out")
    }
    var answer = report.ended(outcome, ending, elapsed: elapsed)
    answer.afterwards = { await settle(ending.state) }
    return answer
  }

  /// Delivers by way of the outbox.
  private func queue(_ terms: QueuedAsk.Terms, _ elapsed: () -> Duration) async throws -> Report {
    let job = QueuedAsk(request: request, terms: terms, context: context)
    let (key, standing) = try await job.run()
    switch standing {
    case .keptBefore(let prompt): return report.kept(prompt, isAgain: true)
    case .kept(let prompt):
      var answer = report.kept(prompt)
      answer.afterwards = { await note(QueuedPrompt.waitingWord, key: key) }
      return answer
    case .deliveredBefore(let prompt): return report.deliveredBefore(prompt)
    case .failed(let failure, let kept):
      await note(failure, key: key)
      var error = OppiError(failure)
      error.details["key"] = .string(key.text)
      throw kept.map(error.naming) ?? error
    case .delivered(let outcome, let kept):
      await tell(outcome)
      var answer = report.delivered(outcome, key: key, elapsed: elapsed())
      answer.afterwards = { await remember(outcome, keptAs: kept?.key) }
      return answer
    }
  }

  /// Waits for the turn's end; who is interrupted meanwhile is told where it goes on.
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
      throw OppiError(
        .interrupted,
        "interrupted; the agent works on in session \(sessionID)",
        hints: ["watch it with: oppi follow -- \(sessionID)"],
        details: ["sessionId": .string(sessionID)]
      )
    }
  }

  var flow: AskRun {
    AskRun(
      request,
      waiting: onAsk,
      timeout: context.options.timeout,
      connections: context.connections,
      models: context.modelCatalog,
      servers: context.serverStore
    )
  }

  private func observer(sessionID: String) throws -> any TurnObserver {
    if case .shownTurn(_, let isPlain) = waiting {
      return try ViewChoice(context: context, sessionID: sessionID, isPlain: isPlain).sideView()
    }
    // Several would draw over each other.
    return try ViewChoice(context: context, sessionID: sessionID, isPlain: !isOnlyOne)
      .waitingView(isHumanAwaited: onAsk == .wait)
  }

  /// What a failed delivery means to whoever waits: an agent that takes its time to start is waited
  /// for like a turn.
  private func explained(_ failure: AskFailure) -> OppiError {
    var error = OppiError(failure)
    let delivery = failure.delivery
    guard onAsk != nil, context.options.timeout != nil,
      delivery == .unknown(.silence) || delivery == .unknown(.starting)
    else { return error }
    error.code = .waitTimedOut
    error.message = "--timeout passed before the agent had begun; it may run the prompt yet"
    return error
  }

  private func tell(_ outcome: AskOutcome) async {
    hear(AskRun.Place(outcome, on: request.target.server))
    await context.console.detail("\(outcome.state.rawValue) as \(outcome.clientTurnID)")
    // A server takes another model in silence.
    if let asked = request.newModel, let model = outcome.model, model != asked {
      let server = request.target.server.name
      await context.console.warn(
        "\(server) knows no model '\(asked.safeLine(limit: 120))' (from \(modelSource.words)) "
          + "and took \(model)"
      )
    }
  }
}
