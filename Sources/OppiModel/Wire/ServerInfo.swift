// SPDX-License-Identifier: MIT

/// The answer of `GET /server/info`.
package struct ServerInfo: Sendable, Equatable {
  /// A part of the protocol that a server announces with a version of its own.
  package enum Capability: String, Sendable, CaseIterable {
    /// One socket per session, which is silent until its agent has started.
    case sessionStream
    /// The socket `/app/events/stream` for all sessions.
    case appEventStream
    /// Sessions without a workspace, and with them dialogs, commands and idempotent creation over
    /// REST.
    case controlSessions
  }

  /// The limits of uploads, in bytes.
  package struct UploadLimits: Sendable, Equatable {
    package var file: Int
    /// Of all files of a turn together.
    package var turn: Int
  }

  package var name: String
  package var version: String?
  /// `nil` if the server has no identity key.
  package var fingerprint: Fingerprint?
  /// In whole seconds; `nil` if the server does not report it.
  package var uptime: Duration?
  /// `nil` on servers that take no uploads.
  package var uploadLimits: UploadLimits?
  /// `nil` on servers before May 2026, which announce none.
  package var capabilities: Set<Capability>?

  /// Reads the server's object, leniently.
  package init(json: JSONValue) {
    name = json["name"].line(80) ?? ""
    version = json["version"].line(40)
    fingerprint = json["identity"]["fingerprint"].text(.name).flatMap { Fingerprint($0) }
    uptime = json["uptime"].int.map { .seconds(max($0, 0)) }
    uploadLimits = UploadLimits(json: json["uploadProtocol"])
    let offers = json["capabilities"]
    capabilities =
      offers.object == nil
      ? nil
      : Set(Capability.allCases.filter { offers[$0.rawValue].isOffered })
  }
}

extension ServerInfo.UploadLimits {
  /// A limit that the files of a prompt exceed; sizes are in bytes.
  package enum Excess: Sendable, Equatable {
    /// One file, by its position from 1.
    case file(Int, size: Int, limit: Int)
    /// All files together.
    case turn(size: Int, limit: Int)
  }

  /// The first limit that the files exceed; `nil` if the server takes them.
  package func excess(of sizes: [Int]) -> Excess? {
    if let index = sizes.firstIndex(where: { $0 > file }) {
      return .file(index + 1, size: sizes[index], limit: file)
    }
    let total = sizes.reduce(0, +)
    return total > turn ? .turn(size: total, limit: turn) : nil
  }

  /// Reads the server's object; `nil` if it is not offered or has no limits.
  fileprivate init?(json: JSONValue) {
    guard json.isOffered, let file = json["maxFileBytes"].int, let turn = json["maxTurnBytes"].int,
      file > 0, turn > 0
    else { return nil }
    self.init(file: file, turn: turn)
  }
}

extension JSONValue {
  /// Whether this is a versioned object of an offered part of the protocol.
  fileprivate var isOffered: Bool { self["version"].int.map { $0 >= 1 } ?? false }
}
