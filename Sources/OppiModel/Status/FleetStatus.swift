// SPDX-License-Identifier: MIT

/// One server and its sessions as of the last query.
package struct ServerStatus: Sendable, Equatable {
  package var id: Fingerprint
  /// The local name, safe to show.
  package var name: String
  /// When it last answered; `nil` if it never answered.
  package var contactAt: Timestamp?
  /// Why the last query failed; `nil` if it succeeded.
  package var failure: String?
  /// The sessions in the last answer, even if a later query failed.
  package var sessions: [SessionStatus]

  package init(
    id: Fingerprint,
    name: String,
    contactAt: Timestamp? = nil,
    failure: String? = nil,
    sessions: [SessionStatus] = []
  ) {
    self.id = id
    self.name = name
    self.contactAt = contactAt
    self.failure = failure
    self.sessions = sessions
  }
}

/// A snapshot of all sessions of all paired servers.
package struct FleetStatus: Sendable, Equatable {
  package var at: Timestamp
  package var servers: [ServerStatus]

  /// The longest interval between two writes of the file, even without changes.
  package static let writtenEvery = Duration.seconds(30)
  /// The age after which the file is considered abandoned.
  package static let keptFor = Duration.seconds(90)

  package init(at: Timestamp, servers: [ServerStatus]) {
    self.at = at
    self.servers = servers
  }
}

extension FleetStatus {
  /// Whether a process still updates the snapshot; allows for a clock that was set back a little.
  package func isKept(at now: Timestamp) -> Bool {
    Duration.milliseconds(abs(now.milliseconds - at.milliseconds)) <= Self.keptFor
  }

  package func only(_ ids: Set<Fingerprint>) -> FleetStatus {
    FleetStatus(at: at, servers: servers.filter { ids.contains($0.id) })
  }
}
