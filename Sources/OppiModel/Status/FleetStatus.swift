// SPDX-License-Identifier: MIT

/// One server and its sessions, as they were when it was last asked.
package struct ServerStatus: Sendable, Equatable {
  package var id: Fingerprint
  /// What it is called here, safe to show.
  package var name: String
  /// When it last answered; `nil` where it never has.
  package var contactAt: Timestamp?
  /// Why it could not be asked last; `nil` where it could.
  package var failure: String?
  /// What it said last, also where it could not be asked since.
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

/// All sessions of all paired servers at a moment.
package struct FleetStatus: Sendable, Equatable {
  /// When it was put together.
  package var at: Timestamp
  package var servers: [ServerStatus]

  /// Whoever keeps it writes it down anew at least so often, also where nothing has changed.
  package static let writtenEvery = Duration.seconds(30)
  /// One that was put together so long ago is kept by nobody any more.
  package static let keptFor = Duration.seconds(90)

  package init(at: Timestamp, servers: [ServerStatus]) {
    self.at = at
    self.servers = servers
  }
}

extension FleetStatus {
  /// Whether somebody keeps it at a moment; the clock may have been set back a little meanwhile.
  package func isKept(at now: Timestamp) -> Bool {
    Duration.milliseconds(abs(now.milliseconds - at.milliseconds)) <= Self.keptFor
  }

  /// The same with some of the servers only.
  package func only(_ ids: Set<Fingerprint>) -> FleetStatus {
    FleetStatus(at: at, servers: servers.filter { ids.contains($0.id) })
  }
}
