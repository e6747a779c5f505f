// SPDX-License-Identifier: MIT

package import OppiModel

/// A prompt and where it goes.
package struct AskRequest: Sendable {
  /// The conversation that the prompt becomes a part of.
  package enum Target: Sendable {
    /// A new session in a workspace.
    case newSession(ServerWorkspace)
    case session(ServerSession)

    package var server: PairedServer {
      switch self {
      case .newSession(let workspace): workspace.server
      case .session(let session): session.server
      }
    }
  }

  package var target: Target
  package var prompt: String
  package var images: [ImageAttachment]
  /// Only for a new session; the workspace's own choice otherwise.
  package var model: String?
  /// Sent only when it is not the default, `medium`.
  package var thinking: ThinkingLevel?
  /// A title for a new session.
  package var name: String?
  /// By this id the server recognises a repeat.
  package var clientTurnID: String

  package init(
    target: Target,
    prompt: String,
    images: [ImageAttachment] = [],
    model: String? = nil,
    thinking: ThinkingLevel? = nil,
    name: String? = nil,
    clientTurnID: String
  ) {
    self.target = target
    self.prompt = prompt
    self.images = images
    self.model = model
    self.thinking = thinking
    self.name = name
    self.clientTurnID = clientTurnID
  }
}

/// How long the steps of an ask may take.
package struct AskLimits: Sendable {
  /// To connect and get the first message.
  package var connect = Duration.seconds(5)
  /// For the whole ask.
  package var total = Duration.seconds(10)
  /// For a second attempt after the connection was lost with the prompt on its way.
  package var retry = Duration.seconds(5)
  /// For the agent's first sign of life after the server accepted the prompt.
  package var start = Duration.seconds(1)

  package init() {}
}

/// What became of a prompt that the server has.
package struct AskOutcome: Sendable, Equatable {
  /// How far the prompt is known to have come.
  package enum State: String, Sendable {
    /// The server has taken it.
    case accepted
    /// The agent has begun.
    case started
    /// It waits behind a running turn.
    case queued
  }

  package var state: State
  package var sessionID: String
  package var workspaceID: String?
  package var workspaceName: String?
  package var clientTurnID: String
  package var model: String?
  package var thinking: String?
  package var dialect: PairedServer.Dialect
}

/// A prompt that the server has, and the stream where its turn goes on.
package struct AskDelivery: Sendable {
  package var outcome: AskOutcome
  /// Open where it was asked to be kept.
  package var stream: OpenStream?
}

/// An open stream of a session, with what has come over it already.
package struct OpenStream: Sendable {
  package var socket: IntentWebSocket
  package var backlog: [ServerMessage]
}

/// Why a prompt is not known to be with its agent, and what is known.
package struct AskFailure: Error {
  /// How far the prompt had come.
  package enum Delivery: Sendable, Equatable {
    /// It never left; no session was made as far as is known.
    case notSent
    /// A session is there, but the prompt never left.
    case sessionOnly(sessionID: String)
    /// The server or the agent refused it.
    case refused(sessionID: String)
    /// It left, and whether it arrived is not known.
    case unknown(sessionID: String)
  }

  package var cause: IntentError
  package var delivery: Delivery
  /// Whether it was sent a second time, under the same id.
  package var wasRepeated: Bool

  package init(_ cause: IntentError, _ delivery: Delivery, wasRepeated: Bool = false) {
    self.cause = cause
    self.delivery = delivery
    self.wasRepeated = wasRepeated
  }
}
