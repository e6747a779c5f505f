// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiSystem
import Synchronization

/// One run of a shortcut: the ask, its session, and the session's end.
struct ShortcutJob {
  let name: ShortcutName
  let shortcut: Shortcut
  /// The prompt with its values.
  let text: String
  let key: OutboxKey?
  let isDryRun: Bool
  let context: Context

  private var isConversation: Bool { shortcut.conversation == .same }

  /// Sends the prompt, to the session of last time or to a new one.
  func run() async throws -> Report {
    let found = Mutex<(outcome: AskOutcome, server: PairedServer)?>(nil)
    var order = order
    order.hear = { outcome, server in found.withLock { $0 = (outcome, server) } }
    var report = try await Ask.send(order, try await Config.load(in: context), in: context)
    guard let (outcome, server) = found.withLock({ $0 }), !isDryRun else { return report }
    let (last, failure) = (report.afterwards, report.failure)
    report.afterwards = {
      await last?()
      guard let workspace = outcome.workspace(on: server) else { return }
      if isConversation { await remember(outcome.sessionID, in: workspace) }
      if endsSession(failure) { await end(outcome.sessionID, in: workspace, on: server) }
    }
    return report
  }

  private var order: AskOrder {
    var prompt = Prompt(text)
    prompt.model = shortcut.model
    prompt.thinking = shortcut.thinking
    prompt.title = shortcut.title ?? name.text
    var order = AskOrder(prompt, in: .workspaces(shortcut.workspace.map { [$0] } ?? []))
    order.modelSource = .shortcut(name.text)
    order.conversation = isConversation ? name.text : nil
    order.waiting = waiting
    order.isDryRun = isDryRun
    return order
  }

  private var waiting: AskOrder.Waiting {
    if shortcut.isWaiting { return .turn(shortcut.onAsk) }
    let endsSession = shortcut.ending == .stop
    guard shortcut.isQueueing || key != nil || endsSession else { return .delivery }
    return .outbox(
      QueuePrompt.Terms(
        isKept: shortcut.isQueueing,
        key: key,
        expiry: shortcut.expiry,
        endsSession: endsSession
      )
    )
  }

  // MARK: - Afterwards

  private func remember(_ sessionID: String, in workspace: WorkspaceReference) async {
    do {
      try await context.shortcutSessions.remember(sessionID, in: workspace, of: name.text)
    } catch {
      await context.intents.reporter.warn(
        "could not record the session; the next run starts a new one",
        because: error
      )
    }
  }

  /// Whether the turn is over, whatever came of it.
  private func endsSession(_ failure: OppiError?) -> Bool {
    guard shortcut.ending == .stop, shortcut.isWaiting else { return false }
    return switch failure?.code {
    case nil, .turnFailed, .turnStopped, .promptRefused: true
    default: false
    }
  }

  private func end(
    _ sessionID: String,
    in workspace: WorkspaceReference,
    on server: PairedServer
  ) async {
    do {
      let api = try await context.connections.client(for: server)
      try await api.stopSession(
        sessionID,
        workspaceID: workspace.workspaceID,
        until: context.loop.now + Fleet.limit
      )
    } catch {
      await context.intents.reporter.warn("could not stop session \(sessionID)", because: error)
    }
  }
}
