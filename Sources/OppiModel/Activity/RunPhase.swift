// SPDX-License-Identifier: MIT

/// Where the agent's runs stand; a turn may take several.
enum RunPhase: Sendable, Equatable {
  /// There is no turn, or it is over.
  case none
  /// A prompt was accepted and the agent has not begun.
  case awaited
  case active
  case ended(Sequel, at: Timestamp)
  /// Another run has begun; a message of the user shows that it is a new turn, and anything else
  /// that it repairs this one.
  case resumed(endedAt: Timestamp, at: Timestamp)

  /// What may follow a run.
  enum Sequel: Sendable, Equatable {
    /// Perhaps nothing.
    case unknown
    /// A compaction is under way and will tell.
    case compaction
    case retry
  }

  /// Whether the agent works for the turn.
  var isWorking: Bool {
    switch self {
    case .awaited, .active, .resumed: true
    case .none, .ended: false
    }
  }

  /// When the run ended after which nothing is announced: only time can tell whether that was the
  /// end of the turn.
  var doubtfulEnd: Timestamp? {
    if case .ended(.unknown, let end) = self { end } else { nil }
  }

  /// When the turn was over, should another one begin now; `nil` where none has begun.
  func turnEnd(at now: Timestamp) -> Timestamp? {
    switch self {
    case .ended(_, let end), .resumed(let end, _): end
    case .active: now
    case .none, .awaited: nil
    }
  }

  /// Takes the announcement of what follows the run that is over; a retry is the last word.
  mutating func expect(_ sequel: Sequel) {
    guard case .ended(let expected, let end) = self else { return }
    if sequel == .retry || expected == .unknown { self = .ended(sequel, at: end) }
  }

  /// Whether a session as listed is at work on the turn.
  func goesOn(_ status: Session.Status) -> Bool {
    switch status {
    case .busy, .stopping: return true
    case .unknown: return self != .none
    case .starting: return self == .awaited
    case .ready:
      // The status says nothing of an attempt that is about to be made.
      if case .ended(let sequel, _) = self { return sequel != .unknown }
      return false
    case .stopped, .error: return false
    }
  }
}
