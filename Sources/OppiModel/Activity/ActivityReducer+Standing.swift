// SPDX-License-Identifier: MIT

/// What whoever feeds the reducer has to know when a connection comes back.
extension ActivityReducer {
  /// Whether a turn is under way, or a prompt of this program waits for its own.
  package var expectsNews: Bool { run != .none || !prompts.waiting.isEmpty }

  /// Whether the run that is over came to nothing, so that another attempt may be about to begin;
  /// older servers do not say that it failed.
  package var mayBeRetried: Bool { isSettling && run != .none && (error != nil || !hasAnswer) }

  /// Whether the turn that runs is that of this program's own prompt.
  package var isOwnTurn: Bool { run != .none && own != nil }
}
