// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiSystem
import OppiText
import OppiTurns
import OppiWire
import Synchronization

/// One run of a shortcut: the ask, its session, and the session's end.
struct ShortcutJob {
  let named: NamedShortcut
  /// The prompt with its values.
  let text: String
  let key: OutboxKey?
  let options: Run.Options
  let context: Context

  private var shortcut: Shortcut { named.shortcut }

  /// Sends the prompt to the session of the previous run or to a new session.
  func run() async throws -> Report {
    let found = Mutex<(outcome: AskOutcome, server: PairedServer)?>(nil)
    var order = order
    order.onDelivered = { outcome, server in found.withLock { $0 = (outcome, server) } }
    var report = try await Ask.send(order, try await Config.load(in: context), in: context)
    guard let (outcome, server) = found.withLock({ $0 }), !options.isDryRun else { return report }
    // A queued continuation ends the session itself.
    let isQueued = report.result?.state == QueuedPrompt.waitingWord
    let (last, isTurnOver) = (report.afterwards, !isQueued && Self.isTurnOver(report.failure))
    report.afterwards = {
      await last?()
      await settle(outcome, on: server, isTurnOver: isTurnOver)
    }
    return report
  }

  private var order: AskOrder {
    var prompt = Prompt(text)
    prompt.model = shortcut.model
    prompt.thinking = shortcut.thinking
    prompt.title = shortcut.title ?? named.name.text
    prompt.budget.turn = shortcut.maxCost
    prompt.conversation = shortcut.conversation == .same ? named.name.text : nil
    (prompt.shortcut, prompt.after) = (named.name.text, options.after?.turnID)
    var order = AskOrder(prompt, in: .workspaces(shortcut.workspace.map { [$0] } ?? []))
    order.modelSource = .shortcut(named.name.text)
    order.waiting = waiting
    order.onLimit = shortcut.onLimit
    order.checks = shortcut.checks
    order.endsSession = shortcut.ending == .stop
    order.isDryRun = options.isDryRun
    return order
  }

  private var waiting: AskOrder.Waiting {
    if shortcut.isWaiting { return .turn(shortcut.onAsk) }
    guard shortcut.isQueueing || key != nil || shortcut.ending == .stop else { return .delivery }
    return .outbox(
      QueuePrompt.Terms(isKept: shortcut.isQueueing, key: key, expiry: shortcut.expiry)
    )
  }

  /// Whether the turn is over, with any outcome.
  private static func isTurnOver(_ failure: OppiError?) -> Bool {
    switch failure?.code {
    case nil, .turnFailed, .turnStopped, .limited, .badInput, .promptRefused: true
    default: false
    }
  }

  // MARK: - The session after the prompt was accepted

  /// Records the session for the next run, or ends it, according to the shortcut; warns if that
  /// fails.
  private func settle(
    _ outcome: AskOutcome,
    on server: PairedServer,
    isTurnOver: Bool
  ) async {
    guard let workspace = outcome.workspace(on: server) else { return }
    let (context, sessionID) = (context.services, outcome.sessionID)
    if shortcut.conversation == .same {
      do {
        let session = ContinuedSession(workspace: workspace, id: sessionID)
        try await context.shortcutSessions.update { $0[named.name.text] = session }
      } catch {
        await context.reporter.warn(
          "could not record the session; the next run starts a new one",
          because: error
        )
      }
    }
    guard shortcut.ending == .stop, shortcut.isWaiting, isTurnOver else { return }
    do {
      let api = try await context.connections.client(for: server)
      try await api.within(ServerCalls.limit)
        .stopSession(sessionID, workspaceID: workspace.workspaceID)
    } catch {
      await context.reporter.warn("could not stop session \(sessionID)", because: error)
    }
  }
}
