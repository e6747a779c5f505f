// SPDX-License-Identifier: MIT

extension PromptDelivery {
  /// A moment as the time since the delivery began.
  package typealias Moment = Duration

  /// Something that has happened.
  package enum Event: Sendable {
    /// A stream of the session stands.
    case opened(PairedServer.Dialect)
    case received(ServerMessage)
    /// The stream broke, or could not be opened; trying again may help.
    case lost
    /// The server cannot be talked to any more: it refuses for good or breaks the protocol.
    case shutOut
    /// What was to be sent last has not left, and will not.
    case withheld
    /// What was asked for by ``Action/look(since:)``; `nil` where no answer came.
    case looked(Sighting?)
    case deleted(Bool)
    /// The moment of ``wakeAt`` has come.
    case woke
  }

  /// Something that the owner has to do.
  package enum Action: Sendable, Equatable {
    /// Open a stream of the session; answered by `opened`, `lost` or `shutOut`.
    case open
    /// Send in one write.
    case send([Request])
    /// Ask the REST interface how the session stands, and for its events after a counter where one
    /// is given.
    case look(since: Int?)
    /// Say goodbye to the stream.
    case close
    /// Remove the session, which was made for this prompt in vain.
    case delete
    /// There is no more to be done.
    case settle(Verdict)
  }

  /// A message under the id that its answer repeats.
  package struct Request: Sendable, Hashable {
    /// What is sent.
    package var message: ClientMessage
    /// Unique among all that are sent to a server.
    package var id: String

    package init(_ message: ClientMessage, id: String) {
      self.message = message
      self.id = id
    }
  }

  /// What is to be delivered and where to.
  package struct Order: Sendable, Hashable {
    /// The session, which exists.
    package var sessionID: String
    /// Whether the session was made for this prompt: whatever is in it is the prompt's.
    package var isNewSession: Bool
    /// The words, and the id by which the server recognises them.
    package var turn: ClientMessage.Turn
    /// The level that was asked for, if any.
    package var thinking: ThinkingLevel?
    /// What becomes of it where a turn is running.
    package var whenBusy: WhenBusy
    /// Whether somebody waits for the turn and not for the delivery alone.
    package var waitsForTurn: Bool
    /// How long the steps may take.
    package var limits: Limits
    /// Whether it is sent again, under its id, to an agent that is known to remember it.
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

  /// How a prompt meets a running turn.
  package enum WhenBusy: Sendable, Hashable {
    /// It waits for the turn's end.
    case queue
    /// The turn hears it once its present tool calls are over.
    case steer
  }

  /// What the server says of the session that the prompt goes to.
  package struct Place: Sendable, Hashable {
    /// The workspace; `nil` until the server has named it.
    package var workspaceID: String?
    /// A label, safe to show.
    package var workspaceName: String?
    /// The model that the agent really uses.
    package var model: String?
    /// The level at which the agent really thinks.
    package var thinking: String?

    package init(workspaceID: String? = nil, workspaceName: String? = nil, model: String? = nil) {
      self.workspaceID = workspaceID
      self.workspaceName = workspaceName
      self.model = model
    }
  }
}
