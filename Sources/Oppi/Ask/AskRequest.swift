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
