// SPDX-License-Identifier: MIT

/// Stops, of turns and of the whole session.
extension ActivityReducer {
  mutating func hearStop() -> [ActivityChange] {
    if case .ended(.unknown, let end) = run { return finish(ownOutcome, at: end) }
    guard run != .none else { return [] }
    isStopRequested = true
    guard activity.status == .running else { return [] }
    activity.status = .stopping
    return [notice("Stopping")]
  }

  mutating func confirmStop(_ reason: String?, at now: Timestamp) -> [ActivityChange] {
    // A stop says nothing of a prompt that is on its way.
    guard reason?.isIdleConfirmation != true, run != .none, run != .awaited else { return [] }
    return finish(.stopped(reason: nil), at: now)
  }

  mutating func failStop(_ reason: String?) -> [ActivityChange] {
    if activity.status == .stopping { activity.status = .running }
    return [notice("The stop failed" + (reason.map { ": \($0)" } ?? ""))]
  }

  mutating func endSession(_ reason: String?, at now: Timestamp) -> [ActivityChange] {
    guard !hasSessionEnded else { return [] }
    hasSessionEnded = true
    let reason = reason?.head(bytes: 4096)
    var changes: [ActivityChange] = []
    switch run {
    case .none: break
    case .ended(.unknown, let end): changes = finish(ownOutcome, at: end)
    default: changes = finish(.stopped(reason: Self.words(forEnd: reason)), at: now)
    }
    changes += drop(activity.queue)
    changes += prompts.takeQueued().map { _ in .turnFinished(.dropped, isOwn: true) }
    activity.statuses = []
    return changes + [.sessionEnded(reason)]
  }

  private static func words(forEnd reason: String?) -> String {
    guard let reason, !reason.isEmpty, reason != "stopped" else { return "the session ended" }
    return "the session ended: \(reason)"
  }
}

extension String {
  /// Whether a server says with these words that there was nothing to stop: no run, the pause before
  /// a retry, or a turn that another stop is about to end.
  package var isIdleConfirmation: Bool { self == "Session already idle" }
}
