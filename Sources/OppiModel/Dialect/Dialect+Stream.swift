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

  /// Whether each start of an agent has a name, which a new connection compares.
  ///
  /// Otherwise only a lower sequence number shows that another agent has been started.
  package var namesAgents: Bool { self == .session }

  /// Whether a prompt says what becomes of it while a turn is running.
  ///
  /// Otherwise the server loses such a prompt, and a message to a running turn is of another type.
  package var queuesPrompts: Bool { self == .session }

  /// Whether the server answers a repeated prompt without running it, and keeps nothing of a
  /// prompt that it refuses.
  ///
  /// Otherwise a repeated answer may also belong to a prompt that was refused.
  package var recognizesRepeats: Bool { self == .session }

  /// The length of the session ids that servers assign; a shorter one is a prefix.
  ///
  /// Newer servers may still have sessions of older ones, with shorter ids.
  package var sessionIDLength: Int { self == .session ? 36 : 8 }

  /// Whether the code with which the server closes a stream tells the reason.
  package var explainsClosing: Bool { self == .session }

  /// Whether images are uploaded before the prompt that refers to them.
  ///
  /// Otherwise they are a part of the prompt.
  package var uploadsImages: Bool { self == .session }

  /// Whether `/workspaces/:w/sessions/:s/stream` is the path of a session's socket.
  package var needsWorkspace: Bool { self != .multiplexed }
}
