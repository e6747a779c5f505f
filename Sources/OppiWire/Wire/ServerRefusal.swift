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
  /// A prompt arrived while a turn was running; nothing was kept of it.
  case promptNeedsIdle
  /// The session's agent is not loaded.
  case sessionNotActive
  /// The turn's id was used for another message.
  case turnIDConflict

  /// Classifies an error text; `nil` if it is unknown.
  package init?(words: String) {
    if words.hasPrefix("Session not found") {
      self = .sessionNotFound
    } else if words.hasPrefix("Subscribe rate limit") {
      self = .subscribeRateLimit
    } else if words.hasPrefix("Agent is already processing") {
      self = .agentBusy
    } else if Self.idleEndings.contains(where: words.hasSuffix) {
      self = .noActiveTurn
    } else if words.hasPrefix("Prompt requires an idle") {
      self = .promptNeedsIdle
    } else if words.hasPrefix("Session not active") {
      self = .sessionNotActive
    } else if words.hasPrefix("clientTurnId conflict") {
      self = .turnIDConflict
    } else if words.contains("reached"), Self.limits.contains(where: words.hasPrefix) {
      self = .sessionLimit
    } else {
      return nil
    }
  }

  private static let idleEndings = [
    "requires an active streaming turn", "requires an active streaming terminal turn",
  ]
  private static let limits = ["Workspace session limit", "Global session limit"]
}
