// SPDX-License-Identifier: MIT

package import OppiWire

/// The stop of a session's turn, from opening a stream to an outcome.
///
/// A state machine without input or output: its owner passes events in and performs the returned
/// actions in order.
package struct TurnStop: Sendable {
  /// Time since the stop began.
  package typealias Moment = Duration

  package enum Outcome: Sendable, Equatable {
    case alreadyIdle
    /// The turn has ended; `dropped` is the number of queued messages that were dropped.
    case stopped(dropped: Int)
    case sessionEnded
    /// The turn is still running.
    case failed(reason: String)
  }

  package enum Action: Sendable, Equatable {
    /// Send to the session; after `.stop`, report the id with ``left(stopID:)``.
    case send(ClientMessage)
    /// List the session's pending requests and report them with ``lists(_:)``.
    case list
    /// Deny the call, or cancel the dialog.
    case refuse(HumanRequest)
    case finish(Outcome)
  }

  private enum Phase: Sendable {
    case running
    /// Another client has requested a stop: the server would confirm a second one without effect.
    case stoppedByOthers
    /// No turn is running, but another attempt may be about to start.
    case pause
  }

  /// A server tries for 8 s, and then for another 5 s, before it reports a failure.
  package static let confirmationLimit = Duration.seconds(18)
  /// A server reports the end of a wait for a retry immediately.
  package static let pauseLimit = Duration.seconds(2)

  private var phase: Phase
  /// When to stop waiting for the server's confirmation.
  package private(set) var deadline: Moment
  private var stopID: String?
  /// Whether the server has passed a stop to the running turn.
  private var isPassedOn = false
  private var hasRunEnded = false
  /// What asks a human on the server.
  private let requests: Dialect.Requests
  /// Denied requests and cancelled questions; servers report them more than once.
  private var denied: Set<String> = []
  private var queued: Set<String> = []
  private var dropped: Set<String> = []

  /// Fails if there is nothing to stop.
  ///
  /// - Parameters:
  ///   - status: The session's status.
  ///   - events: The events of its agent so far; `nil` if the server does not keep them.
  ///   - requests: What asks a human on the server.
  ///   - timeout: The longest wait for a confirmation of a running turn's stop.
  package init?(
    _ status: Session.Status,
    events: [ServerMessage]?,
    requests: Dialect.Requests = .permissions,
    timeout: Duration = Self.confirmationLimit
  ) {
    self.requests = requests
    guard status.isAtWork || events?.mayBeRetried ?? true else { return nil }
    switch status {
    case .stopping: phase = .stoppedByOthers
    case .busy: phase = .running
    default: phase = .pause
    }
    deadline = status.isAtWork ? min(timeout, Self.confirmationLimit) : Self.pauseLimit
  }

  /// The outcome if the deadline passes; `nil` if it is unknown.
  package var outcomeAtDeadline: Outcome? {
    // A turn that ends after a stop was requested counts as stopped.
    if hasRunEnded { return stopped }
    return phase == .pause ? .alreadyIdle : nil
  }

  private var stopped: Outcome { .stopped(dropped: dropped.count) }

  // MARK: - Inputs

  /// Handles an open stream of the session with its status.
  package mutating func opens(_ status: Session.Status, at now: Moment) -> [Action] {
    if status == .ready { enterPause(at: now) }
    // A stop during a stop would be answered as if the session were idle.
    if status == .stopping, phase == .running, stopID == nil { phase = .stoppedByOthers }
    // The stop comes before the denials, so that the agent does not continue after one. Older
    // servers do not know the queue, and do not answer.
    let stop: Action? =
      switch phase {
      case .running: .send(.stop)
      case .pause: .send(.abortRetry)
      case .stoppedByOthers: nil
      }
    return [.send(.getQueue)] + [stop].compactMap(\.self) + [.list]
  }

  package mutating func left(stopID: String) { self.stopID = stopID }

  package mutating func lists(_ requests: [HumanRequest]) -> [Action] {
    requests.flatMap { refuse($0) }
  }

  package mutating func hears(_ kind: ServerMessage.Kind, at now: Moment) -> [Action] {
    switch kind {
    case .queueState(let queue): keep(queue)
    case .queueItemStarted(let item):
      queued.remove(item.id)
      // Servers may report that it left the queue before they report that it starts.
      dropped.remove(item.id)
    case .agentStart where phase == .pause:
      // The next attempt has started first.
      phase = .running
      deadline = now + Self.confirmationLimit
      return [.send(.stop)]
    case .agentEnd:
      hasRunEnded = true
      return phase == .pause ? [.finish(stopped)] : []
    case .retryEnd(success: false, _) where phase == .pause: return [.finish(stopped)]
    // The request was created while the stop was on its way.
    case .permissionRequest(let request) where stopID != nil: return refuse(.permission(request))
    case .question(let dialog) where stopID != nil && !requests.hasGate:
      return refuse(.question(dialog))
    case .stopRequested: isPassedOn = true
    case .stopConfirmed(let reason) where reason?.isIdleConfirmation == true:
      // Clients whose stop arrives during another stop get this while the turn still runs.
      guard !isPassedOn, phase != .pause else { return [] }
      enterPause(at: now)
      return [.send(.abortRetry)]
    case .stopConfirmed: return [.finish(stopped)]
    case .commandResult(let result) where stopID != nil && result.requestID == stopID:
      return result.failure.map { [.finish(.failed(reason: $0))] } ?? []
    case .stopFailed(let reason):
      return [.finish(.failed(reason: reason ?? "the agent does not respond"))]
    case .sessionEnded: return [.finish(.sessionEnded)]
    case .state(let session), .summary(let session):
      guard session.status == .ready, hasRunEnded, isPassedOn else { return [] }
      return [.finish(stopped)]
    case .agentSettled where hasRunEnded && isPassedOn: return [.finish(stopped)]
    default: break
    }
    return []
  }

  // MARK: - Steps

  /// Records that no turn is running; another attempt may follow.
  private mutating func enterPause(at now: Moment) {
    guard phase != .pause else { return }
    phase = .pause
    deadline = now + Self.pauseLimit
  }

  private mutating func refuse(_ request: HumanRequest) -> [Action] {
    denied.insert(request.id).inserted ? [.refuse(request)] : []
  }

  private mutating func keep(_ queue: [QueuedMessage]) {
    let present = Set(queue.map(\.id))
    dropped.formUnion(queued.subtracting(present))
    queued = present
  }
}

/// Why the agent may continue the turn of its last run.
package enum RunPause: Sendable, Equatable {
  /// A retry was announced.
  case retry(after: Duration)
  /// A compaction was announced, after which the agent may continue.
  case compaction
  /// The run failed with an error. Servers of spring 2026 announce a retry only to clients that are
  /// connected at that moment.
  case possible

  /// The longest pause, with a margin: agents retry after at most 8 s by default, and compactions
  /// take minutes.
  package var limit: Duration {
    switch self {
    case .retry(let delay): delay + .seconds(15)
    case .compaction: .seconds(300)
    case .possible: .seconds(15)
    }
  }
}

extension [ServerMessage] {
  /// The pause after the agent's last run; `nil` if a run is active, or if its turn is over.
  package var pause: RunPause? {
    guard let end = endOfLastRun, mayBeRetried else { return nil }
    let run = self[..<end].reversed().prefix { $0.kind != .agentStart }
    let hasError = run.contains { if case .error = $0.kind { true } else { false } }
    return self[end...].reduce(hasError ? .possible : nil) { pause, message in
      switch message.kind {
      case .retryStart(_, _, let delay, _): .retry(after: delay)
      case .compactionStart, .compactionEnd(willRetry: true): .compaction
      case .retryEnd, .compactionEnd, .sessionEnded: nil
      case .stopConfirmed(let reason) where reason?.isIdleConfirmation != true: nil
      default: pause
      }
    }
  }

  /// The end of the last run; `nil` if a run is active, or if the agent reported that none follows.
  private var endOfLastRun: Index? {
    guard let end = lastIndex(where: { $0.kind == .agentEnd }),
      !self[end...].contains(where: { $0.kind == .agentStart || $0.kind == .agentSettled })
    else { return nil }
    return end
  }

  /// Whether the agent's last run failed, so that another attempt may follow: servers announce
  /// attempts only to clients that are connected at that moment.
  package var mayBeRetried: Bool {
    guard let end = endOfLastRun else { return false }
    for message in self[..<end].reversed() {
      switch message.kind {
      case .error: return true
      case .messageEnd(.assistant, let text): return text.allSatisfy(\.isWhitespace)
      case .agentStart: return false
      default: continue
      }
    }
    return false
  }
}
