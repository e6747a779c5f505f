// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiTurns
import OppiWire

/// The undelivered messages of a chat, the first with its ``PromptDelivery``; performs no input or
/// output.
struct OutgoingMessages {
  /// An action for a message.
  enum Effect: Sendable, Equatable {
    /// Send or query for the message with the id.
    case perform(PromptDelivery.Action, workspaceID: String?, clientTurnID: String)
    /// Close the stream of an ended session, if it is open, so that a new one starts its agent again.
    case reopen
    /// Report the final state of the message; nothing is left to do.
    case report(Prompt, PromptDelivery.Verdict)
  }

  private let sessionID: String
  /// The messages that were not sent yet.
  private var held: [(prompt: Prompt, whenBusy: ClientMessage.WhenBusy)] = []
  /// Each message waits for the final state of the previous one: servers drop a prompt that arrives
  /// while another turn starts.
  private var delivery: PromptDelivery?
  /// The latest description of the session.
  private var session: Session?
  private var sequence = 0
  /// The agent that counts ``sequence``; `nil` on servers that do not name agents.
  private var epoch: String?
  /// `nil` without a stream.
  private var stream: Dialect.Stream?
  private var hasSessionEnded = false
  private var isReopening = false

  init(sessionID: String) {
    self.sessionID = sessionID
  }

  /// A message whose final state is not known yet.
  struct Outgoing: Sendable, Equatable {
    var text: String
    var imageCount = 0
    /// Whether it was not sent yet, because the session is unreachable or its turn is being
    /// stopped.
    var isHeld: Bool

    /// The message on one line, with the number of its images.
    func line(limit: Int) -> String {
      let images = imageCount > 0 ? " [\(imageCount.counted("image"))]" : ""
      return text.safeLine(limit: limit) + images
    }
  }

  /// The messages without a final state, oldest first.
  var outgoing: [Outgoing] {
    (delivery.map { [Outgoing($0.order.prompt, isHeld: false)] } ?? [])
      + held.map { Outgoing($0.prompt, isHeld: true) }
  }

  /// The messages that were not sent yet, oldest first.
  var unsent: [String] { held.map(\.prompt.text) }

  /// Whether the server reports the messages that it queues behind the turn.
  var reportsQueue: Bool { stream?.reportsQueue == true }

  /// Accepts a message, and sends it at once or as soon as the session can be reached.
  mutating func send(
    _ message: Prompt,
    whenBusy: ClientMessage.WhenBusy,
    at now: PromptDelivery.Moment
  ) -> [Effect] {
    held.append((message, whenBusy))
    if hasSessionEnded, !isReopening {
      stream = nil
      isReopening = true
      return [.reopen]
    }
    return leave(at: now)
  }

  /// Sends the next held message, unless there is no stream or a turn is being stopped.
  private mutating func leave(at now: PromptDelivery.Moment) -> [Effect] {
    guard let stream, let session, session.status != .stopping, !hasSessionEnded,
      delivery == nil, !held.isEmpty
    else { return [] }
    let message = held.removeFirst()
    var limits = PromptDelivery.Limits()
    limits.total = now + (limits.total ?? .zero)
    var order = PromptDelivery.Order(to: sessionID, isNewSession: false, of: message.prompt)
    (order.whenBusy, order.limits) = (message.whenBusy, limits)
    // Otherwise a message that no agent accepts would appear as sent.
    order.waitsForTurn = true
    let (delivery, actions) = PromptDelivery.begun(
      order,
      over: stream,
      status: session.status,
      sequence: sequence,
      messageCount: session.messageCount,
      epoch: epoch,
      at: now
    )
    self.delivery = delivery
    return effects(for: actions, of: delivery)
  }

  // MARK: - Events

  /// Handles a step of the follower; `stream` is the kind of the current one.
  mutating func take(
    _ step: SessionNews,
    over stream: Dialect.Stream?,
    at now: PromptDelivery.Moment
  ) -> [Effect] {
    switch step {
    case .changes(_, of: let message?): receive(message, at: now)
    case .lost, .renewing: lost(at: now)
    case .caughtUp: connected(stream ?? .multiplexed, at: now)
    case .changes(_, of: nil), .past, .givenUp: []
    }
  }

  /// Handles the result of an action for the message with the id.
  mutating func take(
    _ event: PromptDelivery.Event,
    for clientTurnID: String,
    at now: PromptDelivery.Moment
  ) -> [Effect] {
    let isMeant = delivery?.clientTurnID == clientTurnID
    return (isMeant ? feed(event, at: now) : []) + leave(at: now)
  }

  /// Handles the passing of time.
  mutating func woke(at now: PromptDelivery.Moment) -> [Effect] {
    delivery == nil ? [] : feed(.woke, at: now) + leave(at: now)
  }

  /// Handles a message of the stream.
  mutating func receive(_ message: ServerMessage, at now: PromptDelivery.Moment) -> [Effect] {
    switch message.kind {
    case .connected(let session, let sequence) where session.id == sessionID:
      self.session = session
      self.sequence = sequence
      epoch = message.epoch
    case .state(let session), .summary(let session):
      if session.id == sessionID { self.session = session }
    case .sessionEnded, .sessionDeleted: hasSessionEnded = true
    default: sequence = max(sequence, message.sequence ?? 0)
    }
    return feed(.received(message), at: now) + leave(at: now)
  }

  /// Handles a stream that is open and has caught up.
  mutating func connected(_ stream: Dialect.Stream, at now: PromptDelivery.Moment) -> [Effect] {
    self.stream = stream
    hasSessionEnded = false
    isReopening = false
    return feed(.opened(stream), at: now) + greet(at: now) + leave(at: now)
  }

  /// Repeats the start of the stream to a delivery, which receives messages only from now on.
  private mutating func greet(at now: PromptDelivery.Moment) -> [Effect] {
    guard let session else { return [] }
    let connected = ServerMessage(.connected(session, currentSequence: sequence), epoch: epoch)
    return feed(.received(connected), at: now)
      + feed(.received(ServerMessage(.state(session))), at: now)
  }

  /// Handles the loss of the stream.
  mutating func lost(at now: PromptDelivery.Moment) -> [Effect] {
    stream = nil
    return feed(.lost, at: now)
  }

  private mutating func feed(
    _ event: PromptDelivery.Event,
    at now: PromptDelivery.Moment
  ) -> [Effect] {
    guard var delivery else { return [] }
    var actions = delivery.handle(event, at: now)
    // A delivery that requests a stream gets the chat's own.
    if actions.contains(.open), let stream {
      actions += delivery.handle(.opened(stream), at: now)
    }
    // The turn of an accepted message counts as running until the server reports a state.
    if case .delivered? = delivery.verdict, session?.status == .ready { session?.status = .busy }
    self.delivery = delivery.verdict == nil ? delivery : nil
    return effects(for: actions, of: delivery)
  }

  private func effects(
    for actions: [PromptDelivery.Action],
    of delivery: PromptDelivery
  ) -> [Effect] {
    actions.compactMap { action in
      switch action {
      case .send, .look:
        .perform(action, workspaceID: session?.workspaceID, clientTurnID: delivery.clientTurnID)
      case .settle(let verdict): .report(delivery.order.prompt, verdict)
      // The chat's own feed opens streams, and its session is never created for one message.
      case .open, .close, .delete: nil
      }
    }
  }
}

extension OutgoingMessages.Outgoing {
  init(_ message: Prompt, isHeld: Bool) {
    let imageCount = message.images.count + message.attachments.count
    self.init(text: message.text, imageCount: imageCount, isHeld: isHeld)
  }
}
