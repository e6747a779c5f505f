// SPDX-License-Identifier: MIT

/// Derives the agent's activity from the messages of one session.
///
/// Messages of other sessions, messages of unknown types, and repeated durable messages (those with
/// a sequence number) change nothing. The reducer never waits: if the end of a turn depends on a
/// message that may never arrive, ``isSettling`` is true.
package struct ActivityReducer: Sendable {
  private let sessionID: String
  private var counter = SessionCounter()
  private var turns: Turns
  private var hasSessionEnded = false
  /// Whether a stream was open before.
  private var isConnected = false
  private var isReconnected = false

  /// `requests` is what asks a human on the session's server.
  package init(sessionID: String, requests: Dialect.Requests = .permissions) {
    self.sessionID = sessionID
    turns = Turns(questionsAreReported: requests.reportsSettledQuestions)
  }

  // MARK: - State

  package var activity: Turn { turns.activity }

  /// The previous turn as it ended: one message may end a turn and start the next.
  package var previousTurn: Turn? { turns.previous }

  /// The sequence number of the last durable message, from which a new subscription resumes.
  package var lastSequence: Int { counter.last }

  /// Whether only elapsed time can show that the turn is over: the run has ended, and a retry, a
  /// compaction or a queued prompt may follow.
  ///
  /// The caller waits a moment and then calls ``settle()``.
  package var isSettling: Bool { turns.isSettling }

  /// Whether the run has ended, and the agent will report whether something follows.
  package var awaitsReport: Bool { turns.reportsSettling && turns.run.doubtfulEnd != nil }

  /// Whether a turn is running, or a prompt of this program waits for its turn.
  package var expectsNews: Bool { turns.run != .none || !turns.waiting.own.isEmpty }

  /// Whether the run ended without a result; another attempt may follow, even without notice.
  package var mayBeRetried: Bool { turns.run.doubtfulEnd != nil && turns.present.isFruitless }

  /// Whether the run has ended, and a retry or a compaction that was announced has not.
  package var awaitsSequel: Bool { turns.run.announcedEnd != nil }

  package var isOwnTurn: Bool { turns.run != .none && turns.present.own != nil }

  var openingText: String? { turns.present.opening.text }

  // MARK: - Local events

  /// Records that this program sent a prompt; the turn that it starts is an own turn.
  ///
  /// A prompt that was sent directly starts its turn at once, so that a refusal ends that turn; if
  /// another turn is running, the prompt gets the next one. A queued prompt waits for its turn.
  /// `clientTurnID` is the id that the prompt was sent with.
  package mutating func begin(
    clientTurnID: String,
    prompt: String,
    isQueued: Bool,
    at now: Timestamp
  ) -> [ActivityChange] {
    // The prompt was sent over a stream.
    isConnected = true
    return turns.begin(OwnPrompt(id: clientTurnID, text: prompt, isQueued: isQueued), at: now)
  }

  /// Records an answer given here, or the end of the request.
  ///
  /// Answers from other clients are not announced; they show in the call's next step.
  package mutating func resolve(
    approval id: String,
    as outcome: ApprovalOutcome
  ) -> [ActivityChange] {
    turns.present.resolve(approval: id, as: outcome)
  }

  /// Removes a question that was answered here; the server does not report by whom.
  package mutating func answered(question id: String) {
    turns.present.questions.answered(id)
  }

  /// Ends the turn if nothing followed its run; does nothing unless ``isSettling``.
  package mutating func settle() -> [ActivityChange] { turns.settle() }

  /// Ends the turn as far as it was seen; does nothing unless ``awaitsSequel``.
  ///
  /// After a gap, the status of a session does not show whether the retry or the compaction is
  /// still to come.
  package mutating func giveUpSequel() -> [ActivityChange] { turns.giveUpSequel() }

  /// Loads what was missed from the session's trace, after joining a running turn or after a gap.
  ///
  /// Loads the turn of this program's prompt if there is one, else the turn seen before, else the
  /// last turn. A finished turn takes its answer from the trace; without an answer there, its
  /// outcome is unknown. A turn that was never seen and is already over is skipped, and a turn that
  /// waits for a retry continues.
  /// - Parameters:
  ///   - trace: The entries as the server lists them.
  ///   - session: The session as listed with the entries.
  ///   - isAgentLost: Whether the agent that ran the turn is known to be gone, whatever the status
  ///     is: its events are missing, or the session's sequence number decreased.
  ///   - now: The time of loading.
  /// - Returns: The changes since the last message.
  package mutating func load(
    trace: JSONValue,
    session: Session,
    isAgentLost: Bool = false,
    at now: Timestamp
  ) -> [ActivityChange] {
    let isLost = isAgentLost || turns.present.isAgentReplaced
    turns.present.isAgentReplaced = false
    counter.catchUp()
    let goesOn = !isLost && turns.run.goesOn(session.status)
    guard goesOn || expectsNews else { return [] }
    let joins = turns.run == .none
    let changes = turns.load(
      SessionTrace(trace),
      status: session.status,
      isAgentLost: isLost,
      at: now
    )
    guard turns.run != .none, session.status == .busy || session.status == .stopping else {
      return changes
    }
    turns.goOn()
    if joins { turns.present.speech.joinMessage() }
    return session.status == .stopping ? changes + turns.requestStop() : changes
  }

  /// Whether the trace may contain a turn that no message has announced: a turn other than the
  /// current one, or one whose prompt the agent has not answered yet.
  package func mayHaveBegun(inTrace trace: JSONValue) -> Bool {
    expectsNews && turns.mayHaveBegun(in: SessionTrace(trace))
  }

  // MARK: - Messages

  package mutating func apply(
    _ message: ServerMessage,
    at now: Timestamp
  ) -> [ActivityChange] {
    guard concerns(message), message.sequence.map({ counter.take($0) }) != false else { return [] }
    let changes = applyNew(message, at: now)
    // Of a message after the missed ones, the first pieces may be missing.
    if isReconnected, counter.isPast(message.sequence) { turns.present.speech.miss() }
    if !isReconnected, counter.isPast(message.sequence) { turns.present.speech.joinMessage() }
    return changes
  }

  private mutating func applyNew(
    _ message: ServerMessage,
    at now: Timestamp
  ) -> [ActivityChange] {
    if case .question(let question) = message.kind, turns.present.questions.areReported {
      // An extension may also ask while no turn is running.
      return turns.present.questions.ask(question)
    }
    if message.kind.isWork {
      guard turns.run.isWorking else { return [] }
      turns.takeUpWork()
      if message.kind.isOfTool { turns.present.speech.beginMessage() }
      return turns.present.apply(message.kind, at: now)
    }
    switch message.kind {
    case .connected(let session, let sequence):
      return connect(session, sequence, of: message.epoch, at: now)
    case .state(let session), .summary(let session): return update(session, at: now)
    case .sessionEnded(let reason): return endSession(reason, at: now)
    case .sessionDeleted: return endSession("deleted", at: now)
    case .messageEnd(.user, let text): return turns.hearUser(text, at: now)
    case .queueState(let messages): return turns.waiting.update(messages)
    case .queueItemStarted(let message): return turns.begin(message, at: now)
    case .permissionRequest(let request): return ask(for: request, at: now)
    case .permissionExpired(let id): return resolve(approval: id, as: .expired)
    case .permissionCancelled(let id): return resolve(approval: id, as: .cancelled)
    case .questionSettled(let id): return turns.present.questions.settle(id)
    case .notification(_, let message): return message.map { [.note($0)] } ?? []
    case .statusChanged(let key, let text): return turns.statuses.set(key, text)
    case .error(let text, _, let isFatal):
      let isOfRun = message.sequence != nil || isFatal
      return isOfRun ? turns.fail(text, isFatal: isFatal, at: now) : [.note(text)]
    default: return applyToRun(message.kind, at: now)
    }
  }

  private mutating func applyToRun(
    _ kind: ServerMessage.Kind,
    at now: Timestamp
  ) -> [ActivityChange] {
    switch kind {
    case .agentStart: turns.startRun(at: now)
    case .agentEnd: turns.endRun(at: now)
    case .agentSettled: turns.settleRun()
    case .retryStart(let attempt, let limit, _, let error):
      turns.announceRetry(RetryState(attempt: attempt, limit: limit, error: error))
    case .retryEnd(let success, let error): turns.endRetry(success: success, error)
    case .compactionStart: turns.beginCompaction()
    case .compactionEnd(let willRetry): turns.endCompaction(willRetry: willRetry)
    case .stopRequested: turns.requestStop()
    case .stopConfirmed(let reason): turns.confirmStop(reason, at: now)
    case .stopFailed(let reason): turns.failStop(reason)
    default: []
    }
  }

  private func concerns(_ message: ServerMessage) -> Bool {
    switch message.kind {
    // A child's state message names the parent; that of a renamed session may name no session.
    case .state(let session), .summary(let session):
      session.id == sessionID || session.parentSessionID == sessionID
    case .connected(let session, _): session.id == sessionID
    case .permissionRequest(let request):
      (request.sessionID ?? message.sessionID ?? sessionID) == sessionID
    default: message.sessionID == nil || message.sessionID == sessionID
    }
  }

  private mutating func ask(
    for request: PermissionRequest,
    at now: Timestamp
  ) -> [ActivityChange] {
    guard !turns.present.calls.hasTaken(request) else { return [] }
    // Only a working agent sends requests.
    let changes = turns.join(at: now)
    guard turns.run.isWorking else { return [] }
    turns.takeUpWork()
    return changes + turns.present.calls.ask(for: request, at: now)
  }

  // MARK: - The session

  private mutating func connect(
    _ session: Session,
    _ sequence: Int,
    of epoch: String?,
    at now: Timestamp
  ) -> [ActivityChange] {
    turns.present.questions.reconnect()
    if counter.connect(sequence, of: epoch) {
      turns.present.isAgentReplaced = true
      turns.statuses.clear()
      if turns.present.questions.areReported { turns.present.questions.clear() }
    }
    hasSessionEnded = false
    let changes = update(session, at: now)
    isReconnected = isConnected
    isConnected = true
    // Pieces of a message may have been missed; the whole message follows.
    if isReconnected { turns.present.speech.miss() }
    if !isReconnected, turns.run.isWorking { turns.present.speech.joinMessage() }
    return changes
  }

  private mutating func update(_ session: Session, at now: Timestamp) -> [ActivityChange] {
    guard session.id == sessionID else {
      return turns.present.children.update(ChildSession(session))
    }
    // Join a running turn. Other statuses are ambiguous: a session is ready between two attempts.
    return session.status == .busy && !hasSessionEnded ? turns.join(at: now) : []
  }

  private mutating func endSession(_ reason: String?, at now: Timestamp) -> [ActivityChange] {
    guard !hasSessionEnded else { return [] }
    hasSessionEnded = true
    return turns.endSession(reason?.head(bytes: Turn.reasonLimit), at: now)
  }
}
