// SPDX-License-Identifier: MIT

/// What a server speaks: one choice per concern.
///
/// It is learned from what a server offers and answers, never from its version. Each concern is a
/// type of its own with the rules of its choices; flows ask the concern, not the dialect.
package struct Dialect: Sendable, Hashable {
  package var credential: Credential
  package var stream: Stream
  package var requests: Requests
  package var listing: Listing
  package var creation: Creation
  package var updates: Updates

  package init(
    credential: Credential,
    stream: Stream,
    requests: Requests,
    listing: Listing,
    creation: Creation,
    updates: Updates
  ) {
    self.credential = credential
    self.stream = stream
    self.requests = requests
    self.listing = listing
    self.creation = creation
    self.updates = updates
  }
}

// MARK: - The concerns

extension Dialect {
  /// How requests are authorized.
  package enum Credential: String, Sendable {
    /// A token that is valid until it is revoked.
    case bearer
    /// Access tokens that live for minutes, issued for signatures of a device key.
    case deviceKey
  }

  /// What asks a human before an agent continues.
  package enum Requests: String, Sendable {
    /// The server's own gate, which names the tool, its arguments and the risk; and dialogs.
    case permissions
    /// Dialogs of extensions only: texts and options. Without an extension, tools run unasked.
    case dialogs
  }

  /// Which routes list sessions.
  package enum Listing: String, Sendable {
    /// `GET /workspaces/:w/sessions` of each workspace.
    case workspaces
    /// `GET /sessions`.
    case sessions
    /// `GET /sessions/recent`, with the number of pending dialogs of each session.
    case recent
  }

  /// How sessions are created.
  package enum Creation: String, Sendable {
    /// A repeated request creates a second session.
    case plain
    /// A repeated request with the same key leads to the same session.
    case idempotent
  }

  /// How a client notices changes in all sessions.
  package enum Updates: String, Sendable {
    /// By listing the sessions again and again.
    case polling
    /// By the counter of `GET /stream/events`.
    case counter
    /// By the socket `/app/events/stream`.
    case appEvents
  }
}

// MARK: - The dialects of released servers

extension Dialect {
  /// Servers before 2026-02-22.
  package static let perSession = Dialect(
    credential: .bearer,
    stream: .perSession,
    requests: .permissions,
    listing: .workspaces,
    creation: .plain,
    updates: .polling
  )
  /// Servers of spring 2026.
  package static let multiplexed = Dialect(
    credential: .bearer,
    stream: .multiplexed,
    requests: .permissions,
    listing: .sessions,
    creation: .plain,
    updates: .counter
  )
  /// Servers 0.42 to 0.46, which have session sockets and no gate.
  package static let sessionSockets = Dialect(
    credential: .bearer,
    stream: .session,
    requests: .dialogs,
    listing: .recent,
    creation: .idempotent,
    updates: .appEvents
  )
  /// Servers since 0.47, which enrol device keys.
  package static let deviceKeys = Dialect(
    credential: .deviceKey,
    stream: .session,
    requests: .dialogs,
    listing: .recent,
    creation: .idempotent,
    updates: .appEvents
  )

  /// The dialects of released servers by their names, the oldest first.
  package static let named: [(name: String, dialect: Dialect)] = [
    ("perSession", .perSession), ("multiplexed", .multiplexed),
    ("sessionSockets", .sessionSockets), ("deviceKeys", .deviceKeys),
  ]

  /// The name of a released dialect, or of the stream for another combination.
  package var name: String {
    Self.named.first { $0.dialect == self }?.name ?? stream.rawValue
  }
}
