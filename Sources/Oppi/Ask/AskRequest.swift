// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// A prompt and its target.
struct AskRequest: Sendable {
  enum Target: Sendable {
    case newSession(ServerWorkspace)
    /// A session that was created for this prompt earlier, and is still empty.
    case emptySession(ServerSession)
    case session(ServerSession)

    /// Whether the session has no conversation yet.
    var isNewSession: Bool {
      switch self {
      case .newSession, .emptySession: true
      case .session: false
      }
    }

    var server: PairedServer {
      switch self {
      case .newSession(let workspace): workspace.server
      case .emptySession(let session), .session(let session): session.server
      }
    }

    /// The session, if it exists.
    var knownSession: ServerSession? {
      switch self {
      case .newSession: nil
      case .emptySession(let session), .session(let session): session
      }
    }

    /// The workspace as far as it is known without querying the server.
    var workspace: (id: String?, name: String?) {
      switch self {
      case .newSession(let target): (target.workspace.id, target.workspace.name)
      case .emptySession(let session), .session(let session):
        (session.workspaceID, session.workspaceName)
      }
    }

    /// `server/workspace`, or `server/session` for a session.
    var name: String {
      switch self {
      case .newSession(let workspace): workspace.qualifiedName
      case .emptySession(let session), .session(let session):
        "\(session.server.name)/\(session.id)"
      }
    }
  }

  var target: Target
  var prompt: Prompt

  /// A `nil` `clientTurnID` keeps the prompt's own.
  init(_ prompt: Prompt, to target: Target, clientTurnID: String? = nil) {
    (self.target, self.prompt) = (target, prompt)
    if let clientTurnID { self.prompt.clientTurnID = clientTurnID }
  }
}

extension AskRequest {
  /// The model for the new session; `nil` for the workspace's default.
  var newModel: String? { prompt.model(forNewSession: target.isNewSession) }

  /// The thinking level to set; `nil` keeps the session's level.
  var level: ThinkingLevel? { prompt.level(forNewSession: target.isNewSession) }
}

/// Records a prompt for later commands: in the history, and as the meaning of `last`.
struct AskRecord: Sendable {
  var request: AskRequest
  /// The prompt without what checks add.
  let text: String
  let keepsHistory: Bool
  let context: IntentContext

  /// The id of its entry.
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
        let use = LastUsedStore.LastUsed(workspace: workspace, sessionID: outcome.sessionID)
        try await context.lastUsed.store(use)
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
    let server = request.target.server
    let planned = request.target.workspace.id.flatMap {
      WorkspaceReference(serverID: server.id, workspaceID: $0)
    }
    var entry = AskHistoryFile.Entry(
      at: context.now(),
      clientTurnID: turnID,
      workspace: outcome?.workspace(on: server) ?? planned,
      place: request.target.name,
      sessionID: outcome?.sessionID,
      prompt: text,
      imageCount: request.prompt.images.count,
      state: state,
      outboxKey: key
    )
    (entry.shortcut, entry.after) = (request.prompt.shortcut, request.prompt.after)
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
