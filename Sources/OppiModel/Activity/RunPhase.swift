// SPDX-License-Identifier: MIT

import OppiText
import OppiWire

/// The state of the agent's current run; a turn may have several runs.
enum RunPhase: Sendable, Equatable {
  /// There is no turn, or it is over.
  case none
  /// A prompt was accepted and its run has not started.
  case awaited
  case active
  case ended(Sequel, at: Timestamp)
  /// Another run has started: for a new turn if a user message follows, else for this one.
  case resumed(endedAt: Timestamp, at: Timestamp)

  enum Sequel: Sendable, Equatable {
    /// Nothing was announced.
    case unknown
    /// A compaction is running; its end shows whether a retry follows.
    case compaction
    case retry
  }

  var isWorking: Bool {
    switch self {
    case .awaited, .active, .resumed: true
    case .none, .ended: false
    }
  }

  /// The end of a run after which nothing was announced, so that the turn may be over.
  var doubtfulEnd: Timestamp? {
    if case .ended(.unknown, let end) = self { end } else { nil }
  }

  /// The end of a run that an announced retry or compaction follows.
  var announcedEnd: Timestamp? {
    if case .ended(let sequel, let end) = self, sequel != .unknown { end } else { nil }
  }

  /// The end of this turn if another one starts now; `nil` if no run has started.
  func turnEnd(at now: Timestamp) -> Timestamp? {
    switch self {
    case .ended(_, let end), .resumed(let end, _): end
    case .active: now
    case .none, .awaited: nil
    }
  }

  /// Records what was announced to follow the run; a retry overrides the others.
  mutating func expect(_ sequel: Sequel) {
    guard case .ended(let expected, let end) = self else { return }
    if sequel == .retry || expected == .unknown { self = .ended(sequel, at: end) }
  }

  /// Whether the listed status means that the turn is still running.
  func goesOn(_ status: Session.Status) -> Bool {
    switch status {
    case .busy, .stopping: return true
    case .unknown: return self != .none
    case .starting: return self == .awaited
    case .ready:
      // The status does not show a pending retry.
      return announcedEnd != nil
    case .stopped, .error: return false
    }
  }
}

/// Messages that say why a turn's outcome is unknown.
enum UnknownReason {
  static let stillQueued =
    "the previous turn has ended, but the message has not started; "
    + "it may still be queued on the server"
  static let agentLost = "the agent was restarted during the turn"
  static let mayBeCutOff = "the agent has ended, and its last message may be cut off"
  static let notInTrace = "the prompt is not in the conversation; it was lost or refused"
  static let overtaken = "another prompt has started instead"
  static let cutOff = "the conversation ends in the middle of the turn"

  /// The number of bytes of a prompt that are kept to find it again.
  static let textLimit = 64 * 1024
}
