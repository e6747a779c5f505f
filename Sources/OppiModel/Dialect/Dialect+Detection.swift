// SPDX-License-Identifier: MIT

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
  /// Whether only a request shows if the server has a gate: it was removed some months after session
  /// sockets came, without a sign among the capabilities.
  package var hasUnsureGate: Bool { stream == .session && requests == .permissions }
}
