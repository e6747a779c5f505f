// SPDX-License-Identifier: MIT

package import OppiModel
import OppiTransport

/// The messages of a chat that are on their way to the agent, each with its ``PromptDelivery``; no
/// input or output.
package struct ChatMail {
  /// A message whose fate is known.
  package struct Settled: Sendable, Equatable {
    package var text: String
    package var verdict: PromptDelivery.Verdict
  }

  /// What is to be done for a message.
  package enum Errand: Sendable, Equatable {
    case send([PromptDelivery.Request])
    /// Ask how the session stands, for the message with the id.
    case look(since: Int?, workspaceID: String?, clientTurnID: String)
    /// Leave a stream behind whose session has ended, so that another one starts it anew.
    case reopen
    /// Nothing is left to be done; this is what became of it.
    case tell(Settled)
  }

  /// What a second look has brought to light.
  package struct Look: Sendable {
    /// How the session stands, as the message with the id wanted to know; `nil` where the server
    /// could not be asked.
    package var sighting: PromptDelivery.Sighting?
    package var clientTurnID: String
  }

  /// A message that waits for a stream.
  private struct Held {
    var text: String
    var clientTurnID: String
    var whenBusy: PromptDelivery.WhenBusy
  }

  private let sessionID: String
  private var held: [Held] = []
  private var deliveries: [PromptDelivery] = []
  /// How the session was described last.
  private var session: Session?
  private var sequence = 0
  /// `nil` while no stream stands.
  private var dialect: PairedServer.Dialect?
  private var hasSessionEnded = false

  /// Makes the mail of a session's chat, with no message yet.
  package init(sessionID: String) {
    self.sessionID = sessionID
  }

  /// A message whose fate is not known yet.
  package struct Outgoing: Sendable, Equatable {
    package var text: String
    /// Whether it has not even left, as the session cannot be reached or is just being stopped.
    package var isHeld: Bool
  }

  /// The messages whose fate is not known yet, oldest first.
  package var outgoing: [Outgoing] {
    deliveries.map { Outgoing(text: $0.order.turn.text, isHeld: false) }
      + held.map { Outgoing(text: $0.text, isHeld: true) }
  }

  /// Whether the server tells which messages wait behind the turn.
  package var tellsQueue: Bool { dialect == .multiplexed }

  /// Takes a message; it leaves at once, or as soon as the session can be reached.
  package mutating func send(
    _ text: String,
    clientTurnID: String,
    whenBusy: PromptDelivery.WhenBusy,
    at now: PromptDelivery.Moment
  ) -> [Errand] {
    held.append(Held(text: text, clientTurnID: clientTurnID, whenBusy: whenBusy))
    if hasSessionEnded, dialect != nil {
      dialect = nil
      return [.reopen]
    }
    return leave(at: now)
  }

  /// Lets what waits leave, where a stream stands and no turn is just being stopped.
  ///
  /// Each message leaves when the fate of the one before is known: servers drop a prompt that comes
  /// while the turn of another one begins.
  private mutating func leave(at now: PromptDelivery.Moment) -> [Errand] {
    guard let dialect, let session, session.status != .stopping, !hasSessionEnded,
      deliveries.isEmpty, !held.isEmpty
    else { return [] }
    let message = held.removeFirst()
    var limits = PromptDelivery.Limits()
    limits.total = now + (limits.total ?? .zero)
    let order = PromptDelivery.Order(
      sessionID: sessionID,
      isNewSession: false,
      turn: .init(text: message.text, clientTurnID: message.clientTurnID),
      whenBusy: message.whenBusy,
      // One that no agent takes would look as if it had been sent.
      waitsForTurn: true,
      limits: limits
    )
    let (delivery, actions) = PromptDelivery.begun(
      order,
      over: dialect,
      status: session.status,
      sequence: sequence,
      messageCount: session.messageCount,
      at: now
    )
    deliveries.append(delivery)
    return errands(for: actions, of: delivery)
  }

  // MARK: - What happens

  /// Takes the session's news, and which dialect the stream speaks that stands by now.
  package mutating func take(
    _ step: TurnFollower.Step,
    over dialect: PairedServer.Dialect?,
    at now: PromptDelivery.Moment
  ) -> [Errand] {
    switch step {
    case .changes(_, of: let message?): receive(message, at: now)
    case .lost: lost(at: now)
    case .standing: connected(dialect ?? .multiplexed, at: now)
    case .changes(_, of: nil), .past, .givenUp, .timeCame: []
    }
  }

  /// Takes what a second look has brought to light.
  package mutating func take(_ look: Look, at now: PromptDelivery.Moment) -> [Errand] {
    feed(.looked(look.sighting), at: now) { $0.clientTurnID == look.clientTurnID } + leave(at: now)
  }

  /// Takes it that time has passed.
  package mutating func woke(at now: PromptDelivery.Moment) -> [Errand] {
    deliveries.isEmpty ? [] : feed(.woke, at: now) + leave(at: now)
  }

  /// Takes what came over the stream.
  mutating func receive(_ message: ServerMessage, at now: PromptDelivery.Moment) -> [Errand] {
    switch message.kind {
    case .connected(let session, let sequence) where session.id == sessionID:
      self.session = session
      self.sequence = sequence
    case .state(let session) where session.id == sessionID: self.session = session
    case .sessionEnded, .sessionDeleted: hasSessionEnded = true
    default: sequence = max(sequence, message.sequence ?? 0)
    }
    return feed(.received(message), at: now) + leave(at: now)
  }

  /// Takes it that a stream stands, and that its news have caught up.
  mutating func connected(
    _ dialect: PairedServer.Dialect,
    at now: PromptDelivery.Moment
  ) -> [Errand] {
    self.dialect = dialect
    hasSessionEnded = false
    return feed(.opened(dialect), at: now) + greet(at: now) + leave(at: now)
  }

  /// Tells deliveries again what the stream began with: they listen only now.
  private mutating func greet(at now: PromptDelivery.Moment) -> [Errand] {
    guard let session else { return [] }
    return feed(.received(ServerMessage(.connected(session, currentSequence: sequence))), at: now)
      + feed(.received(ServerMessage(.state(session))), at: now)
  }

  /// Takes it that the stream is gone.
  mutating func lost(at now: PromptDelivery.Moment) -> [Errand] {
    dialect = nil
    return feed(.lost, at: now)
  }

  private mutating func feed(
    _ event: PromptDelivery.Event,
    at now: PromptDelivery.Moment,
    where isMeant: (PromptDelivery) -> Bool = { _ in true }
  ) -> [Errand] {
    var errands: [Errand] = []
    for index in deliveries.indices where isMeant(deliveries[index]) {
      var actions = deliveries[index].handle(event, at: now)
      // The chat's own stream is the one that is asked for.
      if actions.contains(.open), let dialect {
        actions += deliveries[index].handle(.opened(dialect), at: now)
      }
      errands += self.errands(for: actions, of: deliveries[index])
    }
    // Until the server says otherwise the turn of a message that it has taken is running.
    let isTaken = deliveries.contains { delivery in
      if case .delivered? = delivery.verdict { true } else { false }
    }
    if isTaken, session?.status == .ready { session?.status = .busy }
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
      case .look(let since):
        .look(
          since: since,
          workspaceID: session?.workspaceID,
          clientTurnID: delivery.clientTurnID
        )
      case .settle(let verdict):
        .tell(Settled(text: delivery.order.turn.text, verdict: verdict))
      // The chat's own feed opens streams, and its session is never made for one message.
      case .open, .close, .delete: nil
      }
    }
  }
}
