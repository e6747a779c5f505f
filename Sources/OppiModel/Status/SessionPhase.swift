// SPDX-License-Identifier: MIT

/// The state of a session, on every surface; the most urgent first.
///
/// The outcome of its last turn is another thing, with words of its own: see ``TurnOutcome``.
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

  /// The word of every text, and of the member `phase` in JSON.
  ///
  /// The raw value is older: in the member `state`, an ended session is `done`.
  package var word: String { self == .done ? "ended" : rawValue }

  package var title: String { word.prefix(1).uppercased() + word.dropFirst() }

  /// The words, for the help of JSON.
  package static var words: String {
    let words = allCases.map(\.word)
    return "\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
  }

  /// For the help.
  package var meaning: String {
    switch self {
    case .waiting: "an approval or a question is pending"
    case .failed: "the agent could not be started, or its last turn failed"
    case .running: "a turn runs"
    case .idle: "no turn runs; the session is still loaded on its server"
    case .done: "the session has ended or was never started; a message starts it"
    }
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
