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

  func run() async throws {
    do {
      try await ask()
    } catch {
      guard !isOnlyOne, !(error is ReaderGone) else { throw error }
      var named = OppiError(error)
      named.message = "\(report.targetName): \(named.message)"
      throw named
    }
  }

  private func ask() async throws {
    let begin = context.loop.now
    let server = request.target.server
    context.console.detail("asking \(report.targetName) at \(server.endpoint)")
    let client: IntentAPIClient
    let delivery: AskDelivery
    do throws(AskFailure) {
      (client, delivery) = try await deliver()
    } catch {
      if waitsForTurn {
        let elapsed = begin.duration(to: context.loop.now)
        try report.print(error, elapsed: elapsed, on: context.console)
      }
      throw explained(error)
    }
    let outcome = delivery.outcome
    context.console.detail("\(outcome.state.rawValue) as \(outcome.clientTurnID)")
    await remember(outcome)
    warn(about: outcome)
    guard let stream = delivery.stream else {
      return try delivered(outcome) {
        try report.print(outcome, elapsed: begin.duration(to: context.loop.now), on: context.console)
      }
    }
    let ending = try await watch(outcome, client, stream, since: begin)
    if let answer = ending.answer, TurnActivity.isCut(answer) {
      let size = TurnActivity.textLimit >> 20
      context.console.warn("the answer is longer than \(size) MiB; what follows was left out")
    }
    try delivered(outcome) {
      let elapsed = begin.duration(to: context.loop.now)
      try report.print(outcome, ending: ending, elapsed: elapsed, on: context.console)
    }
    try ending.check(sessionID: outcome.sessionID)
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

  /// Names the session where its report cannot be written: the prompt was delivered all the same.
  private func delivered(_ outcome: AskOutcome, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch var error as OppiError {
      error.details["sessionId"] = .string(outcome.sessionID)
      error.details["clientTurnId"] = .string(outcome.clientTurnID)
      error.hints.append("the prompt was delivered; its session is \(outcome.sessionID)")
      throw error
    }
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
      context.console.warn("'last' does not mean session \(outcome.sessionID): \(why)")
    }
  }

  /// Says what the server did otherwise than it was asked to; it does so in silence.
  private func warn(about outcome: AskOutcome) {
    guard let asked = request.model, let model = outcome.model, model != asked else { return }
    context.console.warn(
      "\(request.target.server.name) knows no model '\(asked.safeLine(limit: 120))' and took \(model)"
    )
  }
}
