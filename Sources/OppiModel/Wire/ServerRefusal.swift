// SPDX-License-Identifier: MIT

/// The meaning of a server's error text, because few errors have a code.
package enum ServerRefusal: Sendable, Equatable {
  /// The workspace or the server has reached its limit of loaded sessions.
  case sessionLimit
  case sessionNotFound
  /// Too many subscriptions were requested.
  case subscribeRateLimit
  /// A prompt arrived while a turn was running.
  case agentBusy
  /// There is no running turn behind which to queue the message.
  case noActiveTurn

  /// Classifies an error text; `nil` if it is unknown.
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
