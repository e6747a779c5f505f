// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem
import OppiTransport

/// One prompt on its way: hands it over, watches its turn where that is asked for, and reports.
struct AskRun {
  /// How long the command stays.
  enum Waiting: Sendable {
    /// Until the server has the prompt.
    case delivery
    /// Until the turn is over.
    case turn(OnAsk)
    /// Until the turn is over, which is shown meanwhile.
    case shownTurn(OnAsk, isPlain: Bool)
  }

  let request: AskRequest
  let waiting: Waiting
  /// Whether no other prompts of the same command are on their way beside this one.
  let isOnlyOne: Bool
  let context: Context

  private var report: AskReport { AskReport(request, isOnlyOne: isOnlyOne) }

  private var waitsForTurn: Bool {
    if case .delivery = waiting { false } else { true }
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

  /// The error of one prompt among several.
  private func named(_ error: OppiError) -> OppiError {
    guard !isOnlyOne else { return error }
    var named = error
    named.message = "\(report.targetName): \(error.message)"
    return named
  }

  private func ask() async throws -> Report {
    let begin = context.loop.now
    let server = request.target.server
    await context.console.detail("asking \(report.targetName) at \(server.endpoint)")
    let client: IntentAPIClient
    let delivery: AskDelivery
    do throws(AskFailure) {
      (client, delivery) = try await deliver()
    } catch {
      let explained = explained(error)
      guard waitsForTurn else { throw explained }
      return report.failed(error, explained, elapsed: begin.duration(to: context.loop.now))
    }
    let outcome = delivery.outcome
    await context.console.detail("\(outcome.state.rawValue) as \(outcome.clientTurnID)")
    await warn(about: outcome)
    guard let stream = delivery.stream else {
      var answer = report.delivered(outcome, elapsed: begin.duration(to: context.loop.now))
      answer.afterwards = { await remember(outcome) }
      return answer
    }
    await remember(outcome)
    let ending = try await watch(outcome, client, stream, since: begin)
    if let answer = ending.answer, TurnActivity.isCut(answer) {
      let size = TurnActivity.textLimit >> 20
      await context.console.warn("the answer is longer than \(size) MiB; what follows was left out")
    }
    return report.ended(outcome, ending, elapsed: begin.duration(to: context.loop.now))
  }

  /// What a failed delivery means to whoever waits: an agent that takes its time to start is waited
  /// for like a turn.
  private func explained(_ failure: AskFailure) -> OppiError {
    var error = OppiError(failure)
    guard waitsForTurn, context.options.timeout != nil, failure.delivery == .unknown(.silence)
    else { return error }
    error.code = .waitTimedOut
    error.message = "--timeout passed before the agent had begun; it may run the prompt yet"
    return error
  }

  private func deliver() async throws(AskFailure) -> (IntentAPIClient, AskDelivery) {
    let client: IntentAPIClient
    do {
      client = try await context.connections.client(for: request.target.server)
    } catch {
      throw AskFailure(
        delivery: .notSent,
        cause: error,
        server: request.target.server.name,
        clientTurnID: request.clientTurnID
      )
    }
    var limits = AskLimits()
    // A slow start is a part of the wait for the turn.
    if waitsForTurn { limits.delivery.total = nil }
    if let timeout = context.options.timeout {
      limits.delivery.total = timeout
      limits.connect = min(limits.connect, timeout)
    }
    let flow = AskPi(api: client, limits: limits)
    return (client, try await flow.perform(request, waitingForTurn: waitsForTurn))
  }

  private func watch(
    _ outcome: AskOutcome,
    _ client: IntentAPIClient,
    _ stream: OpenStream,
    since begin: EventLoop.Instant
  ) async throws -> TurnEnding {
    var server = request.target.server
    server.dialect = outcome.dialect
    let session = ServerSession(
      server: server,
      id: outcome.sessionID,
      workspaceID: outcome.workspaceID,
      workspaceName: outcome.workspaceName
    )
    var watch = TurnWatch(
      context: context,
      session: session,
      api: client,
      turnOf: outcome,
      prompt: request.prompt,
      adopting: stream
    )
    watch.deadline = context.options.timeout.map { begin + $0 }
    var view: any ActivityView = SilentView()
    switch waiting {
    case .delivery: break
    case .turn(let onAsk): watch.onAsk = onAsk
    case .shownTurn(let onAsk, let isPlain):
      watch.onAsk = onAsk
      view = try ViewChoice(context: context, sessionID: session.id, isPlain: isPlain).sideView()
    }
    return try await watch.run(&view)
  }

  // MARK: - On the side

  /// Keeps what was learned for the next time; the prompt is delivered whether that works or not.
  private func remember(_ outcome: AskOutcome) async {
    let server = request.target.server
    if server.dialect != outcome.dialect {
      try? await context.serverStore.remember(outcome.dialect, of: server.id)
    }
    guard let workspaceID = outcome.workspaceID,
      let workspace = WorkspaceReference(serverID: server.id, workspaceID: workspaceID)
    else { return }
    do {
      try context.lastUsed.store(.init(workspace: workspace, sessionID: outcome.sessionID))
    } catch {
      // The next 'last' would mean another session.
      let why = OppiError(error).message
      await context.console.warn("'last' does not mean session \(outcome.sessionID): \(why)")
    }
  }

  /// Says what the server did otherwise than it was asked to; it does so in silence.
  private func warn(about outcome: AskOutcome) async {
    guard let asked = request.model, let model = outcome.model, model != asked else { return }
    await context.console.warn(
      "\(request.target.server.name) knows no model '\(asked.safeLine(limit: 120))' and took \(model)"
    )
  }
}
