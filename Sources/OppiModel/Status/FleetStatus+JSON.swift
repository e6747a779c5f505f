// SPDX-License-Identifier: MIT

/// The snapshot file that `oppi watch` writes for `oppi status` and for other programs.
///
/// Times are milliseconds since 1970 in UTC. Input is limited in size and made safe to show, like
/// any external data; invalid parts are left out.
extension FleetStatus {
  /// The format version; files of other versions are ignored.
  package static let version = 1

  /// The members of the object and their meanings; members of inner objects have a path.
  package static let members: [(path: String, meaning: String)] =
    [
      ("version", "The format version: 1"),
      ("at", "When the file was written, at least every 30 s; an older file is stale"),
      ("servers", "The paired servers"),
      ("servers[].id", "Its identity"),
      ("servers[].name", "Its local name"),
      ("servers[].contactAt", "When it last answered; absent if never"),
      ("servers[].error", "The error of the last query; absent if it succeeded"),
      ("servers[].sessions", "Its sessions as of the last answer"),
    ]
    + SessionStatus.members.map { ("servers[].sessions[].\($0.path)", $0.meaning) }

  /// The object of the file.
  package var json: JSONValue {
    [
      "version": .integer(Int64(Self.version)), "at": at.json,
      "servers": .array(servers.map(\.json)),
    ]
  }

  /// Reads the object of the file; `nil` if it has another version or is invalid.
  package init?(json: JSONValue) {
    guard json["version"].int == Self.version, let at = Timestamp(json: json["at"]),
      let servers = json["servers"].array
    else { return nil }
    self.init(at: at, servers: servers.prefix(Bounds.servers).compactMap(ServerStatus.init(json:)))
  }
}

/// The number of elements read from a list.
private enum Bounds {
  static let servers = 10_000
  static let sessions = 10_000
}

extension ServerStatus {
  fileprivate var json: JSONValue {
    .object([
      "id": .string(id.text), "name": .string(name), "contactAt": contactAt?.json,
      "error": failure.map(JSONValue.string), "sessions": .array(sessions.map(\.json)),
    ])
  }

  fileprivate init?(json: JSONValue) {
    guard let id = json["id"].string.flatMap({ Fingerprint($0) }),
      let name = json["name"].line(120)
    else { return nil }
    self.init(
      id: id,
      name: name,
      contactAt: Timestamp(json: json["contactAt"]),
      failure: json["error"].line(400),
      sessions: (json["sessions"].array ?? []).prefix(Bounds.sessions)
        .compactMap(SessionStatus.init(json:))
    )
  }
}

extension Timestamp {
  /// The moment in milliseconds.
  var json: JSONValue { .integer(Int64(milliseconds)) }

  /// Reads a moment in milliseconds; `nil` for anything else.
  init?(json: JSONValue) {
    guard let milliseconds = json.int else { return nil }
    self.init(milliseconds: milliseconds)
  }
}

extension JSONValue {
  /// The text on one line, limited and safe to show; `nil` for any other kind of value.
  func line(_ limit: Int) -> String? { string?.safeLine(limit: limit) }

  /// The number, or 0 if negative; `nil` for any other kind of value.
  var count: Int? { int.map { max(0, $0) } }
}
