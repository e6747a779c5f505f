// SPDX-License-Identifier: MIT

extension PromptDelivery {
  struct Shipment: Sendable, Hashable {
    typealias Kind = Departure.Kind

    /// The server loses a prompt that arrives during a turn, and rejects a follow-up without one.
    var kind: Kind
    var leftAt: Moment
    /// When to stop waiting for confirmation; `nil` for no limit.
    var until: Moment?
    var isRepeat = false
    /// The number of lost connections since then.
    var losses = 0
    /// Whether the server has seen the id before, which does not show the outcome.
    var isKnown = false
    /// Whether the agent reported an error after the prompt was sent for the first time.
    var hasFailure = false
    /// Whether a turn was running when the server accepted the prompt, which it then queued.
    var isBehindTurn = false
    /// Whether the agent refused a prompt that may have been this one.
    var isSuspect = false
  }

  struct CatchUp: Sendable, Hashable {
    var messageCount: Int?
    /// An error of an agent that started nothing.
    var error: String?
    var userTexts: [String] = []
    /// Whether no turn is running, so that no message is queued.
    var isIdle = false
  }

  /// The progress of the agent's start, if the prompt was sent before that was known.
  enum Start: Sendable, Hashable {
    case pending
    /// An older server reports this and closes the stream; messages sent over it are not read.
    case failed(Refusal)
    case done
  }

  /// What the server's confirmation means if nothing else is heard of the prompt.
  static func accepted(_ shipment: Shipment) -> Verdict {
    .delivered(shipment.isBehindTurn ? .queued : .accepted)
  }

  enum State: Sendable, Hashable {
    /// Nothing was sent; a stream is being opened.
    case opening
    /// Nothing was sent; the agent is starting, or is being stopped.
    case starting
    /// Nothing was sent; the thinking level is being set.
    case settingLevel(Session.Status)
    /// The prompt was sent and not confirmed.
    case sent(Shipment, Start)
    /// The server passed the prompt to the agent, whose first message is expected since a moment.
    case dispatched(Shipment, since: Moment, looks: Int)
    /// The connection was lost; another is opened now or at a moment.
    case reopening(Shipment, nextTry: Moment?)
    /// An older server's new stream is open; its agent is being found or restarted.
    case returning(Shipment)
    /// A new stream is open; the REST interface is being queried about its server.
    case looking(Shipment, messageCount: Int?)
    /// The events since the prompt was sent are being received.
    case catchingUp(Shipment, CatchUp)
    /// The server is queried whether the message is still queued.
    case checkingQueue(Shipment)
    case deleting(Verdict, until: Moment)
    case settled(Verdict)
  }
}
