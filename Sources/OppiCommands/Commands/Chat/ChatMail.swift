// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiTransport

/// The messages of a chat that are on their way to the agent, each with its ``PromptDelivery``; no
/// input or output.
struct ChatMail {
  /// A message whose fate is known.
  struct Settled: Sendable {
    var text: String
    var verdict: PromptDelivery.Verdict
  }

  /// What is to be done for a message.
  enum Errand: Sendable {
    case send([PromptDelivery.Request])
    /// Ask how the session stands, for the message with the id.
    case look(since: Int?, clientTurnID: String)
    case tell(Settled)
  }

  private let sessionID: String
  private var deliveries: [PromptDelivery] = []
  /// How the session was described last.
  private var session: Session?
  private var sequence = 0
  private var dialect = PairedServer.Dialect.multiplexed

  init(sessionID: String) {
    self.sessionID = sessionID
  }

  /// Whether no message is on its way.
  var isEmpty: Bool { deliveries.isEmpty }

  /// Takes a message to a session that is at work or at rest.
  mutating func send(
    _ text: String,
    clientTurnID: String,
    whenBusy: PromptDelivery.WhenBusy,
    isWorking: Bool,
    at now: PromptDelivery.Moment
  ) -> [Errand] {
    var limits = PromptDelivery.Limits()
    limits.total = now + (limits.total ?? .zero)
    let order = PromptDelivery.Order(
      sessionID: sessionID,
      isNewSession: false,
      turn: .init(text: text, clientTurnID: clientTurnID),
      whenBusy: whenBusy,
      limits: limits
    )
    let (delivery, actions) = PromptDelivery.begun(
      order,
      over: dialect,
      status: isWorking ? .busy : .ready,
      sequence: sequence,
      messageCount: session?.messageCount ?? 0,
      at: now
    )
    deliveries.append(delivery)
    return errands(for: actions, of: delivery)
  }

  /// Takes what came over the stream.
  mutating func receive(_ message: ServerMessage, at now: PromptDelivery.Moment) -> [Errand] {
    switch message.kind {
    case .connected(let session, let sequence) where session.id == sessionID:
      self.session = session
      self.sequence = max(self.sequence, sequence)
    case .state(let session) where session.id == sessionID: self.session = session
    default: sequence = max(sequence, message.sequence ?? 0)
    }
    return feed(.received(message), at: now)
  }

  mutating func connected(
    _ dialect: PairedServer.Dialect,
    at now: PromptDelivery.Moment
  ) -> [Errand] {
    self.dialect = dialect
    return feed(.opened(dialect), at: now)
  }

  mutating func lost(at now: PromptDelivery.Moment) -> [Errand] { feed(.lost, at: now) }
  mutating func woke(at now: PromptDelivery.Moment) -> [Errand] { feed(.woke, at: now) }

  mutating func looked(
    _ sighting: PromptDelivery.Sighting?,
    clientTurnID: String,
    at now: PromptDelivery.Moment
  ) -> [Errand] {
    feed(.looked(sighting), at: now) { $0.clientTurnID == clientTurnID }
  }

  private mutating func feed(
    _ event: PromptDelivery.Event,
    at now: PromptDelivery.Moment,
    where isMeant: (PromptDelivery) -> Bool = { _ in true }
  ) -> [Errand] {
    var errands: [Errand] = []
    for index in deliveries.indices where isMeant(deliveries[index]) {
      let actions = deliveries[index].handle(event, at: now)
      errands += self.errands(for: actions, of: deliveries[index])
    }
    deliveries.removeAll { $0.verdict != nil }
    return errands
  }

  private func errands(
    for actions: [PromptDelivery.Action],
    of delivery: PromptDelivery
  ) -> [Errand] {
    actions.compactMap { action in
      switch action {
      case .send(let requests): .send(requests)
      case .look(let since): .look(since: since, clientTurnID: delivery.clientTurnID)
      case .settle(let verdict):
        .tell(Settled(text: delivery.order.turn.text, verdict: verdict))
      // The chat's own feed opens streams, and its session is never made for one message.
      case .open, .close, .delete: nil
      }
    }
  }
}

extension ChatMail.Settled {
  /// What the user must know of a message that is not known to be with the agent, on one line.
  var notice: String? {
    let line = "'\(text.safeLine(limit: 60))'"
    return switch verdict {
    case .delivered: nil
    // The agent's own words stand above, as the end of a turn.
    case .notSent, .refused(.agentRefused): "not sent: \(line)"
    case .refused(let refusal):
      "not sent: \(line): \(OppiError(refusal, server: "the server").message)"
    case .unknown: "whether \(line) was received is not known; it was not sent again"
    }
  }
}
