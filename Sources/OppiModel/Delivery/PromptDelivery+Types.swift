// SPDX-License-Identifier: MIT

extension PromptDelivery {
  /// Time since the delivery began.
  package typealias Moment = Duration

  package enum Event: Sendable {
    case opened(Dialect.Stream)
    case received(ServerMessage)
    /// The stream broke or could not be opened; a retry may help.
    case lost
    /// The server ended the stream as planned, or wants another one; it admits one at once.
    case expired
    /// The server refuses permanently or violates the protocol.
    case shutOut
    /// The last message was not sent and will not be.
    case withheld
    /// The answer to ``Action/look(since:)``; `nil` if there was none.
    case looked(Sighting?)
    case deleted(Bool)
    /// The time ``wakeAt`` was reached.
    case woke
  }

  package enum Action: Sendable, Equatable {
    /// Open a stream of the session; answered by `opened`, `lost` or `shutOut`.
    case open
    /// Send in one write.
    case send([Request])
    /// Query the session's state over REST and, if given, its events after a sequence number.
    case look(since: Int?)
    case close
    /// Delete the session, which was created for this prompt.
    case delete
    case settle(Verdict)
  }

  /// A message with the id that its answer repeats.
  package struct Request: Sendable, Hashable {
    package var message: ClientMessage
    /// Unique among all requests to a server.
    package var id: String

    package init(_ message: ClientMessage, id: String) {
      self.message = message
      self.id = id
    }
  }

  package struct Order: Sendable, Hashable {
    /// The id of an existing session.
    package var sessionID: String
    /// Whether the session was created for this prompt: all its messages come from the prompt.
    package var isNewSession: Bool
    package var turn: ClientMessage.Turn
    package var thinking: ThinkingLevel?
    package var whenBusy: WhenBusy
    /// Whether the caller waits for the turn, not only for the delivery.
    package var waitsForTurn: Bool
    package var limits: Limits
    /// Whether the prompt may be sent again, under its id, to an agent that remembers it.
    package var mayRepeat = true

    package init(
      sessionID: String,
      isNewSession: Bool,
      turn: ClientMessage.Turn,
      thinking: ThinkingLevel? = nil,
      whenBusy: WhenBusy = .queue,
      waitsForTurn: Bool = false,
      limits: Limits = Limits()
    ) {
      self.sessionID = sessionID
      self.isNewSession = isNewSession
      self.turn = turn
      self.thinking = thinking
      self.whenBusy = whenBusy
      self.waitsForTurn = waitsForTurn
      self.limits = limits
    }
  }

  package enum WhenBusy: Sendable, Hashable {
    /// It waits for the end of the turn.
    case queue
    /// The running turn receives it when its current tool calls are over.
    case steer
  }

  /// The destination, as reported by the server.
  package struct Place: Sendable, Hashable {
    /// `nil` until the server has named it.
    package var workspaceID: String?
    /// A label, safe to show.
    package var workspaceName: String?
    /// The model that the agent uses.
    package var model: String?
    package var thinking: String?
    /// Whether the agent is Pi; `nil` if the server does not name the kind of its agents.
    package var isPi: Bool?

    package init(workspaceID: String? = nil, workspaceName: String? = nil, model: String? = nil) {
      self.workspaceID = workspaceID
      self.workspaceName = workspaceName
      self.model = model
    }
  }
}
