// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

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

  let session: ServerSession
  /// The id of the interrupted turn.
  let turnID: String
  let context: IntentContext

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
