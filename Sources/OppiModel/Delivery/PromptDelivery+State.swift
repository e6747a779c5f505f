// SPDX-License-Identifier: MIT

extension PromptDelivery {
  /// A prompt that has left.
  struct Shipment: Sendable, Hashable {
    typealias Kind = Departure.Kind

    /// A prompt that comes while a turn runs is lost by the server, a follow-up that comes while
    /// none does is refused.
    var kind: Kind
    var leftAt: Moment
    /// When the server's word is no longer waited for; `nil` for ever.
    var until: Moment?
    var isRepeat = false
    /// How often the connection was lost since.
    var losses = 0
    /// Whether the server has seen its id before: that says nothing of what became of it.
    var isKnown = false
    /// Whether a prompt was refused that may have been this one.
    var isSuspect = false
  }

  /// What a second look has found so far.
  struct CatchUp: Sendable, Hashable {
    /// How many messages the session has now.
    var messageCount: Int?
    /// A failure of an agent that began nothing.
    var error: String?
    /// What users have said in the session, as far as that is seen.
    var userTexts: [String] = []
  }

  /// How far the agent behind a stream has come, where the prompt left before that was known.
  enum Start: Sendable, Hashable {
    case pending
    /// An older server says so and then ends the stream; what was sent over it is lost unread.
    case failed(Refusal)
    case done
  }

  enum State: Sendable, Hashable {
    /// Nothing has left; a stream is being opened.
    case opening
    /// Nothing has left; the agent is being started, or finishes stopping.
    case starting
    /// Nothing has left; the level of thinking is being set.
    case settingLevel(Session.Status)
    /// Nothing was heard of it yet.
    case sent(Shipment, Start)
    /// The server has handed it to the agent, whose first sign is awaited since a moment.
    case dispatched(Shipment, since: Moment, looks: Int)
    /// The connection was lost; another is opened now or at a moment.
    case reopening(Shipment, nextTry: Moment?)
    /// An older server's new stream stands; its agent is being looked up, or started anew.
    case returning(Shipment)
    /// A new stream stands; the REST interface is being asked about the server behind it.
    case looking(Shipment, messageCount: Int?)
    /// The events since the prompt left are on their way.
    case catchingUp(Shipment, CatchUp)
    /// Whether the message still waits behind the running turn.
    case checkingQueue(Shipment)
    case deleting(Verdict, until: Moment)
    case settled(Verdict)
  }
}
