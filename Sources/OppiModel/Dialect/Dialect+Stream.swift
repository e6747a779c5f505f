// SPDX-License-Identifier: MIT

extension Dialect {
  /// How a session's messages are streamed.
  package enum Stream: String, Sendable {
    /// One socket per session, on servers before 2026-02-22.
    case perSession
    /// One socket `/stream` for all sessions, which a client subscribes to.
    case multiplexed
    /// One socket per session, on servers since May 2026, which are deaf until it is set up.
    case session
  }
}

extension Dialect.Stream {
  /// Whether a client subscribes to sessions, and gets missed events over the stream.
  ///
  /// Otherwise the socket itself is the subscription, and missed events are fetched over REST.
  package var subscribes: Bool { self == .multiplexed }

  /// Whether messages that are sent before the agent has started are handled after the start.
  ///
  /// Otherwise they are lost without an error.
  package var hearsBeforeStart: Bool { self != .session }

  /// Whether the server reports the messages that are queued behind a turn.
  package var reportsQueue: Bool { self != .perSession }

  /// Whether `/workspaces/:w/sessions/:s/stream` is the path of a session's socket.
  package var needsWorkspace: Bool { self != .multiplexed }
}
