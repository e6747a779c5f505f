// SPDX-License-Identifier: MIT

/// The delivery of a prompt in the request that creates its session, on servers where a repeated
/// request leads to the same session.
///
/// A state machine without input or output: its owner passes events in and performs the returned
/// actions in order. The request may be repeated at any time, because the server runs the prompt of
/// a key at most once.
package struct SessionLaunch: Sendable, Hashable {
  /// Time since the start of the ask.
  package typealias Moment = Duration
  package typealias Verdict = PromptDelivery.Verdict

  package enum Event: Sendable, Hashable {
    /// The session exists, and its agent has the prompt.
    case delivered
    /// The session exists, but its agent does not have the prompt and will not get it; the server's
    /// reason. Only an empty session may be deleted.
    case undelivered(String, isEmpty: Bool)
    /// The server still performs an earlier request with this key.
    case inProgress
    /// The server rejected this request or check, or its answer was invalid.
    case refused
    /// The server has no room for another session, and has not performed this request; its text.
    case full(String)
    /// The server failed, and may or may not have performed the request.
    case failed
    /// There was no answer.
    case lost(mayHaveArrived: Bool, isSilent: Bool)
    /// Whether the server still recognises repeated requests; `nil` if it could not be queried.
    case checked(isIdempotent: Bool?)
    case deleted
    /// The time ``wakeAt`` was reached.
    case woke
  }

  package enum Action: Sendable, Hashable {
    /// Create the session with the prompt.
    case request
    /// Query whether the server still recognises repeated requests.
    case check
    /// Delete the session, which was created for this prompt.
    case delete
    case settle(Verdict)
  }

  package enum State: Sendable, Hashable {
    case requesting
    /// Before the next step, which is a check unless the server has just answered.
    case pausing(until: Moment, isChecked: Bool)
    case checking
    case deleting(Verdict, until: Moment)
    case settled(Verdict)
  }

  package private(set) var state = State.requesting
  /// Whether an earlier request may have reached the server.
  private var mayHaveArrived: Bool
  /// Whether the server has confirmed an earlier request.
  private var isKnown = false
  private var isSilent = false
  private var pauses = 0
  private var end: Moment
  private let limits: PromptDelivery.Limits

  /// Starts a launch whose first request is being made.
  ///
  /// - Parameters:
  ///   - limits: The time limits; without a total one, that of a slow start applies.
  ///   - isRepeat: Whether an earlier process may have made the request.
  package init(limits: PromptDelivery.Limits, isRepeat: Bool = false) {
    self.limits = limits
    end = limits.total ?? limits.start
    mayHaveArrived = isRepeat
  }

  package var verdict: Verdict? {
    if case .settled(let verdict) = state { verdict } else { nil }
  }

  /// When the launch must be woken; the end of a current step.
  package var wakeAt: Moment {
    switch state {
    case .pausing(let until, _): min(until, end)
    case .deleting(_, let until): until
    case .requesting, .checking, .settled: end
    }
  }

  package mutating func handle(_ event: Event, at now: Moment) -> [Action] {
    if case .settled = state { return [] }
    switch event {
    case .delivered: return settle(.delivered(.accepted))
    case .undelivered(let reason, let isEmpty):
      let refusal = PromptDelivery.Refusal(startFailure: reason, code: nil)
      guard isEmpty else { return settle(.refused(refusal)) }
      state = .deleting(.refused(refusal), until: now + limits.deletion)
      return [.delete]
    case .inProgress:
      mayHaveArrived = true
      isKnown = true
      return pause(isChecked: true, at: now)
    case .refused: return settle(mayHaveArrived ? .unknown(.shutOut) : .notSent)
    case .full(let reason):
      return mayHaveArrived ? lose(at: now) : settle(.refused(.full(reason, code: nil)))
    case .failed: return lose(at: now)
    case .lost(let mayHaveArrived, let isSilent):
      guard mayHaveArrived || self.mayHaveArrived else { return settle(.notSent) }
      self.isSilent = isSilent
      return lose(at: now)
    case .checked(let isIdempotent): return check(isIdempotent, at: now)
    case .deleted:
      guard case .deleting(let verdict, _) = state else { return [] }
      return settle(verdict)
    case .woke: return wake(at: now)
    }
  }

  private mutating func lose(at now: Moment) -> [Action] {
    // All repeats share the time that starts at the first loss.
    if !mayHaveArrived { end = max(end, now + limits.secondLook) }
    mayHaveArrived = true
    return pause(isChecked: false, at: now)
  }

  /// A server that was replaced by an older one would run the prompt again.
  private mutating func check(_ isIdempotent: Bool?, at now: Moment) -> [Action] {
    guard case .checking = state else { return [] }
    switch isIdempotent {
    case true?:
      state = .requesting
      return [.request]
    case false?: return settle(.unknown(.agentGone))
    case nil: return pause(isChecked: false, at: now)
    }
  }

  /// Waits before the next step, from 0.1 s with doubling pauses up to 1.6 s.
  private mutating func pause(isChecked: Bool, at now: Moment) -> [Action] {
    guard now < end else { return settle(.unknown(doubt)) }
    let pause = Duration.milliseconds(100 << min(pauses, 4))
    pauses += 1
    state = .pausing(until: now + pause, isChecked: isChecked)
    return []
  }

  private mutating func wake(at now: Moment) -> [Action] {
    guard wakeAt <= now else { return [] }
    switch state {
    case .deleting(let verdict, _): return settle(verdict)
    case .pausing(let until, let isChecked) where until <= now && now < end:
      state = isChecked ? .requesting : .checking
      return [isChecked ? .request : .check]
    case .requesting, .checking, .pausing: return settle(.unknown(doubt))
    case .settled: return []
    }
  }

  private var doubt: PromptDelivery.Doubt {
    isKnown ? .starting : isSilent ? .silence : .lost
  }

  private mutating func settle(_ verdict: Verdict) -> [Action] {
    state = .settled(verdict)
    return [.settle(verdict)]
  }
}
