// SPDX-License-Identifier: MIT

package import OppiModel

/// A prompt and where it goes.
package struct AskRequest: Sendable {
  /// The conversation that the prompt becomes a part of.
  package enum Target: Sendable {
    /// A new session in a workspace.
    case newSession(ServerWorkspace)
    /// A session that was made for this prompt before, and has got nothing.
    case emptySession(ServerSession)
    case session(ServerSession)

    /// Whether nothing was said in it before.
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

    /// The workspace as far as it is known before the server is asked.
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
  /// By this id the server recognises a repeat.
  package var clientTurnID: String
  /// The title that the session gets once it has the prompt; `nil` keeps the one that it has.
  package var lastingTitle: String?

  package init(_ prompt: Prompt, to target: Target, clientTurnID: String) {
    self.target = target
    self.prompt = prompt
    self.clientTurnID = clientTurnID
  }
}

extension AskRequest {
  /// The model of the session that is made for it; `nil` for the workspace's own.
  package var newModel: String? {
    prompt.model ?? (target.isNewSession ? prompt.defaults.model : nil)
  }

  /// The level that the session gets; `nil` where it keeps what it has.
  package var level: ThinkingLevel? {
    prompt.thinking ?? (target.isNewSession ? prompt.defaults.thinking : nil)
  }
}

/// How long the steps of an ask may take.
package struct AskLimits: Sendable {
  /// To connect and get the first message.
  package var connect = Duration.seconds(5)
  /// For what follows.
  package var delivery = PromptDelivery.Limits()

  package init() {}
}

/// What became of a prompt that the server has.
package struct AskOutcome: Sendable, Equatable {
  /// How far the prompt is known to have come.
  package var state: PromptDelivery.Progress
  /// The session that has it.
  package var sessionID: String
  /// `nil` where the server did not name it.
  package var workspaceID: String?
  /// A label, safe to show.
  package var workspaceName: String?
  /// The id under which it was taken.
  package var clientTurnID: String
  /// As the server says.
  package var model: String?
  /// As the server says.
  package var thinking: String?
  /// How the server turned out to stream.
  package var dialect: PairedServer.Dialect
}

extension AskOutcome {
  /// The composite id of its workspace; `nil` if the server did not name it.
  package func workspace(on server: PairedServer) -> WorkspaceReference? {
    workspaceID.flatMap { WorkspaceReference(serverID: server.id, workspaceID: $0) }
  }
}

/// A prompt that the server has, and the stream where its turn goes on.
package struct AskDelivery: Sendable {
  /// What the server has said.
  package var outcome: AskOutcome
  /// There where somebody waits for the turn.
  package var stream: OpenStream?
}

/// A subscription to a session, with what has come over it already.
package struct OpenStream: Sendable {
  /// `nil` where the connection was lost.
  package var socket: IntentWebSocket?
  /// What has come since the prompt left.
  package var backlog: [ServerMessage]
  /// The session's counter from which missed events can be had; `nil` where the backlog tells it.
  package var anchor: Int?
}

/// Why a prompt is not known to be with its agent, and what is known.
package struct AskFailure: Error {
  /// How far the prompt had come.
  package enum Delivery: Sendable, Equatable {
    /// It never left.
    case notSent
    case refused(PromptDelivery.Refusal)
    case unknown(PromptDelivery.Doubt)
  }

  /// What is known of the prompt.
  package var delivery: Delivery
  /// The failure behind it, where there is one.
  package var cause: IntentError?
  /// The session that the prompt was for; `nil` where there is none, or none any more.
  package var sessionID: String?
  /// The server's label.
  package var server: String
  /// The id under which it went last.
  package var clientTurnID: String
  /// Whether it was sent again under the same id, where it could not run twice.
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
  /// The failure of a request that never left.
  init(notSent request: AskRequest, because cause: IntentError) {
    self.init(
      delivery: .notSent,
      cause: cause,
      server: request.target.server.name,
      clientTurnID: request.clientTurnID
    )
  }
}
