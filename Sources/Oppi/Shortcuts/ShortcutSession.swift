// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// The session of a shortcut's run after the prompt was accepted; the next run continues it, or it
/// ends with the turn.
struct ShortcutSession: Sendable {
  private let name: ShortcutName
  private let shortcut: Shortcut
  private let context: IntentContext

  init(of named: NamedShortcut, in context: IntentContext) {
    (name, shortcut, self.context) = (named.name, named.shortcut, context)
  }

  /// Records or ends the session, according to the shortcut; warns if that fails.
  ///
  /// - Parameters:
  ///   - outcome: The outcome of the prompt.
  ///   - server: The server of the session.
  ///   - isTurnOver: Whether the turn has ended.
  func settle(
    _ outcome: AskOutcome,
    on server: PairedServer,
    isTurnOver: Bool
  ) async {
    guard let workspace = outcome.workspace(on: server) else { return }
    if shortcut.conversation == .same { await remember(outcome.sessionID, in: workspace) }
    if shortcut.ending == .stop, shortcut.isWaiting, isTurnOver {
      await end(outcome.sessionID, in: workspace, on: server)
    }
  }

  private func remember(_ sessionID: String, in workspace: WorkspaceReference) async {
    do {
      try await context.shortcutSessions.remember(sessionID, in: workspace, of: name.text)
    } catch {
      await context.reporter.warn(
        "could not record the session; the next run starts a new one",
        because: error
      )
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
      await context.reporter.warn("could not stop session \(sessionID)", because: error)
    }
  }
}
