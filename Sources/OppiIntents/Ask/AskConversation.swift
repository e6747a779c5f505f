// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

/// The talk over a stream that hands one prompt to one session.
struct AskConversation: Sendable {
  private(set) var session: ServerSession
  private let request: AskRequest
  private let isNewSession: Bool
  /// Whether someone goes on with the stream and learns there how the agent takes the prompt.
  private let keepsStream: Bool
  private let start: Duration
  private let newID: @Sendable () -> String
  private var clientTurnID: String
  private var model: String?
  private var thinking: String?
  /// The session's counter when the prompt left, by which a loaded agent is known again.
  private var sequence = 0
  private var isRepeated = false
  /// How the prompt was sent, once it was.
  private var sent: Delivery?

  init(
    request: AskRequest,
    session: ServerSession,
    model: String?,
    isNewSession: Bool,
    keepsStream: Bool,
    start: Duration,
    newID: @escaping @Sendable () -> String
  ) {
    self.request = request
    self.session = session
    self.model = model
    self.isNewSession = isNewSession
    self.keepsStream = keepsStream
    self.start = start
    self.newID = newID
    clientTurnID = request.clientTurnID
    thinking = request.thinking?.rawValue
  }

  /// How a turn is handed over.
  private enum Delivery {
    case prompt
    /// Behind the running turn: a prompt to a busy session is lost by the server.
    case followUp
  }

  // MARK: - The first attempt

  /// Sends the prompt and waits until it is settled or the deadline passes; then says goodbye,
  /// unless the stream is kept.
  mutating func run(
    over socket: IntentWebSocket,
    until deadline: EventLoop.Instant
  ) async throws(AskFailure) -> AskDelivery {
    var exchange = AskExchange(socket: socket, progress: newProgress(), deadline: deadline)
    do throws(IntentError) {
      let outcome = try await converse(in: &exchange)
      return await finish(outcome, exchange)
    } catch {
      await socket.close()
      throw failure(error)
    }
  }

  private func finish(_ outcome: AskOutcome, _ exchange: AskExchange) async -> AskDelivery {
    guard keepsStream else {
      await exchange.socket.close()
      return AskDelivery(outcome: outcome, stream: nil)
    }
    let stream = OpenStream(socket: exchange.socket, backlog: exchange.backlog)
    return AskDelivery(outcome: outcome, stream: stream)
  }

  private func failure(_ error: IntentError) -> AskFailure {
    if case .rejected = error { return AskFailure(error, .refused(sessionID: session.id)) }
    return AskFailure(
      error,
      sent != nil ? .unknown(sessionID: session.id) : .sessionOnly(sessionID: session.id)
    )
  }

  private mutating func converse(
    in exchange: inout AskExchange
  ) async throws(IntentError) -> AskOutcome {
    let level = request.thinking.flatMap { $0 == .medium ? nil : $0 }
    if level == nil, isNewSession {
      // Nothing has to be known first, so the prompt leaves with the subscription.
      sent = .prompt
      exchange.hasSentPrompt = true
      try await exchange.send(exchange.subscription + [promptRequest(.prompt, exchange)])
      return try await settle(.prompt, in: &exchange)
    }
    try await exchange.send(exchange.subscription)
    let current = try await awaitConnected(in: &exchange)
    if let level {
      try await exchange.send([.init(.setThinkingLevel(level), id: exchange.progress.thinkingID)])
      try await exchange.awaitEvent { event -> Void? in
        if case .thinkingSet = event { () } else { nil }
      }
    }
    guard !isNewSession, current.status == .busy else {
      return try await deliver(.prompt, in: &exchange)
    }
    do {
      return try await deliver(.followUp, in: &exchange)
    } catch .rejected {
      // The turn ended just before: what was refused left nothing behind, and an id that the server
      // has seen with one kind of message is of no use for another.
      clientTurnID = newID()
      exchange.progress = newProgress()
      return try await deliver(.prompt, in: &exchange)
    }
  }

  private mutating func deliver(
    _ delivery: Delivery,
    in exchange: inout AskExchange
  ) async throws(IntentError) -> AskOutcome {
    sent = delivery
    exchange.hasSentPrompt = true
    try await exchange.send([promptRequest(delivery, exchange)])
    return try await settle(delivery, in: &exchange)
  }

  private func newProgress() -> AskProgress {
    AskProgress(sessionID: session.id, clientTurnID: clientTurnID, newID: newID)
  }

  private func promptRequest(
    _ delivery: Delivery,
    _ exchange: AskExchange
  ) -> IntentWebSocket.Request {
    let turn = ClientMessage.Turn(
      text: request.prompt,
      images: request.images,
      clientTurnID: clientTurnID
    )
    let message: ClientMessage =
      switch delivery {
      case .prompt: .prompt(turn)
      case .followUp: .followUp(turn)
      }
    return .init(message, id: exchange.progress.promptID)
  }

  private mutating func awaitConnected(
    in exchange: inout AskExchange
  ) async throws(IntentError) -> Session {
    let (session, sequence) = try await exchange.awaitEvent { event in
      if case .connected(let session, let sequence) = event { (session, sequence) } else { nil }
    }
    learn(from: session)
    self.sequence = sequence
    return session
  }

  private mutating func learn(from session: Session) {
    model = session.model ?? model
    self.session.workspaceID = self.session.workspaceID ?? session.workspaceID
    self.session.workspaceName = self.session.workspaceName ?? session.workspaceName
    thinking = request.thinking?.rawValue ?? session.thinkingLevel ?? thinking
  }

  // MARK: - Waiting for the fate

  private mutating func settle(
    _ delivery: Delivery,
    in exchange: inout AskExchange
  ) async throws(IntentError) -> AskOutcome {
    while true {
      switch try await exchange.next() {
      case .connected(let session, let sequence):
        learn(from: session)
        self.sequence = sequence
      case .accepted:
        if delivery == .followUp { return outcome(.queued, over: exchange.socket) }
        if keepsStream { return outcome(.accepted, over: exchange.socket) }
        return try await awaitStart(in: &exchange)
      case .refused(let text): throw exchange.rejection(text)
      case .thinkingSet, .started: break
      }
    }
  }

  /// Gives an accepted prompt a moment to show whether the agent takes it: one that it refuses (no
  /// login, an unknown model) is followed by an error and by nothing else.
  private func awaitStart(
    in exchange: inout AskExchange
  ) async throws(IntentError) -> AskOutcome {
    exchange.deadline = min(exchange.deadline, .now + start)
    while true {
      let event: AskProgress.Event
      do {
        event = try await exchange.next()
      } catch {
        // The acceptance stands, whatever becomes of the stream.
        return outcome(.accepted, over: exchange.socket)
      }
      switch event {
      case .started: return outcome(.started, over: exchange.socket)
      case .refused(let text): throw exchange.rejection(text)
      case .connected, .thinkingSet, .accepted: break
      }
    }
  }

  private func outcome(_ state: AskOutcome.State, over socket: IntentWebSocket) -> AskOutcome {
    AskOutcome(
      state: state,
      sessionID: session.id,
      workspaceID: session.workspaceID,
      workspaceName: session.workspaceName,
      clientTurnID: clientTurnID,
      model: model,
      thinking: thinking,
      dialect: socket.dialect
    )
  }

  // MARK: - The second attempt

  /// Finds out over a new stream what became of a prompt whose acknowledgement was lost.
  ///
  /// The prompt is sent again, under the same id, only where the server is known to remember the
  /// first; where its fate cannot be known, the first failure is thrown.
  mutating func resume(
    after first: AskFailure,
    until deadline: EventLoop.Instant,
    opening open: () async throws(IntentError) -> IntentWebSocket
  ) async throws(AskFailure) -> AskDelivery {
    do throws(IntentError) {
      let socket = try await open()
      var exchange = AskExchange(socket: socket, progress: newProgress(), deadline: deadline)
      do throws(IntentError) {
        guard let outcome = try await settleAgain(in: &exchange) else { throw first.cause }
        return await finish(outcome, exchange)
      } catch {
        await socket.close()
        throw error
      }
    } catch {
      throw AskFailure(first.cause, first.delivery, wasRepeated: isRepeated)
    }
  }

  private mutating func settleAgain(
    in exchange: inout AskExchange
  ) async throws(IntentError) -> AskOutcome? {
    let before = sequence
    try await exchange.send(exchange.subscription)
    let current = try await awaitConnected(in: &exchange)
    if isNewSession {
      // The only message of a session that this prompt began can be no other.
      if current.messageCount > 0 { return outcome(.accepted, over: exchange.socket) }
    } else {
      // A counter that fell back belongs to a newly loaded agent, which remembers no ids.
      guard before > 0, sequence >= before else { return nil }
    }
    isRepeated = true
    // The server knows a repeat only as the same kind of message.
    return try await deliver(sent ?? .prompt, in: &exchange)
  }
}
