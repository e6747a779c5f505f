// SPDX-License-Identifier: MIT

/// The state of a session in a list; the most urgent first.
package enum SessionPhase: String, Sendable, CaseIterable, Comparable {
  /// An approval or a question is pending.
  case waiting
  /// The agent could not be started, or the last turn failed.
  case failed
  case running
  /// The agent is loaded and idle; it counts for the server's limit.
  case idle
  /// The session has ended or was never started; a message starts it again.
  case done

  package static func < (first: Self, second: Self) -> Bool {
    allCases.firstIndex(of: first) ?? 0 < allCases.firstIndex(of: second) ?? 0
  }

  /// Derives the phase if only the server's status is known.
  package init(_ status: Session.Status, hasMessages: Bool) {
    self =
      switch status {
      case .busy, .stopping: .running
      // A session that was only created keeps this status; one that is starting soon has a message.
      case .starting: hasMessages ? .running : .done
      case .ready: .idle
      case .error: .failed
      case .stopped, .unknown: .done
      }
  }
}
