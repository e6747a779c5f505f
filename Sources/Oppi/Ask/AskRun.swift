// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// Delivers one prompt, and hands over a watch on its turn.
struct AskRun: Sendable {
  struct Handover: Sendable {
    var outcome: AskOutcome
    /// The watch on the prompt's turn, not yet started; `nil` unless the turn is awaited.
    var watch: TurnWatch?
  }

  private let request: AskRequest
  private let waiting: OnAsk?
  private let context: IntentContext

  /// A `nil` `waiting` means that the turn is not awaited; the context's timeout includes the turn.
  init(_ request: AskRequest, waiting: OnAsk?, in context: IntentContext) {
    self.request = request
    self.waiting = waiting
    self.context = context
  }

  func handOver() async throws(AskFailure) -> Handover {
    let begin = context.loop.now
    let api = try await client()
    let costLimit: Dollars?
    do throws(OppiError) {
      costLimit = try await BudgetCheck(in: context).limit(for: request)
    } catch {
      throw AskFailure(notSent: request, because: error)
    }
    var run = DeliveryRun(
      of: request,
      over: api,
      models: context.modelCatalog,
      limits: context.askLimits(waitsForTurn: waiting != nil),
      waitingForTurn: waiting != nil
    )
    let delivery = try await run.perform()
    return Handover(
      outcome: delivery.outcome,
      watch: delivery.stream.map { stream in
        var watch = watch(delivery.outcome, api, stream, since: begin)
        watch.costLimit = costLimit
        return watch
      }
    )
  }

  private func client() async throws(AskFailure) -> IntentAPIClient {
    do {
      return try await context.connections.client(for: request.target.server)
    } catch {
      throw AskFailure(notSent: request, because: error)
    }
  }

  private func watch(
    _ outcome: AskOutcome,
    _ api: IntentAPIClient,
    _ stream: OpenStream,
    since begin: EventLoop.Instant
  ) -> TurnWatch {
    var watch = TurnWatch(
      session: outcome.session(on: request.target.server),
      api: api,
      turnOf: outcome,
      prompt: request.prompt.text,
      isNewSession: request.target.isNewSession,
      adopting: stream
    )
    watch.deadline = context.timeout.map { begin + $0 }
    watch.onAsk = waiting ?? .wait
    return watch
  }
}

/// The pause of a turn that a usage limit interrupted, and its continuation in the same session.
struct LimitPause: Sendable {
  struct Continuation: Sendable {
    let resetAt: Timestamp
    /// The number of messages of the session, which tells whether anyone else has continued it.
    let messageCount: Int
  }

  /// The message to the agent.
  ///
  /// The conversation already has the prompt, which must not run twice.
  static let message = "Please continue where you stopped."
  private static let settling = Duration.seconds(2)
  /// How often to look at the clock, which may be set, and which goes on while the machine sleeps.
  private static let glance = Duration.seconds(60)

  private let session: ServerSession
  private let turnID: String
  private let context: IntentContext

  /// The pause of a turn, by its id.
  init(of session: ServerSession, turn turnID: String, in context: IntentContext) {
    (self.session, self.turnID, self.context) = (session, turnID, context)
  }

  /// The continuation for the state of the session after its failed turn.
  ///
  /// - Throws: `OppiError` if the state cannot be read; `CancellationError`.
  func continuation(at reset: Timestamp) async throws -> Continuation {
    // Older servers count a message up to a second later.
    try await context.loop.sleep(for: Self.settling)
    return Continuation(resetAt: reset, messageCount: try await messageCount())
  }

  /// Waits for a time of day.
  ///
  /// - Throws: `CancellationError`.
  func wait(until time: Timestamp) async throws {
    while true {
      let left = Duration.milliseconds(time.milliseconds - context.now().milliseconds)
      guard left > .zero else { return }
      try await context.loop.sleep(for: min(left, Self.glance))
    }
  }

  /// Whether the session has had no other message since.
  func isCurrent(_ continuation: Continuation) async throws(OppiError) -> Bool {
    try await messageCount() == continuation.messageCount
  }

  /// Queues the continuation, to be sent once after the reset.
  ///
  /// The key is derived from the interrupted turn, so that a repeated call queues nothing else.
  ///
  /// - Parameters:
  ///   - continuation: What to send.
  ///   - budget: The budget of the workspace.
  ///   - endsSession: Whether to end the session after the turn.
  /// - Returns: The queued prompt.
  /// - Throws: `OppiError.promptBusy`; `FileError`.
  func queue(
    _ continuation: Continuation,
    within budget: Budget,
    endingSession endsSession: Bool
  ) async throws -> QueuedPrompt {
    let key = OutboxKey(digestOf: ["continuation", turnID])
    let outbox = context.outbox
    do {
      return try await outbox.claim(key, lockTimeout: .seconds(5)) { () throws(FileError) in
        if let known = try outbox.load(key) { return known }
        var prompt = prompt(continuation, under: key)
        (prompt.content.budget, prompt.endsSession) = (budget, endsSession)
        try outbox.save(prompt)
        return prompt
      }
    } catch FileError.lockHeld {
      throw OppiError.promptBusy(key)
    }
  }

  private func prompt(_ continuation: Continuation, under key: OutboxKey) -> QueuedPrompt {
    var prompt = QueuedPrompt(
      key: key,
      isKeyKept: false,
      target: QueuedPrompt.Target(
        serverID: session.server.id,
        serverName: session.server.name,
        workspaceID: session.workspaceID,
        workspaceName: session.workspaceName,
        sessionID: session.id
      ),
      content: Prompt(Self.message, clientTurnID: context.loop.newID()),
      createdAt: context.now(),
      expiresAt: nil
    )
    prompt.notBefore = continuation.resetAt
    prompt.expectedMessageCount = continuation.messageCount
    return prompt
  }

  private func messageCount() async throws(OppiError) -> Int {
    let api = try await context.connections.client(for: session.server)
    return try await api.within(context.answerLimit)
      .session(session.id, workspaceID: session.workspaceID)
      .session.messageCount
  }
}

/// The parts that deliveries from commands and from the outbox share.
extension IntentContext {
  /// The time limits of a delivery.
  ///
  /// With `waitsForTurn` a slow start is part of the wait, which only the user's timeout limits.
  func askLimits(waitsForTurn: Bool = false) -> AskLimits {
    var limits = AskLimits()
    if waitsForTurn { limits.delivery.total = nil }
    if let timeout {
      limits.delivery.total = timeout
      limits.connect = min(limits.connect, timeout)
    }
    return limits
  }

  /// Stores what the delivery showed about the server: its dialect, and whether it replaced the
  /// model.
  func learn(from outcome: AskOutcome, of request: AskRequest) async {
    let server = request.target.server
    modelCatalog.forget(server, ifItReplaced: request.newModel, with: outcome.model)
    var learned = server
    learned.learn(outcome.stream)
    guard server.dialect != learned.dialect else { return }
    // On failure, the next delivery detects it again.
    try? await serverStore.remember(learned.dialect, of: server.id)
  }
}
