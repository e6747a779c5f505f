// SPDX-License-Identifier: MIT

/// Turns the messages of one session into what its agent does.
///
/// Messages of other sessions and unknown ones change nothing; durable messages (those with a
/// sequence number) that come a second time change nothing, either. The reducer never waits: where
/// the end of a turn depends on what does not come, ``isSettling`` says so.
package struct ActivityReducer: Sendable {
  private let sessionID: String
  private var counter = SessionCounter()
  private var turns = Turns()
  private var hasSessionEnded = false

  package init(sessionID: String) {
    self.sessionID = sessionID
  }

  // MARK: - What is known

  package var activity: TurnActivity { turns.activity }

  /// The turn before, as it ended: one message may end a turn and begin the next.
  package var previousTurn: TurnActivity? { turns.previous }

  /// The counter of the last durable message, from which a new subscription goes on.
  package var lastSequence: Int { counter.last }

  /// Whether only the passing of time can tell the end: the agent's run is over, and a retry, a
  /// compaction or a queued prompt may follow.
  ///
  /// Whoever feeds the reducer waits a moment and then calls ``settle()``.
  package var isSettling: Bool { turns.isSettling }

  /// Whether a turn is under way, or a prompt of this program waits for its own.
  package var expectsNews: Bool { turns.run != .none || !turns.waiting.own.isEmpty }

  /// Whether the run that is over came to nothing, so that another attempt may be about to begin;
  /// older servers do not say that it failed.
  package var mayBeRetried: Bool { turns.run.doubtfulEnd != nil && turns.present.isFruitless }

  /// Whether the turn that runs is that of this program's own prompt.
  package var isOwnTurn: Bool { turns.run != .none && turns.present.own != nil }

  /// The text that opened the present turn, as far as it was seen.
  var openingText: String? { turns.present.opening.text }

  // MARK: - What is done here

  /// Takes it that this program has handed a prompt over, whose turn is its own from then on.
  ///
  /// A prompt that was sent directly opens its turn at once, so that a refusal is known for its
  /// end; where another turn runs, the next one is its. A queued prompt waits for its turn.
  /// - Parameters:
  ///   - clientTurnID: The id that the prompt was sent with.
  ///   - prompt: Its text.
  ///   - isQueued: Whether it was sent to wait behind a running turn.
  ///   - now: The moment.
  /// - Returns: What has changed.
  package mutating func begin(
    clientTurnID: String,
    prompt: String,
    isQueued: Bool,
    at now: Timestamp
  ) -> [ActivityChange] {
    turns.begin(OwnPrompt(id: clientTurnID, text: prompt, isQueued: isQueued), at: now)
  }

  /// Takes an answer to a request: one that was given here, or the end of the request.
  ///
  /// Answers that others give are not announced; they show in what the call does next.
  package mutating func resolve(
    approval id: String,
    as outcome: ApprovalOutcome
  ) -> [ActivityChange] {
    turns.present.resolve(approval: id, as: outcome)
  }

  /// Drops a question that was answered here; the server never says so.
  package mutating func answered(question id: String) {
    turns.present.questions.answered(id)
  }

  /// Ends what nothing has followed; does nothing unless ``isSettling``.
  package mutating func settle() -> [ActivityChange] { turns.settle() }

  /// Takes the session's trace as the truth about what was missed: on joining a turn in its middle,
  /// and after a gap.
  ///
  /// The turn is that of this program's prompt where there is one, else the one that was seen
  /// before, else the last. One that is over has the answer of the trace; where the trace shows
  /// none, what it came to is unknown. A turn that nobody has seen and that is over stays unseen,
  /// and one that waits for a retry goes on.
  /// - Parameters:
  ///   - trace: The entries as the server lists them.
  ///   - session: The session as listed with them.
  ///   - isAgentLost: Whether the agent that ran the turn is known to be gone, whatever the status
  ///     says: its events are no longer there, or the session's counter fell back.
  ///   - now: The moment of loading.
  /// - Returns: What has changed since the last message: all that the agent did is past.
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
    return session.status == .stopping ? changes + turns.requestStop() : changes
  }

  /// Whether a turn may have begun of which nothing is known but its trace: another than the present
  /// one, or one to whose prompt the agent has said nothing yet.
  package func mayHaveBegun(inTrace trace: JSONValue) -> Bool {
    expectsNews && turns.mayHaveBegun(in: SessionTrace(trace))
  }

  // MARK: - What the server says

  /// Takes a message and returns what it changed.
  package mutating func apply(
    _ message: ServerMessage,
    at now: Timestamp
  ) -> [ActivityChange] {
    guard concerns(message), message.sequence.map({ counter.take($0) }) != false else { return [] }
    if message.kind.isWork {
      guard turns.run.isWorking else { return [] }
      turns.takeUpWork()
      return turns.present.apply(message.kind, at: now)
    }
    switch message.kind {
    case .connected(let session, let sequence): return connect(session, sequence, at: now)
    case .state(let session): return update(session, at: now)
    case .sessionEnded(let reason): return endSession(reason, at: now)
    case .sessionDeleted: return endSession("deleted", at: now)
    case .messageEnd(.user, let text): return turns.hearUser(text, at: now)
    case .queueState(let messages): return turns.waiting.update(messages)
    case .queueItemStarted(let message): return turns.begin(message, at: now)
    case .permissionRequest(let request): return ask(for: request, at: now)
    case .permissionExpired(let id): return resolve(approval: id, as: .expired)
    case .permissionCancelled(let id): return resolve(approval: id, as: .cancelled)
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
    // The envelope of a child's state names the parent, that of a renamed session perhaps nobody.
    case .state(let session): session.id == sessionID || session.parentSessionID == sessionID
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
    // Only a working agent asks.
    let changes = turns.join(at: now)
    guard turns.run.isWorking else { return [] }
    turns.takeUpWork()
    return changes + turns.present.calls.ask(for: request, at: now)
  }

  // MARK: - The session

  private mutating func connect(
    _ session: Session,
    _ sequence: Int,
    at now: Timestamp
  ) -> [ActivityChange] {
    if counter.connect(sequence) {
      turns.present.isAgentReplaced = true
      turns.statuses.clear()
    }
    hasSessionEnded = false
    return update(session, at: now)
  }

  private mutating func update(_ session: Session, at now: Timestamp) -> [ActivityChange] {
    guard session.id == sessionID else {
      return turns.present.children.update(ChildSession(session))
    }
    // A turn that began before anybody looked. Other statuses come too early or too late to say
    // anything: a session is ready for a moment between two attempts.
    return session.status == .busy && !hasSessionEnded ? turns.join(at: now) : []
  }

  private mutating func endSession(_ reason: String?, at now: Timestamp) -> [ActivityChange] {
    guard !hasSessionEnded else { return [] }
    hasSessionEnded = true
    return turns.endSession(reason?.head(bytes: TurnActivity.reasonLimit), at: now)
  }
}
