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
  /// With its values.
  let prompt: String
  let key: OutboxKey?
  let isDryRun: Bool
  let context: Context

  private var isConversation: Bool { shortcut.conversation == .same }

  /// Asks in the session of last time or in a new one.
  func run() async throws -> Report {
    let report = try await ask(goingOn: isConversation)
    // Nothing was sent to a session that is not there any more.
    guard isConversation, report.failure?.code == .noSuchSession else { return report }
    return try await ask(goingOn: false)
  }

  private func ask(goingOn: Bool) async throws -> Report {
    let found = Mutex<AskRun.Place?>(nil)
    let message = Ask.Message(prompt: prompt) { place in found.withLock { $0 = place } }
    var options = options
    options.conversation = goingOn ? name.text : nil
    var report = try await Ask.send(message, options, in: context)
    guard let place = found.withLock({ $0 }), !isDryRun else { return report }
    let (last, failure) = (report.afterwards, report.failure)
    report.afterwards = {
      await last?()
      await remember(place)
      if endsSession(failure) { await end(place) }
    }
    return report
  }

  private var options: Ask.Options {
    var options = Ask.Options()
    options.workspaces = shortcut.workspace.map { [$0] } ?? []
    options.model = shortcut.model
    options.modelSource = .shortcut(name.text)
    options.thinking = shortcut.thinking
    options.name = shortcut.title ?? name.text
    options.isWaiting = shortcut.isWaiting
    options.onAsk = shortcut.onAsk
    options.isQueueing = shortcut.isQueueing
    options.expiry = shortcut.expiry
    options.key = key
    options.endsSession = shortcut.ending == .stop && !shortcut.isWaiting
    options.isDryRun = isDryRun
    return options
  }

  // MARK: - Afterwards

  private func remember(_ place: AskRun.Place) async {
    guard isConversation, let workspace = place.workspace else { return }
    do {
      try await context.shortcutSessions.remember(place.sessionID, in: workspace, of: name.text)
    } catch {
      await context.console.warn("the next run begins anew: \(OppiError(error).message)")
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

  private func end(_ place: AskRun.Place) async {
    guard let workspace = place.workspace else { return }
    do {
      let api = try await context.connections.client(for: place.server)
      try await api.stopSession(
        place.sessionID,
        workspaceID: workspace.workspaceID,
        until: context.loop.now + Fleet.limit
      )
    } catch {
      let why = OppiError(error).message
      await context.console.warn("session \(place.sessionID) is still loaded: \(why)")
    }
  }
}
