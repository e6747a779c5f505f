// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// The pause of a turn that a usage limit interrupted, and its continuation in the same session.
struct LimitPause: Sendable {
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
  let resetAt: Timestamp
  /// The number of messages of the session after its failed turn, which tells whether anyone else
  /// has continued it.
  let messageCount: Int
  let context: IntentContext

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
  func isCurrent() async throws(OppiError) -> Bool {
    try await context.messageCount(of: session) == messageCount
  }

  /// Queues the continuation, to be sent once after the reset.
  ///
  /// The key is derived from the interrupted turn, so that a repeated call queues nothing else.
  ///
  /// - Parameters:
  ///   - budget: The budget of the workspace.
  ///   - endsSession: Whether to end the session after the turn.
  /// - Returns: The queued prompt.
  /// - Throws: `OppiError.promptBusy`; `FileError`.
  func queue(within budget: Budget, endingSession endsSession: Bool) async throws -> QueuedPrompt {
    let key = OutboxKey(digestOf: ["continuation", turnID])
    return try await context.outbox.withPrompt(key, lockTimeout: .seconds(5)) { known in
      if let known { return known }
      var prompt = QueuedPrompt(
        key: key,
        target: AskRequest.Target.session(session).queued,
        content: Prompt(Self.message, clientTurnID: context.loop.newID()),
        createdAt: context.now()
      )
      (prompt.notBefore, prompt.expectedMessageCount) = (resetAt, messageCount)
      (prompt.content.budget, prompt.endsSession) = (budget, endsSession)
      try context.outbox.save(prompt)
      return prompt
    }
  }
}

extension LimitPause {
  /// Reads the state of the session after its failed turn.
  ///
  /// - Throws: `OppiError` if the state cannot be read; `CancellationError`.
  init(
    of session: ServerSession,
    after turnID: String,
    until resetAt: Timestamp,
    in context: IntentContext
  ) async throws {
    // Older servers count a message up to a second later.
    try await context.loop.sleep(for: Self.settling)
    self.init(
      session: session,
      turnID: turnID,
      resetAt: resetAt,
      messageCount: try await context.messageCount(of: session),
      context: context
    )
  }
}

extension IntentContext {
  fileprivate func messageCount(of session: ServerSession) async throws(OppiError) -> Int {
    try await connections.client(for: session.server).within(answerLimit)
      .session(session.id, workspaceID: session.workspaceID)
      .session.messageCount
  }
}
