// SPDX-License-Identifier: MIT

/// What whoever feeds the reducer has to know when a connection comes back.
extension ActivityReducer {
  /// Whether a turn is under way, or a prompt of this program waits for its own.
  package var expectsNews: Bool { run != .none || !prompts.waiting.isEmpty }

  /// Whether the run that is over has failed, so that another attempt may be about to begin.
  package var mayBeRetried: Bool { isSettling && error != nil }
}
