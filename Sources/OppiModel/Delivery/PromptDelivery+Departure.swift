// SPDX-License-Identifier: MIT

extension PromptDelivery {
  /// What must be known of a prompt that has left to learn its fate later, in another process, too.
  package struct Departure: Sendable, Hashable {
    /// As what a server takes it: what it is sent again as must be the same.
    package enum Kind: String, Sendable {
      case prompt
      case followUp = "follow-up"
      case steer
    }

    /// The id under which it left.
    package var clientTurnID: String
    package var kind: Kind
    /// The session's counter at that moment: what comes after may be of this prompt.
    package var anchor: Int
    /// How many messages the session had at that moment.
    package var messageCount: Int
    /// How the server streams.
    package var dialect: PairedServer.Dialect

    package init(
      clientTurnID: String,
      kind: Kind,
      anchor: Int,
      messageCount: Int,
      dialect: PairedServer.Dialect
    ) {
      self.clientTurnID = clientTurnID
      self.kind = kind
      self.anchor = anchor
      self.messageCount = messageCount
      self.dialect = dialect
    }
  }

  /// The departure, and when it was; `nil` where the prompt has not left.
  package var departure: (departure: Departure, at: Moment)? {
    guard let shipment = state.shipment, let dialect else { return nil }
    let departure = Departure(
      clientTurnID: clientTurnID,
      kind: shipment.kind,
      anchor: anchor,
      messageCount: messageCount,
      dialect: dialect
    )
    return (departure, shipment.leftAt)
  }

  /// Takes up a delivery whose prompt has left, and of which nothing was heard since: the connection
  /// that it left over is gone, and another stream is being opened.
  ///
  /// - Parameters:
  ///   - order: The same order.
  ///   - departure: How it left.
  ///   - moment: When it left, which is before the present delivery began.
  ///   - place: As far as it is known.
  /// - Returns: A delivery that asks before it sends anything.
  package static func resumed(
    _ order: Order,
    after departure: Departure,
    at moment: Moment,
    place: Place = Place()
  ) -> PromptDelivery {
    var delivery = PromptDelivery(order, place: place)
    delivery.clientTurnID = departure.clientTurnID
    delivery.dialect = departure.dialect
    delivery.anchor = departure.anchor
    delivery.sequence = departure.anchor
    delivery.messageCount = departure.messageCount
    var shipment = Shipment(kind: departure.kind, leftAt: moment)
    shipment.until = max(order.limits.total ?? .zero, order.limits.secondLook)
    shipment.losses = 1
    delivery.state = .reopening(shipment, nextTry: nil)
    return delivery
  }
}

extension PromptDelivery.State {
  /// The prompt that has left and of which it is not known that the server has it.
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
