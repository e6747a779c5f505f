// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
package import OppiModel
import OppiSystem
import OppiText
import OppiTurns
import OppiWire

/// Attempts to deliver prompts of the outbox; the caller holds a prompt's lock.
///
/// Each step is written to disk before it happens. If this process ends, the next one knows whether
/// the prompt may have been sent, and queries the server before it sends again.
package struct DeliverQueued: Sendable {
  package struct Attempt: Sendable {
    /// The prompt after the attempt, as its file has it unless that could not be written; a
    /// delivered prompt with nothing left to record has no file.
    package var prompt: QueuedPrompt
    /// The server's answer to a delivery.
    var outcome: AskOutcome?
    /// Why it was not delivered.
    var failure: AskFailure?

    /// Whether nothing ran, and a retry may help.
    var mayHelpLater: Bool {
      guard let failure, case .waiting = prompt.state else { return false }
      return failure.isPassing
    }
  }

  let context: Services
  /// Whether the user requests the delivery now, also of a prompt that is not queued.
  var isRequested = false
  var outbox: OutboxStore { context.outbox }

  /// Attempts once to deliver a prompt, or to determine the state of a sent one; warns if the result
  /// cannot be recorded.
  ///
  /// - Throws: If the prompt's file could not be written before anything was sent.
  func attempt(
    _ prompt: QueuedPrompt,
    on server: PairedServer
  ) async throws(FileError) -> Attempt {
    let prompt = try joined(prompt)
    let first = try await attemptOnce(prompt, on: server)
    // Nothing was sent to a session that is gone; another session can continue the conversation.
    guard let failure = first.failure, failure.isSessionGone, case .waiting = first.prompt.state
    else { return first }
    return try await attemptOnce(try joined(first.prompt, butNot: prompt.session), on: server)
  }

  /// The prompt for the session that continues its conversation, if there is one.
  private func joined(
    _ prompt: QueuedPrompt,
    butNot lost: String? = nil
  ) throws(FileError) -> QueuedPrompt {
    guard prompt.mayJoin, let conversation = prompt.content.conversation,
      let workspace = prompt.target.workspace,
      let session = try context.shortcutSessions.session(of: conversation, in: workspace),
      session != lost
    else { return prompt }
    var joined = prompt
    joined.target.sessionID = session
    return joined
  }

  /// Records the expiry of a prompt; `nil` if it has not expired.
  func expired(_ prompt: QueuedPrompt) throws(FileError) -> Attempt? {
    var prompt = prompt
    prompt.expire(at: context.now())
    guard prompt.state == .expired else { return nil }
    try keep(prompt)
    return Attempt(prompt: prompt)
  }

  private func attemptOnce(
    _ prompt: QueuedPrompt,
    on server: PairedServer
  ) async throws(FileError) -> Attempt {
    var prompt = prompt
    prompt.expire(at: context.now())
    guard prompt.isOpen else {
      try keep(prompt)
      return Attempt(prompt: prompt)
    }
    let mayHaveSession = prompt.mayHaveSession
    prompt.begin(at: context.now())
    try outbox.save(prompt)
    var journal = OutboxJournal(prompt: prompt, outbox: outbox, loop: context.loop)
    var attempt = Attempt(prompt: prompt)
    let request = AskRequest(prompt.titledContent, to: .init(of: prompt, on: server))
    do throws(AskFailure) {
      let outcome = try await deliver(request, mayHaveSession, &journal)
      attempt.outcome = outcome
      attempt.prompt = journal.prompt
      attempt.prompt.sessionID = outcome.sessionID
      attempt.prompt.become(.delivered(outcome.state), at: context.now())
      await context.learn(from: outcome, of: request)
    } catch {
      attempt.failure = error
      attempt.failure?.isInOutbox = true
      attempt.prompt = conclude(journal.prompt, error)
    }
    if let trouble = await record(attempt) {
      await context.reporter.warn("could not record the delivery", because: trouble)
    }
    return attempt
  }

  /// Records the result of an attempt, and the session of a delivered prompt as that of its
  /// conversation; returns why that failed.
  ///
  /// Without it, the file has the state before the attempt or after sending, so the next attempt
  /// queries the server.
  private func record(_ attempt: Attempt) async -> FileError? {
    var trouble: FileError?
    let prompt = attempt.prompt
    if let outcome = attempt.outcome, let conversation = prompt.content.conversation,
      let workspace = prompt.target.workspace
    {
      let session = ContinuedSession(workspace: workspace, id: outcome.sessionID)
      do {
        try await context.shortcutSessions.update { $0[conversation] = session }
      } catch {
        trouble = error
      }
    }
    do {
      try keep(prompt)
    } catch {
      trouble = error
    }
    return trouble
  }

  /// Stores what a later command needs of a prompt; removes the file if nothing is needed.
  func keep(_ prompt: QueuedPrompt) throws(FileError) {
    guard prompt.state.isDelivered else { return try outbox.save(prompt) }
    guard prompt.isDone, !prompt.isKeyKept else { return try outbox.save(prompt.receipt) }
    try outbox.remove(prompt.key)
  }

  // MARK: - One delivery

  /// Delivers a prompt as its journal has it, and notes each step there.
  private func deliver(
    _ request: AskRequest,
    _ mayHaveSession: Bool,
    _ journal: inout OutboxJournal
  ) async throws(AskFailure) -> AskOutcome {
    let (prompt, server) = (journal.prompt, request.target.server)
    var request = request
    let api: IntentAPIClient
    do throws(OppiError) {
      api = try await context.connections.client(for: server)
      if case .waiting = prompt.state, !request.target.isNewSession,
        let session = request.target.knownSession, session.workspaceID == nil
      {
        let located = try await self.located(session)
        request.target = .session(located)
        journal.locates(located)
      }
      try await checkMessageCount(of: prompt, request.target, api)
      try await checkUse(of: prompt, request.target, api)
      if case .waiting = prompt.state {
        _ = try await context.costLimit(for: request)
      }
      if mayHaveSession, request.target.knownSession == nil,
        server.dialect?.creation != .idempotent,
        let left = try await session(leftBehindFor: prompt, on: server, api)
      {
        request.target = .emptySession(left)
      }
    } catch {
      var failure = AskFailure(notSent: request, because: error)
      failure.sessionID = prompt.sessionID
      // An earlier attempt sent it, and this one could not query the server.
      if prompt.isUnconfirmed {
        (failure.delivery, failure.sessionID) = (.unknown(.lost), prompt.session)
      }
      throw failure
    }
    var run = DeliveryRun(
      of: request,
      over: api,
      models: context.modelCatalog,
      limits: context.askLimits(),
      journal: journal,
      mayRepeat: isRequested || prompt.isQueued
    )
    defer { journal = run.journal ?? journal }
    return try await run.perform(after: prompt.state).outcome
  }

  /// A session that was queued by its id alone, with its workspace if its stream needs that.
  private func located(_ session: ServerSession) async throws(OppiError) -> ServerSession {
    let fleet = context.fleet(of: [session.server])
    return try await SessionResolver(fleet, in: context).resolve(session.id)
  }

  /// Checks before the first attempt that the session has no messages since the limit was reached.
  private func checkMessageCount(
    of prompt: QueuedPrompt,
    _ target: AskRequest.Target,
    _ api: IntentAPIClient
  ) async throws(OppiError) {
    guard let expected = prompt.expectedMessageCount, case .waiting = prompt.state,
      let session = target.knownSession
    else { return }
    let found = try await api.within(context.askLimits().connect)
      .session(session.id, workspaceID: session.workspaceID)
    guard found.session.messageCount == expected else {
      throw OppiError(
        .expired,
        "session \(session.id) has since received another message; nothing was sent",
        because: .sessionContinued
      )
    }
  }

  /// Checks that no other client has used the session that an earlier attempt created.
  ///
  /// - Throws: An error that counts as a missing session, so that the prompt gets another one.
  private func checkUse(
    of prompt: QueuedPrompt,
    _ target: AskRequest.Target,
    _ api: IntentAPIClient
  ) async throws(OppiError) {
    guard case .waiting = prompt.state, target.isNewSession, let session = target.knownSession
    else { return }
    let found = try await api.within(context.askLimits().connect)
      .session(session.id, workspaceID: session.workspaceID)
    guard found.session.isEmpty else {
      throw OppiError(
        .noSuchSession,
        "session \(session.id) has since received another message",
        because: .unknownSession
      )
    }
  }

  /// An empty session that an earlier attempt created for the prompt before it was interrupted.
  private func session(
    leftBehindFor prompt: QueuedPrompt,
    on server: PairedServer,
    _ api: IntentAPIClient
  ) async throws(OppiError) -> ServerSession? {
    let sessions = try await api.within(context.askLimits().connect).listSessions()
    let left = sessions.first { session in
      session.name == prompt.sessionTitle && session.isEmpty
        && session.workspaceID == prompt.target.workspaceID
    }
    return left.map { ServerSession(server: server, session: $0) }
  }

  // MARK: - Results

  private func conclude(_ prompt: QueuedPrompt, _ failure: AskFailure) -> QueuedPrompt {
    let now = context.now()
    let reason = context.reporter.reason(of: failure)
    var prompt = prompt
    if prompt.target.sessionID == nil { prompt.sessionID = failure.sessionID }
    switch failure.delivery {
    case .unknown(.agentGone), .unknown(.noRecord):
      prompt.become(.unknown, because: reason, at: now)
    case .unknown where failure.isSessionGone: prompt.become(.unknown, because: reason, at: now)
    // Its command reported the failure to the user, so nothing may be sent from then on.
    case .unknown where !prompt.isQueued: prompt.become(.unknown, because: reason, at: now)
    // The server can still be queried.
    case .unknown: prompt.become(prompt.state, because: reason, at: now)
    case .notSent, .refused:
      // The server would take a refused prompt's id for a repeat.
      if failure.hasLeft { prompt.content.clientTurnID = context.loop.newID() }
      prompt.mayHaveSession = failure.sessionID == nil && failure.cause?.mayHaveArrived == true
      if failure.isSessionGone, prompt.target.sessionID == nil || prompt.content.conversation != nil
      {
        prompt.target.sessionID = nil
        prompt.sessionID = nil
        prompt.become(.waiting(retryAt: nil), because: reason, at: now)
      } else if failure.isLasting || prompt.isUnconfirmed && !prompt.isQueued {
        // Without its command, nothing retries a prompt that is not queued.
        prompt.become(.failed, because: reason, at: now)
      } else {
        let spread = Double(context.loop.random.next() >> 11) / Double(1 << 53)
        prompt.postpone(because: reason, at: now, spread: spread)
        prompt.notBefore = failure.limit?.resetAt(after: now) ?? prompt.notBefore
      }
    }
    return prompt
  }
}

extension DeliverQueued {
  /// Ends the session of a delivered prompt after its turn, which frees one of the loaded sessions.
  ///
  /// The caller holds the prompt's lock. Returns the prompt if its session has ended; `nil` if the
  /// agent is still busy, or the server could not be queried.
  ///
  /// - Throws: If the prompt's file could not be written.
  func endSession(
    of prompt: QueuedPrompt,
    on server: PairedServer
  ) async throws(FileError) -> QueuedPrompt? {
    guard await isEnded(prompt, on: server) else { return nil }
    var prompt = prompt
    prompt.endsSession = false
    prompt.changedAt = context.now()
    try keep(prompt)
    return prompt
  }

  private func isEnded(_ prompt: QueuedPrompt, on server: PairedServer) async -> Bool {
    guard let id = prompt.session, let workspaceID = prompt.target.workspaceID else { return true }
    let deadline = context.loop.now + ServerCalls.limit
    do throws(OppiError) {
      let calls = try await context.connections.client(for: server).until(deadline)
      let (session, _) = try await calls.session(id, workspaceID: workspaceID)
      guard let current = try await calls.liveSession(session) else { return true }
      let offset = try await calls.pendingPermissions().clockOffset ?? .zero
      let now = context.now().moved(by: offset)
      guard EndIdleSessions.isAtRest(current, at: now) else { return false }
      try await calls.stopSession(id, workspaceID: workspaceID)
      return true
    } catch  where error.reason == .unknownSession {
      return true
    } catch {
      return false
    }
  }
}
