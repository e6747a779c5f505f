// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// The delivery of a prompt in the request that creates its session, on servers where a repeated
/// request leads to the same session.
///
/// A state machine without input or output: its owner performs the step that ``state`` names, and
/// passes in what it led to.
///
/// A server records that an agent has the prompt only after it has given it to the agent. If it ends
/// between the two, a repeat runs the prompt again as soon as the lease of the launch has run out.
/// So after a request whose result is unknown, the server is asked for the session of the key, and
/// the request is repeated only if there is none, only while a lease of the first request cannot have
/// run out, and only if the process that got it is still running: another one may have lost the
/// session. Later, a session that is not there may have been deleted.
package struct SessionLaunch: Sendable, Hashable {
  /// Time since the start of the ask.
  package typealias Moment = Duration
  package typealias Verdict = PromptDelivery.Verdict

  package enum Event: Sendable, Hashable {
    /// The session exists, and its agent has the prompt.
    case delivered
    /// The session exists, but its agent does not have the prompt and will not get it; why. Only an
    /// empty session may be deleted.
    case undelivered(PromptDelivery.Refusal, isEmpty: Bool)
    /// The server still performs an earlier request with this key.
    case inProgress
    /// The server rejected this request or query, or its answer was invalid.
    case refused
    /// The server has no room for another session, and has not performed this request; its text.
    case full(String)
    /// The server failed, and may or may not have performed the request.
    case failed
    /// There was no answer.
    case lost(mayHaveArrived: Bool, isSilent: Bool)
    /// What the server has; `nil` if it could not be queried.
    case looked(ServerCheck?)
    case deleted
    /// The time ``wakeAt`` was reached.
    case woke
  }

  package enum State: Sendable, Hashable {
    /// Create the session with the prompt.
    case requesting
    /// Wait before the next look.
    case pausing(until: Moment)
    /// Look for the session of the key.
    case looking
    /// Delete the session, which was created for this prompt.
    case deleting(Verdict, until: Moment)
    case settled(Verdict)
  }

  /// The lease of real servers without a margin for a request that is on its way.
  private static let window = Duration.seconds(90)

  package private(set) var state = State.requesting
  /// When the first request was made, or before.
  private let requestedAt: Moment
  /// Whether the request may be repeated.
  private let mayRepeat: Bool
  private let text: String
  /// Whether an earlier request may have reached the server.
  private var mayHaveArrived = false
  /// Whether the server has confirmed an earlier request.
  private var isKnown = false
  private var isSilent = false
  private var uptime = ServerUptime()
  private var pauses = 0
  private var end: Moment
  private let limits: PromptDelivery.Limits

  /// Starts a launch whose first request is being made, or resumes one with a look.
  ///
  /// - Parameters:
  ///   - text: The prompt.
  ///   - elapsed: An upper bound of the time since an earlier process made the first request; `nil`
  ///     if there was none.
  ///   - mayRepeat: Whether the request may be repeated.
  ///   - limits: The time limits; without a total one, that of a slow start applies.
  package init(
    of text: String,
    resumedAfter elapsed: Duration? = nil,
    mayRepeat: Bool = true,
    limits: PromptDelivery.Limits
  ) {
    self.text = text
    self.limits = limits
    self.mayRepeat = mayRepeat
    requestedAt = .zero - (elapsed ?? .zero)
    end = limits.total ?? limits.start
    guard elapsed != nil else { return }
    end = max(limits.total ?? .zero, limits.secondLook)
    mayHaveArrived = true
    state = .looking
  }

  package var verdict: Verdict? {
    if case .settled(let verdict) = state { verdict } else { nil }
  }

  /// When the launch must be woken; the end of a current step.
  package var wakeAt: Moment {
    switch state {
    case .pausing(let until): min(until, end)
    case .deleting(_, let until): until
    case .requesting, .looking, .settled: end
    }
  }

  /// Returns the next step.
  @discardableResult
  package mutating func handle(_ event: Event, at now: Moment) -> State {
    if verdict == nil { state = next(after: event, at: now) }
    return state
  }

  private mutating func next(after event: Event, at now: Moment) -> State {
    switch event {
    case .delivered: return .settled(.delivered(.accepted))
    case .undelivered(let refusal, let isEmpty): return undelivered(refusal, isEmpty, at: now)
    case .inProgress: return wait(at: now)
    case .refused: return .settled(mayHaveArrived ? .unknown(.shutOut) : .notSent)
    case .full(let reason):
      return mayHaveArrived ? lose(at: now) : .settled(.refused(.full(reason, code: nil)))
    case .failed: return lose(at: now)
    case .lost(let mayHaveArrived, let isSilent):
      guard mayHaveArrived || self.mayHaveArrived else { return .settled(.notSent) }
      self.isSilent = isSilent
      return lose(at: now)
    case .looked(let check): return check.map { resolve($0, at: now) } ?? pause(at: now)
    case .woke where now < wakeAt: return state
    case .deleted, .woke:
      switch state {
      case .deleting(let verdict, _): return .settled(verdict)
      case .pausing where now < end: return .looking
      default: return .settled(.unknown(doubt))
      }
    }
  }

  private func undelivered(
    _ refusal: PromptDelivery.Refusal,
    _ isEmpty: Bool,
    at now: Moment
  ) -> State {
    let verdict = Verdict.refused(refusal)
    return isEmpty ? .deleting(verdict, until: now + limits.deletion) : .settled(verdict)
  }

  private mutating func lose(at now: Moment) -> State {
    // All further steps share the time that starts at the first loss.
    if !mayHaveArrived { end = max(end, now + limits.secondLook) }
    mayHaveArrived = true
    return pause(at: now)
  }

  private mutating func wait(at now: Moment) -> State {
    mayHaveArrived = true
    if !isKnown { end = max(end, now + limits.launch) }
    isKnown = true
    return pause(at: now)
  }

  private mutating func resolve(_ check: ServerCheck, at now: Moment) -> State {
    // A server that was replaced by an older one would run a repeat, and has no record.
    guard check.isIdempotent else { return .settled(.unknown(.agentGone)) }
    guard let record = check.record else {
      guard now - requestedAt < Self.window else { return .settled(.unknown(.noRecord)) }
      return ifSameProcess(check, else: .noRecord, at: now) {
        $0.mayRepeat ? .requesting : .settled(.unknown(.lost))
      }
    }
    let own = OwnPrompt(id: "", text: text, isQueued: false)
    let isInTrace = record.userTexts.contains { !own.isOvertaken(by: $0) }
    if record.isDelivered || isInTrace { return .settled(.delivered(.accepted)) }
    switch record.progress {
    case .failed(let refusal): return undelivered(refusal, record.isEmpty, at: now)
    // The process that got the request is still performing it; the agent of another one may have
    // had the prompt without having written it.
    case .launching: return ifSameProcess(check, else: .agentGone, at: now) { $0.wait(at: now) }
    case .ended: return .settled(.unknown(.agentGone))
    }
  }

  /// Returns the next step if the process that got the first request is still running.
  private mutating func ifSameProcess(
    _ check: ServerCheck,
    else doubt: PromptDelivery.Doubt,
    at now: Moment,
    _ next: (inout Self) -> State
  ) -> State {
    switch uptime.resolve(check.uptime, since: requestedAt, at: now) {
    case .sameProcess: next(&self)
    case .otherProcess: .settled(.unknown(doubt))
    case .undecided(let nextLook):
      now < end ? .pausing(until: nextLook) : .settled(.unknown(doubt))
    }
  }

  /// Waits before the next look, from 0.1 s with doubling pauses up to 1.6 s.
  private mutating func pause(at now: Moment) -> State {
    guard now < end else { return .settled(.unknown(doubt)) }
    let pause = Duration.milliseconds(100 << min(pauses, 4))
    pauses += 1
    return .pausing(until: now + pause)
  }

  private var doubt: PromptDelivery.Doubt {
    isKnown ? .starting : isSilent ? .silence : .lost
  }
}

extension SessionLaunch {
  /// What a server has of a launch after a request whose result is unknown.
  package struct ServerCheck: Sendable, Hashable {
    /// Whether the server still recognises repeated requests.
    package var isIdempotent: Bool
    /// The server's uptime, rounded down to seconds; `nil` if not reported.
    package var uptime: Duration?
    /// The session of the key; `nil` if there is none.
    package var record: Record?

    package init(isIdempotent: Bool, uptime: Duration?, record: Record? = nil) {
      (self.isIdempotent, self.uptime, self.record) = (isIdempotent, uptime, record)
    }
  }

  /// The record of a launch in its session.
  package struct Record: Sendable, Hashable {
    package enum Progress: Sendable, Hashable {
      case launching
      /// The agent did not get the prompt; why.
      case failed(PromptDelivery.Refusal)
      case ended
    }

    package var progress: Progress
    /// Whether the server has recorded that the agent has the prompt.
    package var isDelivered: Bool
    /// Whether the session has no message.
    package var isEmpty: Bool
    /// The user messages in the conversation, as far as they are written.
    package var userTexts: [String] = []

    package init(_ progress: Progress, isDelivered: Bool = false, isEmpty: Bool = true) {
      (self.progress, self.isDelivered, self.isEmpty) = (progress, isDelivered, isEmpty)
    }

    /// Reads the object of a session.
    package init(session: JSONValue) {
      let launch = session["launch"]
      let isDelivered = launch["promptDispatch"] == "delivered"
      let progress: Progress =
        switch launch["status"].text(.name) {
        case "launching": .launching
        case "failed": .failed(Self.refusal(of: session))
        default: .ended
        }
      self.init(
        progress,
        isDelivered: isDelivered,
        isEmpty: Session(json: session)?.isEmpty == true
      )
    }

    /// Why the agent of a session did not get the prompt; an agent that refuses a prompt is loaded.
    package static func refusal(of session: JSONValue) -> PromptDelivery.Refusal {
      let reason =
        session["launch"]["promptError"].text(.sentence)?.safeLine() ?? "no reason given"
      let refusal = PromptDelivery.Refusal(startFailure: reason, code: nil)
      guard case .startFailed = refusal, session["status"] == "ready" else { return refusal }
      return .agentRefused(reason)
    }
  }
}

/// The answer to the creation of a session with an idempotency key.
package struct LaunchAnswer: Sendable {
  package let event: SessionLaunch.Event
  /// The session of the key; `nil` while an earlier request with the key has not ended, and for one
  /// whose agent cannot start.
  package private(set) var session: Session?
  /// The id of the session, also of a useless one.
  package private(set) var sessionID: String?

  /// Reads an answer; `nil` if it is the usual error of a route.
  package init?(status: Int, json: JSONValue) {
    switch (status, json["error"].text(.sentence)) {
    case (200..<300, _):
      guard let session = Session(json: json["session"]) else { return nil }
      let launch = json["session"]["launch"]
      let isPrompted = json["prompted"] == true || launch["promptDispatch"] == "delivered"
      if isPrompted {
        event = .delivered
      } else {
        let refusal = SessionLaunch.Record.refusal(of: json["session"])
        event = .undelivered(refusal, isEmpty: session.isEmpty)
      }
      (self.session, sessionID) = (session, session.id)
    case (409, "launch_in_progress"?): event = .inProgress
    // The agent cannot start, for example because its model is not available.
    case (409, let reason?):
      sessionID = json["sessionId"].wireID
      let refusal = PromptDelivery.Refusal(startFailure: reason.safeLine(), code: nil)
      event = .undelivered(refusal, isEmpty: sessionID != nil)
    default: return nil
    }
  }
}
