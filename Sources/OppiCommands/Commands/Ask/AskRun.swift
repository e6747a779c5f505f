// SPDX-License-Identifier: MIT

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
  /// Whether other prompts of the same command are on their way beside this one.
  let isOnlyOne: Bool
  let context: Context

  private var report: AskReport { AskReport(request) }

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
    let start = ContinuousClock.now
    let server = request.target.server
    context.console.detail("asking \(report.targetName) at \(server.endpoint)")
    let client: IntentAPIClient
    let delivery: AskDelivery
    do throws(AskFailure) {
      (client, delivery) = try await deliver()
    } catch {
      throw OppiError(error, clientTurnID: request.clientTurnID)
    }
    let outcome = delivery.outcome
    context.console.detail("\(outcome.state.rawValue) as \(outcome.clientTurnID)")
    guard let stream = delivery.stream else {
      remember(outcome)
      let elapsed = ContinuousClock.now - start
      return try delivered(outcome) {
        try report.print(outcome, elapsed: elapsed, isOnlyOne: isOnlyOne, on: context.console)
      }
    }
    remember(outcome)
    let ending = try await watch(outcome, client, stream)
    try delivered(outcome) {
      try report.print(
        outcome,
        ending: ending,
        elapsed: ContinuousClock.now - start,
        on: context.console
      )
    }
    try ending.check()
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
      throw AskFailure(error, .notSent)
    }
    var limits = AskLimits()
    var keepsStream = true
    if case .delivery = waiting { keepsStream = false }
    if let timeout = context.options.timeout {
      // The time of a whole turn is no reason to wait longer for the prompt's delivery.
      limits.total = keepsStream ? min(limits.total, timeout) : timeout
      limits.connect = min(limits.connect, timeout)
    }
    let flow = AskPi(api: client, limits: limits, newID: context.newID)
    return (client, try await flow.perform(request, keepingStream: keepsStream))
  }

  private func watch(
    _ outcome: AskOutcome,
    _ client: IntentAPIClient,
    _ stream: OpenStream
  ) async throws -> TurnEnding {
    var server = request.target.server
    server.dialect = outcome.dialect
    let session = ServerSession(
      server: server,
      id: outcome.sessionID,
      workspaceID: outcome.workspaceID,
      workspaceName: outcome.workspaceName
    )
    var watch = TurnWatch(context: context, session: session, api: client, adopting: stream)
    watch.deadline = context.options.timeout.map { .now + $0 }
    var view: any ActivityView = SilentView()
    switch waiting {
    case .delivery: break
    case .turn(let onAsk): watch.onAsk = onAsk
    case .shownTurn(let onAsk, let isPlain):
      watch.onAsk = onAsk
      view = try ViewChoice(context: context, sessionID: session.id, isPlain: isPlain).sideView()
    }
    return TurnEnding(try await watch.run(&view), sessionID: session.id)
  }

  /// What was learned for the next time; the prompt is delivered whether it can be kept or not.
  private func remember(_ outcome: AskOutcome) {
    let server = request.target.server
    if server.dialect != outcome.dialect {
      try? context.serverStore.remember(outcome.dialect, of: server.id)
    }
    guard let workspaceID = outcome.workspaceID,
      let workspace = WorkspaceReference(serverID: server.id, workspaceID: workspaceID)
    else { return }
    try? context.lastUsed.store(.init(workspace: workspace, sessionID: outcome.sessionID))
  }
}
