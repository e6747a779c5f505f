// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

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

  static let shape = RecordShape(
    ServerStatus(id: .blank, name: ""),
    [
      .required("id", { $1(&$0.id) }, .fingerprint).means("Its identity"),
      .required("name", { $1(&$0.name) }, .line(120)).means("Its local name"),
      .optional("contactAt", { $1(&$0.contactAt) }, .milliseconds)
        .means("When it last answered; absent if never"),
      .optional("error", { $1(&$0.failure) }, .line(400))
        .means("The error of the last query; absent if it succeeded"),
      .defaulted(
        "sessions",
        { $1(&$0.sessions) },
        .list(of: .object(SessionStatus.shape), limit: 10_000)
      )
      .means("Its sessions as of the last answer"),
    ]
  )
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

  /// Whether a process still updates the snapshot; allows for a clock that was set back a little.
  package func isKept(at now: Timestamp) -> Bool {
    Duration.milliseconds(abs(now.milliseconds - at.milliseconds)) <= Self.keptFor
  }

  package func only(_ ids: Set<Fingerprint>) -> FleetStatus {
    FleetStatus(at: at, servers: servers.filter { ids.contains($0.id) })
  }
}

/// The snapshot file that `oppi watch` writes for `oppi status` and for other programs.
///
/// Times are milliseconds since 1970 in UTC. Input is limited in size and made safe to show, like
/// any external data; invalid parts are left out.
extension FleetStatus: ShapedRecord {
  package static let shape = RecordShape(
    FleetStatus(at: Timestamp(milliseconds: 0), servers: []),
    [
      .constant("version", 1).means("The format version: 1"),
      .required("at", { $1(&$0.at) }, .milliseconds)
        .means("When the file was written, at least every 30 s; an older file is stale"),
      .required(
        "servers",
        { $1(&$0.servers) },
        .list(of: .object(ServerStatus.shape), limit: 10_000)
      )
      .means("The paired servers"),
    ]
  )

  /// The members of the object and their meanings; members of inner objects have a path.
  package static var members: [(path: String, meaning: String)] { shape.documentation }
}

/// The default limits on loaded sessions of servers with a gate; servers do not report their limits.
package struct LoadLimits: Sendable {
  package let ofWorkspace = 20
  package let ofServer = 40

  /// `nil` for later servers, whose limits are not known.
  package init?(of dialect: Dialect?) {
    guard dialect.map(\.requests.hasGate) ?? true else { return nil }
  }

  /// Whether a count is at least 80 % of a limit.
  package static func isNearly(_ count: Int, _ limit: Int) -> Bool { count * 5 >= limit * 4 }
}
