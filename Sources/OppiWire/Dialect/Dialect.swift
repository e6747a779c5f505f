// SPDX-License-Identifier: MIT

package import OppiText

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

  /// Whether only a request shows if the server has a gate: it was removed some months after session
  /// sockets came, without a sign among the capabilities.
  package var hasUnsureGate: Bool { stream == .session && requests == .permissions }
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

extension Dialect {
  /// The dialect of a server by its capabilities; `nil` if it announces no session sockets.
  ///
  /// The streams of servers that announce nothing tell their dialects apart. A server that enrolled
  /// a device key speaks today's dialect even if its capabilities are missing.
  package static func detected(by info: ServerInfo, credential: Credential) -> Dialect? {
    guard let capabilities = info.capabilities, capabilities.contains(.sessionStream) else {
      return credential == .deviceKey ? .deviceKeys : nil
    }
    let isCurrent = credential == .deviceKey || capabilities.contains(.controlSessions)
    let hasEvents = capabilities.contains(.appEventStream)
    return Dialect(
      credential: credential,
      stream: .session,
      // App events came after the server's gate was removed.
      requests: isCurrent || hasEvents ? .dialogs : .permissions,
      listing: isCurrent ? .recent : .sessions,
      creation: isCurrent ? .idempotent : .plain,
      updates: hasEvents ? .appEvents : .polling
    )
  }

  /// The dialect of a server that was asked again; the known one stays if the answer tells nothing
  /// else.
  ///
  /// A server without capabilities has another stream than the known dialect if it was downgraded;
  /// its dialect is unknown then.
  package static func updated(
    _ known: Dialect?,
    by info: ServerInfo,
    credential: Credential
  ) -> Dialect? {
    if let detected = detected(by: info, credential: credential) { return detected }
    return known?.stream == .session ? nil : known
  }
}

extension Dialect {
  /// Reads a stored dialect: an object of the concerns, or the name that earlier versions stored.
  package init?(json: JSONValue) {
    if let name = json.string {
      guard let known = Self.named.first(where: { $0.name == name }) else { return nil }
      self = known.dialect
      return
    }
    guard let dialect = Self.shape.record(from: json) else { return nil }
    self = dialect
  }

  package var json: JSONValue { Self.shape.json(of: self) }

  private static let shape = RecordShape(
    Dialect.multiplexed,
    [
      .required("credential", { $1(&$0.credential) }, .word),
      .required("stream", { $1(&$0.stream) }, .word),
      .required("requests", { $1(&$0.requests) }, .word),
      .required("listing", { $1(&$0.listing) }, .word),
      .required("creation", { $1(&$0.creation) }, .word),
      .required("updates", { $1(&$0.updates) }, .word),
    ]
  )
}
