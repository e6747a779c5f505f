// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiSystem
import OppiTurns
import OppiWire

/// What later commands know of an order: the history has one entry for all its turns, that of the
/// first.
struct AskRecord {
  /// The request of the first turn.
  var request: AskRequest
  /// The prompt as the user gave it.
  let text: String
  let keepsHistory: Bool
  let context: Services

  /// The id of the first turn.
  var turnID: String { request.prompt.clientTurnID }

  /// Records a delivered prompt, and makes `last` mean its session.
  ///
  /// With `key`, updates the history entry that the outbox made.
  func remember(_ outcome: AskOutcome, keptAs key: OutboxKey? = nil) async {
    await context.learn(from: outcome, of: request)
    let workspace = outcome.workspace(on: request.target.server)
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
        let lastUsed = LastUsed(workspace: workspace, sessionID: outcome.sessionID)
        try await context.history.use(lastUsed)
      }
    } catch {
      // A warning, because the next `last` would mean another session.
      let message = "could not record session \(outcome.sessionID) as the last session"
      await context.reporter.warn(message, because: error)
    }
  }

  func note(_ state: String, key: OutboxKey? = nil) async {
    let entry = entry(state, key: key)
    await write { history throws(FileError) in try await history.note(entry) }
  }

  /// Records how the turn ended.
  func settle(_ state: String, cost: Dollars? = nil) async {
    await write { history throws(FileError) in
      try await history.settle(turn: turnID, as: state, cost: cost)
    }
  }

  /// Records a prompt that its agent is not known to have, and the session that may have it.
  func note(_ failure: AskFailure, key: OutboxKey? = nil) async {
    let state =
      switch failure.delivery {
      case .notSent: "not-sent"
      case .refused: failure.limit == nil ? "failed" : "limited"
      case .unknown: "unknown"
      }
    var entry = entry(state, key: key)
    entry.sessionID = failure.sessionID
    // `last` means the session that may have it, so that a user can look there.
    let isLast = state == "unknown" && entry.sessionID != nil && entry.workspace != nil
    await write { [entry] history throws(FileError) in
      try await history.note(entry, isLast: isLast)
    }
  }

  private func entry(
    _ state: String,
    _ outcome: AskOutcome? = nil,
    key: OutboxKey? = nil
  ) -> AskHistoryFile.Entry {
    let (prompt, target) = (request.prompt, request.target)
    var entry = AskHistoryFile.Entry(
      at: context.now(),
      clientTurnID: prompt.clientTurnID,
      workspace: outcome?.workspace(on: target.server) ?? target.stored.workspace,
      place: target.name,
      sessionID: outcome?.sessionID,
      prompt: text,
      imageCount: prompt.images.count,
      state: state,
      outboxKey: key
    )
    (entry.shortcut, entry.after) = (prompt.shortcut, prompt.after)
    return entry
  }

  private func write(_ body: (AskHistoryFile) async throws(FileError) -> Void) async {
    guard keepsHistory else { return }
    do throws(FileError) {
      try await body(context.history)
    } catch {
      await context.reporter.detail("could not write the history", because: error)
    }
  }
}
