// SPDX-License-Identifier: MIT

/// The snapshot file that `oppi watch` writes for `oppi status` and for other programs.
///
/// Times are milliseconds since 1970 in UTC. Input is limited in size and made safe to show, like
/// any external data; invalid parts are left out.
extension FleetStatus {
  static let shape = RecordShape(
    FleetStatus(at: Timestamp(milliseconds: 0), servers: []),
    [
      .constant("version", 1).means("The format version: 1"),
      .required("at", \.at, .milliseconds)
        .means("When the file was written, at least every 30 s; an older file is stale"),
      .required("servers", \.servers, .list(of: .object(ServerStatus.shape), limit: 10_000))
        .means("The paired servers"),
    ]
  )

  /// The members of the object and their meanings; members of inner objects have a path.
  package static var members: [(path: String, meaning: String)] { shape.documentation }

  /// The object of the file.
  package var json: JSONValue { Self.shape.json(of: self) }

  /// Reads the object of the file; `nil` if it has another version or is no such object.
  package init?(json: JSONValue) {
    guard let status = Self.shape.record(from: json) else { return nil }
    self = status
  }
}

extension ServerStatus {
  static let shape = RecordShape(
    ServerStatus(id: .blank, name: ""),
    [
      .required("id", \.id, .fingerprint).means("Its identity"),
      .required("name", \.name, .line(120)).means("Its local name"),
      .optional("contactAt", \.contactAt, .milliseconds)
        .means("When it last answered; absent if never"),
      .optional("error", \.failure, .line(400))
        .means("The error of the last query; absent if it succeeded"),
      .defaulted("sessions", \.sessions, .list(of: .object(SessionStatus.shape), limit: 10_000))
        .means("Its sessions as of the last answer"),
    ]
  )
}
