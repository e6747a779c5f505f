// SPDX-License-Identifier: MIT

@testable import OppiModel

extension PromptDelivery.Order {
  static func doIt(
    _ id: String = "T",
    isNew: Bool = false,
    thinking: ThinkingLevel? = nil,
    whenBusy: PromptDelivery.WhenBusy = .queue,
    waits: Bool = false
  ) -> PromptDelivery.Order {
    var limits = PromptDelivery.Limits()
    if waits { limits.total = nil }
    var prompt = Prompt("do it", clientTurnID: id)
    prompt.thinking = thinking
    return PromptDelivery.Order(
      sessionID: "S",
      isNewSession: isNew,
      prompt: prompt,
      whenBusy: whenBusy,
      waitsForTurn: waits,
      limits: limits
    )
  }
}

/// A delivery with what it has sent, and its other actions except the verdict.
struct DeliveryRun {
  var delivery: PromptDelivery
  var sent: [ClientMessage] = []
  var others: [PromptDelivery.Action] = []
  var now = Duration.zero

  init(_ order: PromptDelivery.Order) { delivery = PromptDelivery(order) }

  init(_ delivery: PromptDelivery) { self.delivery = delivery }

  mutating func handle(_ events: PromptDelivery.Event...) {
    for event in events { handle(event) }
  }

  private mutating func handle(_ event: PromptDelivery.Event) {
    for action in delivery.handle(event, at: now) {
      switch action {
      case .send(let requests): sent += requests.map(\.message)
      case .settle: break
      default: others.append(action)
      }
    }
  }

  /// Opens a stream, and sets it up.
  mutating func open(
    _ status: String = "ready",
    sequence: Int = 4,
    messageCount: Int = 2,
    epoch: String? = "a"
  ) {
    handle(
      .opened(.session),
      .received(ServerMessage(.streamConnected)),
      .received(
        .connected(status, sequence: sequence, messageCount: messageCount, epoch: epoch)
      ),
      .received(.state(status, messageCount: messageCount))
    )
  }

  /// Loses the stream of a sent prompt, and opens another one.
  mutating func reopen(
    _ status: String = "ready",
    sequence: Int = 4,
    messageCount: Int = 2,
    epoch: String? = "a"
  ) {
    handle(.lost)
    open(status, sequence: sequence, messageCount: messageCount, epoch: epoch)
  }

  mutating func look(
    _ status: Session.Status = .ready,
    userTexts: [String] = [],
    _ events: ServerMessage...
  ) {
    handle(
      .looked(
        PromptDelivery.ServerCheck(
          uptime: nil,
          status: status,
          userTexts: userTexts,
          events: events
        )
      )
    )
  }

  /// Advances the clock, and wakes the delivery.
  mutating func pass(_ time: Duration) {
    now += time
    handle(.woke)
  }

  var prompts: [String] {
    sent.compactMap { message in
      guard case .prompt(let turn, _) = message else { return nil }
      return turn.clientTurnID
    }
  }
}
