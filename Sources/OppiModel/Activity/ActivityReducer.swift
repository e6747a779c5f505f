// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// Derives the agent's activity from the messages of one session.
///
/// Messages of other sessions, messages of unknown types, and repeated durable messages (those with
/// a sequence number) change nothing. The reducer never waits: if the end of a turn depends on a
/// message that may never arrive, ``isSettling`` is true.
///
/// One run of the agent may contain several turns: messages queued behind the first one run inside
/// it. A turn may also take several runs, with retries and compactions between them.
package struct ActivityReducer: Sendable {
  private let sessionID: String
  var counter = SessionCounter()
  private var hasSessionEnded = false
  /// Whether a stream was open before.
  var isConnected = false
  private var isReconnected = false
  var run = RunPhase.none
  /// The running turn, else the last one.
  var present = TurnBuilder()
  /// The previous turn as it ended: one message may end a turn and start the next.
  package internal(set) var previousTurn: Turn?
  /// The prompt of the last finished turn, as far as it was kept.
  var endedPrompt: String?
  var waiting = WaitingPrompts()
  /// Status lines, which are shown with each turn and outlive it.
  private(set) var statuses: [ExtensionStatus] = []
  /// Whether the agent has reported that nothing follows a run.
  var reportsSettling = false

  /// `requests` is what asks a human on the session's server.
  package init(sessionID: String, requests: Dialect.Requests = .permissions) {
    self.sessionID = sessionID
    present.questions = OpenQuestions(areReported: requests.reportsSettledQuestions)
  }

  // MARK: - State

  package var activity: Turn { present.turn(queue: waiting.pending, statuses: statuses) }

  /// Whether only elapsed time can show that the turn is over: the run has ended, and a retry, a
  /// compaction or a queued prompt may follow.
  ///
  /// The caller waits a moment and then calls ``settle()``.
  package var isSettling: Bool {
    run.doubtfulEnd != nil || run == .none && waiting.hasQueuedOwn
  }

  /// Whether the run has ended, and the agent will report whether something follows.
  package var awaitsReport: Bool { reportsSettling && run.doubtfulEnd != nil }

  /// Whether a turn is running, or a prompt of this program waits for its turn.
  package var expectsNews: Bool { run != .none || !waiting.own.isEmpty }

  /// Whether the run ended without a result; another attempt may follow, even without notice.
  package var mayBeRetried: Bool { run.doubtfulEnd != nil && present.isFruitless }

  /// Whether the run has ended, and a retry or a compaction that was announced has not.
  package var awaitsSequel: Bool { run.announcedEnd != nil }

  package var isOwnTurn: Bool { run != .none && present.own != nil }

  var openingText: String? { present.opening.text }

  // MARK: - Local events

  /// Removes a question that was answered here; the server does not report by whom.
  package mutating func answered(question id: String) { present.questions.answered(id) }

  // MARK: - Messages

  package mutating func apply(
    _ message: ServerMessage,
    at now: Timestamp
  ) -> [ActivityChange] {
    guard concerns(message), message.sequence.map({ counter.take($0) }) != false else { return [] }
    defer {
      // Of a message after the missed ones, the first pieces may be missing.
      if counter.isPast(message.sequence) {
        isReconnected ? present.speech.miss() : present.speech.joinMessage()
      }
    }
    switch message.kind {
    case .question(let question) where present.questions.areReported:
      // An extension may also ask while no turn is running.
      return present.questions.ask(question)
    case _ where message.kind.isWork:
      guard run.isWorking else { return [] }
      takeUpWork()
      if message.kind.isOfTool { present.speech.beginMessage() }
      return present.apply(message.kind, at: now)
    case .connected(let session, let sequence):
      return connect(session, sequence, of: message.epoch, at: now)
    case .state(let session), .summary(let session): return update(session, at: now)
    case .sessionEnded(let reason): return endSession(reason, at: now)
    case .sessionDeleted: return endSession("deleted", at: now)
    case .messageEnd(.user, let text): return receiveUserMessage(text, at: now)
    case .queueState(let messages):
      return waiting.update(messages, isStopping: run != .none && present.isStopRequested)
    case .queueItemStarted(let message): return begin(message, at: now)
    case .permissionRequest(let request): return ask(for: request, at: now)
    case .permissionExpired(let id): return present.resolve(approval: id, as: .expired)
    case .permissionCancelled(let id): return present.resolve(approval: id, as: .cancelled)
    case .questionSettled(let id): return present.questions.settle(id)
    case .notification(let message): return message.map { [.note($0)] } ?? []
    case .statusChanged(let key, let text): return statuses.set(key, text)
    case .error(let text, _, let isFatal):
      let isOfRun = message.sequence != nil || isFatal
      return isOfRun ? fail(text, isFatal: isFatal, at: now) : [.note(text)]
    default: return applyToRun(message.kind, at: now)
    }
  }

  private mutating func applyToRun(
    _ kind: ServerMessage.Kind,
    at now: Timestamp
  ) -> [ActivityChange] {
    switch kind {
    case .agentStart: startRun(at: now)
    case .agentEnd: endRun(at: now)
    case .agentSettled: settleRun()
    case .retryStart(let attempt, let limit, _, let error):
      announceRetry(RetryState(attempt: attempt, limit: limit, error: error))
    case .retryEnd(let success, let error): endRetry(success: success, error)
    case .compactionStart: beginCompaction()
    case .compactionEnd(let willRetry): endCompaction(willRetry: willRetry)
    case .stopRequested: requestStop()
    case .stopConfirmed(let reason): confirmStop(reason, at: now)
    case .stopFailed(let reason): failStop(reason)
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
    guard !present.calls.hasTaken(request) else { return [] }
    // Only a working agent sends requests.
    let changes = join(at: now)
    guard run.isWorking else { return [] }
    takeUpWork()
    return changes + present.calls.ask(for: request, at: now)
  }

  // MARK: - The session

  private mutating func connect(
    _ session: Session,
    _ sequence: Int,
    of epoch: String?,
    at now: Timestamp
  ) -> [ActivityChange] {
    present.questions.reconnect()
    if counter.connect(sequence, of: epoch) {
      present.isAgentReplaced = true
      waiting.loseAgent()
      statuses = []
      if present.questions.areReported { present.questions.clear() }
    }
    hasSessionEnded = false
    let changes = update(session, at: now)
    isReconnected = isConnected
    isConnected = true
    // Pieces of a message may have been missed; the whole message follows.
    if isReconnected { present.speech.miss() }
    if !isReconnected, run.isWorking { present.speech.joinMessage() }
    return changes
  }

  private mutating func update(_ session: Session, at now: Timestamp) -> [ActivityChange] {
    guard session.id == sessionID else {
      let child = ChildSession(session)
      return present.known.children.put(child) { $0 == child } ? [.child(child)] : []
    }
    // Join a running turn. Other statuses are ambiguous: a session is ready between two attempts.
    return session.status == .busy && !hasSessionEnded ? join(at: now) : []
  }

  /// Ends all running and queued work because the session ended.
  private mutating func endSession(_ reason: String?, at now: Timestamp) -> [ActivityChange] {
    guard !hasSessionEnded else { return [] }
    hasSessionEnded = true
    let reason = reason?.head(bytes: Turn.reasonLimit)
    var changes = finishIfDoubtful()
    if run != .none { changes += finish(.stopped(reason: Self.words(forEnd: reason)), at: now) }
    changes += waiting.dropQueued()
    statuses = []
    present.questions.clear()
    return changes + [.sessionEnded(reason)]
  }

  private static func words(forEnd reason: String?) -> String {
    guard let reason, !reason.isEmpty, reason != "stopped" else { return "the session ended" }
    return "the session ended: \(reason)"
  }
}

/// The sequence numbers of the session's durable messages.
struct SessionCounter: Sendable {
  /// The sequence number of the last durable message, from which a new subscription resumes.
  private(set) var last = 0
  /// The session's sequence number when the subscription started.
  private var connected = 0
  /// The agent that counts; `nil` on servers that do not name agents.
  private var epoch: String?

  /// Records a durable message; returns whether it is new.
  mutating func take(_ sequence: Int) -> Bool {
    guard sequence > last else { return false }
    last = sequence
    return true
  }

  /// Records the sequence number of a new subscription and the agent that counts; returns whether
  /// that is another agent than before.
  mutating func connect(_ sequence: Int, of epoch: String? = nil) -> Bool {
    let isNamedAnew = self.epoch != nil && epoch != nil && self.epoch != epoch
    let isOther = sequence < max(last, connected) || isNamedAnew
    if isOther { last = 0 }
    connected = sequence
    self.epoch = epoch
    return isOther
  }

  /// Whether a message is older than the subscription.
  func isPast(_ sequence: Int?) -> Bool { sequence.map { $0 <= connected } ?? false }

  /// Marks all messages before the subscription as received.
  mutating func catchUp() { last = max(last, connected) }
}

extension [ExtensionStatus] {
  /// Sets the status line of a key, or removes it.
  mutating func set(_ key: String, _ text: String?) -> [ActivityChange] {
    let key = key.head(bytes: 100)
    let text = text?.head(bytes: 1024)
    if let text {
      let status = ExtensionStatus(key: key, text: text)
      guard put(status, unless: { $0 == status }) else { return [] }
    } else {
      guard let index = firstIndex(where: { $0.key == key }) else { return [] }
      remove(at: index)
    }
    return [.statusChanged(key: key, text: text)]
  }
}

extension Array where Element: Identifiable {
  /// Adds an element, or replaces the one with its id; returns false if that is the same, or if
  /// there are already ``Turn/companionLimit`` elements.
  mutating func put(_ element: Element, unless isSame: (Element) -> Bool) -> Bool {
    if let index = firstIndex(where: { $0.id == element.id }) {
      guard !isSame(self[index]) else { return false }
      self[index] = element
    } else {
      guard count < Turn.companionLimit else { return false }
      append(element)
    }
    return true
  }
}
