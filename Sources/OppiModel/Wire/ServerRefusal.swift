// SPDX-License-Identifier: MIT

/// What the words of a server's refusal mean, since servers give a code for few of them.
package enum ServerRefusal: Sendable, Equatable {
  /// The workspace or the server has no room for another loaded session.
  case sessionLimit
  /// The session does not exist.
  case sessionNotFound
  /// The server was asked too often to subscribe.
  case subscribeRateLimit
  /// A prompt came while a turn was running.
  case agentBusy
  /// No turn runs that a message could be queued behind.
  case noActiveTurn

  /// Sorts the words of a refusal; `nil` for words that mean nothing to this program.
  package init?(words: String) {
    if words.hasPrefix("Session not found") {
      self = .sessionNotFound
    } else if words.hasPrefix("Subscribe rate limit") {
      self = .subscribeRateLimit
    } else if words.hasPrefix("Agent is already processing") {
      self = .agentBusy
    } else if words.hasSuffix("requires an active streaming turn") {
      self = .noActiveTurn
    } else if words.contains("reached"), Self.limits.contains(where: words.hasPrefix) {
      self = .sessionLimit
    } else {
      return nil
    }
  }

  private static let limits = ["Workspace session limit", "Global session limit"]
}
