// SPDX-License-Identifier: MIT

/// The snapshot that `oppi watch` keeps in a file for `oppi status` and for other programs.
///
/// Times are milliseconds since the beginning of 1970, in UTC. What is read is bounded and made safe
/// to show like anything else from outside; what cannot be understood is left out.
extension FleetStatus {
  /// Of a file with another version nothing is known.
  package static let version = 1

  /// The members of the object with their meanings, those of inner objects under paths.
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

  /// Reads the object of the file; `nil` where it is of another version, or no such object.
  package init?(json: JSONValue) {
    guard json["version"].int == Self.version, let at = Timestamp(json: json["at"]),
      let servers = json["servers"].array
    else { return nil }
    self.init(at: at, servers: servers.prefix(Bounds.servers).compactMap(ServerStatus.init(json:)))
  }
}

/// The most that is read of a list.
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
  /// The text on one line, bounded and safe to show; `nil` for any other kind of value.
  func line(_ limit: Int) -> String? { string?.safeLine(limit: limit) }

  /// The number where it is one that can be counted with, and 0 for a negative one.
  var count: Int? { int.map { max(0, $0) } }
}
