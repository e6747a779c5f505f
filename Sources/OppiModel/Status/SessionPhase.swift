// SPDX-License-Identifier: MIT

/// What a session does, in one word for whoever looks over all of them; the most urgent first.
package enum SessionPhase: String, Sendable, CaseIterable, Comparable {
  /// An approval or a question waits for a person.
  case waiting
  /// Its agent could not be started, or the last turn failed.
  case failed
  /// A turn runs.
  case running
  /// Its agent rests, and takes one of the server's places.
  case idle
  /// It has ended, or was never begun; a message starts it anew.
  case done

  package static func < (first: Self, second: Self) -> Bool {
    allCases.firstIndex(of: first) ?? 0 < allCases.firstIndex(of: second) ?? 0
  }

  /// What the server's own word comes to, where nothing more is known.
  package init(_ status: Session.Status, hasMessages: Bool) {
    self =
      switch status {
      case .busy, .stopping: .running
      // A session that was only created stays so for ever, and one that starts has a message soon.
      case .starting: hasMessages ? .running : .done
      case .ready: .idle
      case .error: .failed
      case .stopped, .unknown: .done
      }
  }
}
