// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiSystem

/// What is kept of a prompt for the next command.
extension AskJob {
  /// Keeps where the prompt is now: `last` means its session.
  ///
  /// - Parameters:
  ///   - outcome: What became of the prompt.
  ///   - key: The key under which the outbox kept it, where it did.
  func remember(_ outcome: AskOutcome, keptAs key: OutboxKey? = nil) async {
    await flow.remember(outcome)
    let workspace = workspace(of: outcome)
    do throws(FileError) {
      if let key, keepsHistory {
        try await context.history.settle(
          key,
          as: outcome.state.rawValue,
          sessionID: outcome.sessionID,
          lastIn: workspace
        )
      } else if keepsHistory {
        let entry = entry(outcome.state.rawValue, outcome)
        try await context.history.note(entry, isLast: workspace != nil)
      } else if let workspace {
        let use = LastUsedStore.LastUsed(workspace: workspace, sessionID: outcome.sessionID)
        try await context.lastUsed.store(use)
      }
    } catch {
      // The next 'last' would mean another session.
      let why = OppiError(error).message
      await context.console.warn(
        "could not record \(outcome.sessionID) as the session that 'last' means: \(why)"
      )
    }
  }

  private func workspace(of outcome: AskOutcome?) -> WorkspaceReference? {
    outcome?.workspaceID.flatMap {
      WorkspaceReference(serverID: request.target.server.id, workspaceID: $0)
    }
  }

  /// The prompt with what is known of it.
  private func entry(
    _ state: String,
    _ outcome: AskOutcome? = nil,
    key: OutboxKey? = nil
  ) -> AskHistoryFile.Entry {
    let (workspaceID, _) = request.target.workspace
    return AskHistoryFile.Entry(
      at: context.now(),
      clientTurnID: request.clientTurnID,
      workspace: workspace(of: outcome)
        ?? workspaceID.flatMap {
          WorkspaceReference(serverID: request.target.server.id, workspaceID: $0)
        },
      place: report.targetName,
      sessionID: outcome?.sessionID,
      prompt: request.prompt,
      imageCount: request.images.count,
      state: state,
      outboxKey: key
    )
  }

  func note(_ state: String, key: OutboxKey? = nil) async {
    let entry = entry(state, key: key)
    await write { history throws(FileError) in try await history.note(entry) }
  }

  /// Writes down how the turn has ended.
  func settle(_ state: String) async {
    await write { history throws(FileError) in
      try await history.settle(turn: request.clientTurnID, as: state)
    }
  }

  private func write(_ body: (AskHistoryFile) async throws(FileError) -> Void) async {
    guard keepsHistory else { return }
    do throws(FileError) {
      try await body(context.history)
    } catch {
      await context.console.detail("the history was not written: \(OppiError(error).message)")
    }
  }

  /// Keeps a prompt that is not known to be with its agent, and the session that may have it.
  func note(_ failure: AskFailure, key: OutboxKey? = nil) async {
    let state =
      switch failure.delivery {
      case .notSent: "not-sent"
      case .refused: "failed"
      case .unknown: "unknown"
      }
    var entry = entry(state, key: key)
    entry.sessionID = failure.sessionID
    // The session that may have it is the one to look at.
    let isLast = state == "unknown" && entry.sessionID != nil && entry.workspace != nil
    await write { [entry] history throws(FileError) in
      try await history.note(entry, isLast: isLast)
    }
  }
}
