// SPDX-License-Identifier: MIT

package import OppiModel

/// A prompt and its target.
package struct AskRequest: Sendable {
  package enum Target: Sendable {
    case newSession(ServerWorkspace)
    /// A session that was created for this prompt earlier, and is still empty.
    case emptySession(ServerSession)
    case session(ServerSession)

    /// Whether the session has no conversation yet.
    package var isNewSession: Bool {
      switch self {
      case .newSession, .emptySession: true
      case .session: false
      }
    }

    package var server: PairedServer {
      switch self {
      case .newSession(let workspace): workspace.server
      case .emptySession(let session), .session(let session): session.server
      }
    }

    /// The workspace as far as it is known without querying the server.
    package var workspace: (id: String?, name: String?) {
      switch self {
      case .newSession(let target): (target.workspace.id, target.workspace.name)
      case .emptySession(let session), .session(let session):
        (session.workspaceID, session.workspaceName)
      }
    }

    /// `server/workspace`, or `server/session` for a session.
    package var name: String {
      switch self {
      case .newSession(let workspace): workspace.qualifiedName
      case .emptySession(let session), .session(let session):
        "\(session.server.name)/\(session.id)"
      }
    }
  }

  package var target: Target
  package var prompt: Prompt
  package var budget = Budget()
  /// The shortcut that sends it; `nil` for none.
  package var shortcut: String?
  /// The id of the turn after whose success it is sent, in a chain; `nil` for none.
  package var after: String?
  /// The server recognises a repeat by this id.
  package var clientTurnID: String
  /// The title that the session gets after it has the prompt; `nil` keeps its title.
  package var lastingTitle: String?

  package init(_ prompt: Prompt, to target: Target, clientTurnID: String) {
    self.target = target
    self.prompt = prompt
    self.clientTurnID = clientTurnID
  }
}

extension AskRequest {
  /// The model for the new session; `nil` for the workspace's default.
  package var newModel: String? {
    prompt.model ?? (target.isNewSession ? prompt.defaults.model : nil)
  }

  /// The thinking level to set; `nil` keeps the session's level.
  package var level: ThinkingLevel? {
    prompt.thinking ?? (target.isNewSession ? prompt.defaults.thinking : nil)
  }
}

/// Time limits of the steps of an ask.
package struct AskLimits: Sendable {
  /// To connect and get the first message.
  package var connect = Duration.seconds(5)
  /// To get an answer of a server that is reachable, unless the delivery has a total limit.
  package var answer = Duration.seconds(10)
  /// For the steps after that.
  package var delivery = PromptDelivery.Limits()

  package init() {}
}

/// The state of a prompt that the server has.
package struct AskOutcome: Sendable, Equatable {
  /// The last step of the prompt that is known.
  package var state: PromptDelivery.Progress
  package var sessionID: String
  /// `nil` if the server did not name it.
  package var workspaceID: String?
  /// A label, safe to show.
  package var workspaceName: String?
  /// The id under which it was accepted.
  package var clientTurnID: String
  /// As the server reports it.
  package var model: String?
  /// As the server reports it.
  package var thinking: String?
  /// Whether the agent is Pi; `nil` if the server does not name the kind of its agents.
  package var isPi: Bool?
  /// The stream that the server actually has.
  package var stream: Dialect.Stream
}

extension AskOutcome {
  /// The session that has the prompt.
  package func session(on server: PairedServer) -> ServerSession {
    var server = server
    server.learn(stream)
    return ServerSession(
      server: server,
      id: sessionID,
      workspaceID: workspaceID,
      workspaceName: workspaceName
    )
  }

  /// Whether its agent is Pi, as all agents of servers without device keys are.
  package func isOfPi(on server: PairedServer) -> Bool {
    isPi ?? (server.dialect?.credential != .deviceKey)
  }

  /// The composite id of its workspace; `nil` if the server did not name it.
  package func workspace(on server: PairedServer) -> WorkspaceReference? {
    workspaceID.flatMap { WorkspaceReference(serverID: server.id, workspaceID: $0) }
  }
}

/// A prompt that the server has, and the stream of its turn.
package struct AskDelivery: Sendable {
  package var outcome: AskOutcome
  /// `nil` unless the turn is awaited.
  package var stream: OpenStream?
}

/// A subscription to a session, and the messages received over it so far.
package struct OpenStream: Sendable {
  /// `nil` if the connection was lost.
  package var socket: IntentWebSocket?
  /// The messages since the prompt was sent.
  package var backlog: [ServerMessage]
  /// The counter from which to request missed events; `nil` if the backlog has it.
  package var anchor: Int?
  /// The agent that counts it; `nil` on servers that do not name agents.
  package var epoch: String?
}

/// Why a prompt is not known to be with its agent.
package struct AskFailure: Error {
  package enum Delivery: Sendable, Equatable {
    case notSent
    case refused(PromptDelivery.Refusal)
    case unknown(PromptDelivery.Doubt)
  }

  package var delivery: Delivery
  /// The underlying failure, if any.
  package var cause: IntentError?
  /// The session of the prompt; `nil` if there is none, or it was deleted.
  package var sessionID: String?
  /// Whether the session was created for the prompt.
  package var isNewSession = true
  /// The server's label.
  package var server: String
  /// The id of the last attempt.
  package var clientTurnID: String
  /// Whether it was sent again with the same id, so that it could not run twice.
  package var wasRepeated: Bool

  package init(
    delivery: Delivery,
    cause: IntentError?,
    sessionID: String? = nil,
    server: String,
    clientTurnID: String,
    wasRepeated: Bool = false
  ) {
    self.delivery = delivery
    self.cause = cause
    self.sessionID = sessionID
    self.server = server
    self.clientTurnID = clientTurnID
    self.wasRepeated = wasRepeated
  }
}

extension AskFailure {
  init(notSent request: AskRequest, because cause: IntentError) {
    self.init(
      delivery: .notSent,
      cause: cause,
      server: request.target.server.name,
      clientTurnID: request.clientTurnID
    )
  }
}
