// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport

/// The talk over a stream that hands one prompt to one session.
struct AskConversation: Sendable {
  private(set) var session: ServerSession
  private let request: AskRequest
  private let isNewSession: Bool
  private let newID: @Sendable () -> String
  private var model: String?
  private var thinking: String?
  /// The session's counter when the prompt left, by which a loaded agent is known again.
  private var sequence = 0
  private var hasSentPrompt = false

  init(
    request: AskRequest,
    session: ServerSession,
    model: String?,
    isNewSession: Bool,
    newID: @escaping @Sendable () -> String
  ) {
    self.request = request
    self.session = session
    self.model = model
    self.isNewSession = isNewSession
    self.newID = newID
    thinking = request.thinking?.rawValue
  }

  /// How a turn is handed over.
  private enum Delivery {
    case prompt
    /// Behind the running turn: a prompt to a busy session is lost by the server.
    case followUp
  }

  // MARK: - The first attempt

  /// Sends the prompt and waits until it is settled or the deadline passes, then says goodbye.
  mutating func run(
    over socket: IntentWebSocket,
    until deadline: EventLoop.Instant,
    start: Duration
  ) async throws(AskFailure) -> AskOutcome {
    do throws(IntentError) {
      let outcome = try await converse(over: socket, until: deadline, start: start)
      await socket.close()
      return outcome
    } catch {
      await socket.close()
      throw failure(error)
    }
  }

  private func failure(_ error: IntentError) -> AskFailure {
    if case .rejected = error { return AskFailure(error, .refused(sessionID: session.id)) }
    return AskFailure(
      error,
      hasSentPrompt ? .unknown(sessionID: session.id) : .sessionOnly(sessionID: session.id)
    )
  }

  private mutating func converse(
    over socket: IntentWebSocket,
    until deadline: EventLoop.Instant,
    start: Duration
  ) async throws(IntentError) -> AskOutcome {
    var exchange = Exchange(socket: socket, progress: newProgress(), deadline: deadline)
    let level = request.thinking.flatMap { $0 == .medium ? nil : $0 }
    if level == nil, isNewSession {
      // Nothing has to be known first, so the prompt leaves with the subscription.
      hasSentPrompt = true
      try await exchange.send(exchange.subscription + [promptRequest(.prompt, exchange)])
      return try await settle(.prompt, in: exchange, start: start)
    }
    try await exchange.send(exchange.subscription)
    let current = try await awaitConnected(in: &exchange)
    if let level {
      try await exchange.send([.init(.setThinkingLevel(level), id: exchange.progress.thinkingID)])
      try await exchange.awaitEvent { event -> Void? in
        if case .thinkingSet = event { () } else { nil }
      }
    }
    let isBusy = !isNewSession && current.status == .busy
    let delivery: Delivery = isBusy ? .followUp : .prompt
    hasSentPrompt = true
    try await exchange.send([promptRequest(delivery, exchange)])
    return try await settle(delivery, in: exchange, start: start)
  }

  private func newProgress() -> AskProgress {
    AskProgress(sessionID: session.id, clientTurnID: request.clientTurnID, newID: newID)
  }

  private func promptRequest(
    _ delivery: Delivery,
    _ exchange: Exchange
  ) -> IntentWebSocket.Request {
    let turn = ClientMessage.Turn(
      text: request.prompt,
      images: request.images,
      clientTurnID: request.clientTurnID
    )
    let message: ClientMessage =
      switch delivery {
      case .prompt: .prompt(turn)
      case .followUp: .followUp(turn)
      }
    return .init(message, id: exchange.progress.promptID)
  }

  private mutating func awaitConnected(
    in exchange: inout Exchange
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
    in exchange: Exchange,
    start: Duration
  ) async throws(IntentError) -> AskOutcome {
    var exchange = exchange
    while true {
      switch try await exchange.next() {
      case .connected(let session, let sequence):
        learn(from: session)
        self.sequence = sequence
      case .accepted:
        if delivery == .followUp { return outcome(.queued, over: exchange.socket) }
        return try await awaitStart(in: exchange, for: start)
      case .refused(let text): throw exchange.rejection(text)
      case .thinkingSet, .started: break
      }
    }
  }

  /// Gives an accepted prompt a moment to show whether the agent takes it: one that it refuses (no
  /// login, an unknown model) is followed by an error and by nothing else.
  private func awaitStart(
    in exchange: Exchange,
    for start: Duration
  ) async throws(IntentError) -> AskOutcome {
    var exchange = exchange
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
      clientTurnID: request.clientTurnID,
      model: model,
      thinking: thinking,
      dialect: socket.dialect
    )
  }

  // MARK: - The second attempt

  /// Finds out over a new stream what became of a prompt whose acknowledgement was lost, sending it
  /// again under the same id where the server is known to remember the first; throws the first
  /// failure where that cannot be known.
  mutating func resume(
    after first: AskFailure,
    until deadline: EventLoop.Instant,
    start: Duration,
    opening open: () async throws(IntentError) -> IntentWebSocket
  ) async throws(AskFailure) -> AskOutcome {
    do throws(IntentError) {
      let socket = try await open()
      do throws(IntentError) {
        let outcome = try await settleAgain(over: socket, until: deadline, start: start)
        await socket.close()
        guard let outcome else { throw first.cause }
        return outcome
      } catch {
        await socket.close()
        throw error
      }
    } catch {
      // Only a refusal that followed the acceptance is about this prompt for certain.
      throw first
    }
  }

  private mutating func settleAgain(
    over socket: IntentWebSocket,
    until deadline: EventLoop.Instant,
    start: Duration
  ) async throws(IntentError) -> AskOutcome? {
    let before = sequence
    var exchange = Exchange(socket: socket, progress: newProgress(), deadline: deadline)
    try await exchange.send(exchange.subscription)
    let current = try await awaitConnected(in: &exchange)
    if isNewSession {
      // The only message of a session that this prompt began can be no other.
      if current.messageCount > 0 { return outcome(.accepted, over: socket) }
    } else {
      // A counter that fell back belongs to a newly loaded agent, which remembers no ids.
      guard before > 0, sequence >= before else { return nil }
    }
    try await exchange.send([promptRequest(.prompt, exchange)])
    return try await settle(.prompt, in: exchange, start: start)
  }
}

/// A stream together with what its messages have said so far.
private struct Exchange {
  let socket: IntentWebSocket
  var progress: AskProgress
  var deadline: EventLoop.Instant

  /// What starts the session's agent; the older dialect's stream is the subscription itself.
  var subscription: [IntentWebSocket.Request] {
    socket.dialect == .multiplexed ? [.init(.subscribe, id: progress.subscribeID)] : []
  }

  func send(_ requests: [IntentWebSocket.Request]) async throws(IntentError) {
    guard !requests.isEmpty else { return }
    try await socket.send(requests, to: progress.sessionID, until: deadline)
  }

  mutating func next() async throws(IntentError) -> AskProgress.Event {
    while true {
      let message: ServerMessage
      do {
        message = try await socket.receive(until: deadline)
      } catch .hungUp(let server) {
        // A server that said why before it hung up has refused.
        throw progress.lastError.map { rejection($0) } ?? .hungUp(server: server)
      } catch {
        throw error
      }
      if let event = progress.apply(message) { return event }
    }
  }

  /// Waits for the event that the body recognises; a refusal throws.
  mutating func awaitEvent<Value>(
    _ recognise: (AskProgress.Event) -> Value?
  ) async throws(IntentError) -> Value {
    while true {
      let event = try await next()
      if let value = recognise(event) { return value }
      if case .refused(let text) = event { throw rejection(text) }
    }
  }

  func rejection(_ text: String) -> IntentError {
    .rejected(message: text, server: socket.serverName)
  }
}
