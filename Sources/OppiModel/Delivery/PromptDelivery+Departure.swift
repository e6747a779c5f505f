// SPDX-License-Identifier: MIT

extension PromptDelivery {
  /// The data needed to determine the outcome of a sent prompt later, even in another process.
  package struct Departure: Sendable, Hashable {
    /// The message type; a prompt must be sent again with the same type.
    package enum Kind: String, Sendable {
      case prompt
      case followUp = "follow-up"
      case steer
    }

    package var clientTurnID: String
    package var kind: Kind
    /// The session's sequence number when the prompt was sent: later events may belong to it.
    package var anchor: Int
    package var messageCount: Int
    package var stream: Dialect.Stream
    /// The agent to which it was sent; `nil` on servers that do not name agents.
    package var epoch: String?

    package init(
      clientTurnID: String,
      kind: Kind,
      anchor: Int,
      messageCount: Int,
      stream: Dialect.Stream,
      epoch: String? = nil
    ) {
      self.clientTurnID = clientTurnID
      self.kind = kind
      self.anchor = anchor
      self.messageCount = messageCount
      self.stream = stream
      self.epoch = epoch
    }
  }

  /// The departure and its time; `nil` if the prompt was not sent.
  package var departure: (departure: Departure, at: Moment)? {
    guard let shipment = state.shipment, let stream else { return nil }
    let departure = Departure(
      clientTurnID: clientTurnID,
      kind: shipment.kind,
      anchor: anchor,
      messageCount: messageCount,
      stream: stream,
      epoch: anchorEpoch
    )
    return (departure, shipment.leftAt)
  }

  /// Resumes a delivery whose prompt was sent and not confirmed: its connection is gone, and
  /// another stream is being opened.
  ///
  /// `moment` is when the prompt was sent, before this delivery began. The delivery queries the
  /// server before it sends anything.
  package static func resumed(
    _ order: Order,
    after departure: Departure,
    at moment: Moment,
    place: Place = Place()
  ) -> PromptDelivery {
    var delivery = PromptDelivery(order, place: place)
    delivery.clientTurnID = departure.clientTurnID
    delivery.stream = departure.stream
    delivery.epoch = departure.epoch
    delivery.sequence = departure.anchor
    delivery.setAnchor()
    delivery.messageCount = departure.messageCount
    var shipment = Shipment(kind: departure.kind, leftAt: moment)
    shipment.until = max(order.limits.total ?? .zero, order.limits.secondLook)
    shipment.losses = 1
    delivery.state = .reopening(shipment, nextTry: nil)
    return delivery
  }
}

extension PromptDelivery.State {
  /// The prompt that was sent and not confirmed.
  fileprivate var shipment: PromptDelivery.Shipment? {
    switch self {
    case .sent(let shipment, _), .reopening(let shipment, _), .returning(let shipment),
      .looking(let shipment, _), .catchingUp(let shipment, _), .checkingQueue(let shipment),
      .dispatched(let shipment, _, _):
      shipment
    case .opening, .starting, .settingLevel, .deleting, .settled: nil
    }
  }
}
