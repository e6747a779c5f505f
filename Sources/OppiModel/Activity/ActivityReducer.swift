// SPDX-License-Identifier: MIT

/// Turns the messages of one session into what its agent does.
///
/// One run of the agent may hold several turns: messages that were queued behind the first one run
/// inside it. Messages of other sessions and unknown ones change nothing; durable messages (those
/// with a sequence number) that come a second time change nothing, either. The reducer never waits:
/// where the end of a turn depends on what does not come, ``isSettling`` says so.
package struct ActivityReducer: Sendable {
  let sessionID: String

  package internal(set) var activity = TurnActivity()
  /// The turn before, as it ended: one message may end a turn and begin the next.
  package internal(set) var previousTurn: TurnActivity?
  /// The counter of the last durable message, from which a new subscription goes on.
  package internal(set) var lastSequence = 0

  var run = Run.none
  var phase = MessagePhase.writing
  /// Whether somebody asked the turn to stop; a stop that fails at first may still come true.
  var isStopRequested = false
  /// Whether the agent's last word is an answer: a message with text and no calls after it.
  var hasAnswer = false
  /// A failure of the model that nothing has made good.
  var error: String?
  /// Text that came with the trace, whose message may still be on its way.
  var loadedText: String?
  /// The messages of the turn that have been told, as hashes, in order.
  var toldTexts: [Int] = []
  var answeredRequests: Set<String> = []
  var callCount = 0
  /// Whether the server tells of a call while the model writes it, and once more when it runs.
  var repeatsStarts = false
  /// This program's prompt, where the present turn is its.
  var own: OwnPrompt?
  var prompts = OwnPrompts()
  /// The message that opened the present turn, as far as it was seen.
  var opening = Opening()
  /// The session's counter when the subscription began.
  var connectedSequence = 0
  /// Whether the session's counter fell back, because its agent was started anew.
  var isAgentReplaced = false
  var hasSessionEnded = false

  /// Where the agent's runs stand; a turn may take several.
  enum Run: Sendable, Equatable {
    /// There is no turn, or it is over.
    case none
    /// A prompt was accepted and the agent has not begun.
    case awaited
    case active
    case ended(Sequel, at: Timestamp)
    /// Another run has begun; a message of the user shows that it is a new turn, and anything else
    /// that it repairs this one.
    case resumed(endedAt: Timestamp, at: Timestamp)
  }

  /// What may follow a run.
  enum Sequel: Sendable, Equatable {
    /// Perhaps nothing.
    case unknown
    /// A compaction is under way and will tell.
    case compaction
    case retry
  }

  /// What a start of a tool means.
  enum MessagePhase: Sendable, Equatable {
    /// The model writes a message and in it calls.
    case writing
    /// The message is complete and its calls are made; older servers do not announce them before.
    case executing(announced: Bool)
  }

  /// What is known of the message that opened a turn.
  struct Opening: Sendable, Equatable {
    /// Its id in the server's queue.
    var id: String?
    var text: String?
    /// Whether the queue has announced a message whose text comes next.
    var isAnnounced = false
  }

  package init(sessionID: String) {
    self.sessionID = sessionID
  }

  /// Takes a message and returns what it changed.
  package mutating func apply(
    _ message: ServerMessage,
    at now: Timestamp
  ) -> [ActivityChange] {
    guard concerns(message) else { return [] }
    if let sequence = message.sequence {
      guard sequence > lastSequence else { return [] }
      lastSequence = sequence
    }
    if message.kind.isWork {
      guard isWorking else { return [] }
      takeUpWork()
      return applyToWork(message.kind, at: now)
    }
    switch message.kind {
    case .connected(let session, let sequence): return connect(session, sequence, at: now)
    case .state(let session): return update(session, at: now)
    case .sessionEnded(let reason): return endSession(reason, at: now)
    case .sessionDeleted: return endSession("deleted", at: now)
    case .messageEnd(.user, let text): return hearUser(text, at: now)
    case .queueState(let messages): return updateQueue(messages)
    case .queueItemStarted(let message): return start(message, at: now)
    case .permissionRequest(let request): return ask(for: request, at: now)
    case .permissionExpired(let id): return resolve(approval: id, as: .expired)
    case .permissionCancelled(let id): return resolve(approval: id, as: .cancelled)
    case .notification(_, let message): return message.map { [notice($0)] } ?? []
    case .statusChanged(let key, let text): return setStatus(key, text)
    case .error(let text, _, let isFatal):
      let isOfRun = message.sequence != nil || isFatal
      return isOfRun ? fail(text, isFatal: isFatal, at: now) : [notice(text)]
    default: return applyToRun(message.kind, at: now)
    }
  }

  private mutating func applyToWork(
    _ kind: ServerMessage.Kind,
    at now: Timestamp
  ) -> [ActivityChange] {
    switch kind {
    case .messageEnd(_, let text): endMessage(text)
    case .textDelta(let delta): addText(delta)
    case .thinkingDelta(let delta): addThought(delta)
    case .toolStart(let call): startTool(call, at: now)
    case .toolOutput(let output): addOutput(output, at: now)
    case .toolEnd(let id, let tool, let isError, let details):
      endTool(id, tool, isError: isError, details: details, at: now)
    case .question(let question): ask(question)
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

  func notice(_ text: String) -> ActivityChange { .notice(text.head(bytes: 4096)) }
}

extension ServerMessage.Kind {
  /// Whether only an agent at work sends it.
  fileprivate var isWork: Bool {
    switch self {
    case .messageEnd(.assistant, _), .textDelta, .thinkingDelta, .toolStart, .toolOutput, .toolEnd,
      .question:
      true
    default: false
    }
  }
}
