// SPDX-License-Identifier: MIT

package import OppiText

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

/// A model that a server offers to its agents.
package struct LanguageModel: JSONRecord, Equatable {
  /// The provider, a slash, and the provider's own name, which may contain slashes too.
  package let id: String
  /// Any text, not unique; made safe to show.
  package var name: String
  /// Made safe to show.
  package var provider: String
  /// In tokens; `nil` if the server does not report it.
  package var contextWindow: Int?
  /// Whether the server uses it where no model is named; false also if it does not report it.
  package var isDefault: Bool
  /// The thinking levels that it supports; empty if the server does not report them.
  package var thinkingLevels: [String]

  /// Reads the server's object; `nil` if its id is missing or not printable unchanged.
  package init?(json: JSONValue) {
    guard let id = json["id"].text(.name), !id.isEmpty, id == id.safeLine(limit: 200) else {
      return nil
    }
    self.id = id
    let name = json["name"].line(120) ?? ""
    self.name = name.isEmpty ? id : name
    let provider = json["provider"].line(120) ?? ""
    self.provider =
      provider.isEmpty ? id.split(separator: "/").first.map(String.init) ?? "" : provider
    contextWindow = json["contextWindow"].int.flatMap { $0 > 0 ? $0 : nil }
    isDefault = json["isDefault"].bool ?? false
    thinkingLevels = (json["thinkingLevels"].array ?? []).prefix(20).compactMap { $0.line(40) }
  }

  /// Whether it is known not to support a thinking level.
  package func lacks(_ level: ThinkingLevel) -> Bool {
    !thinkingLevels.isEmpty && !thinkingLevels.contains(level.rawValue)
  }

  /// The members, named as on the wire.
  package var json: JSONValue {
    .object([
      "id": .string(id),
      "name": .string(name),
      "provider": .string(provider),
      "contextWindow": contextWindow.map { .integer(Int64($0)) },
      "isDefault": isDefault ? true : nil,
      "thinkingLevels":
        thinkingLevels.isEmpty ? nil : .array(thinkingLevels.map(JSONValue.string)),
    ])
  }
}

/// The amount of reasoning before an answer.
package enum ThinkingLevel: String, Sendable, CaseIterable {
  case off
  case minimal
  case low
  case medium
  case high
  case xhigh
  /// Of servers since summer 2026.
  case max

  /// All levels, for people.
  package static let words: String = {
    let names = allCases.map(\.rawValue)
    return "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
  }()
}

/// A device that is or was paired with a server; texts are safe to show on one line.
package struct PairedDevice: Sendable, Equatable {
  package var id: String
  /// Any text, not unique.
  package var name: String
  package var createdAt: Timestamp?
  /// `nil` if it was never used.
  package var lastUsedAt: Timestamp?
  /// `nil` unless it was revoked.
  package var revokedAt: Timestamp?
  /// Whether the server has its key; without one, it cannot get access.
  package var hasKey: Bool

  /// Its name and its id.
  package var label: String { name.isEmpty ? id : "\(name) (\(id))" }

  /// Reads the server's object; `nil` if it has no valid id.
  package init?(json: JSONValue) {
    guard let id = json["id"].wireID else { return nil }
    self.id = id
    name = json["name"].line(80) ?? ""
    createdAt = json["createdAt"].int.map(Timestamp.init(milliseconds:))
    lastUsedAt = json["lastUsedAt"].int.map(Timestamp.init(milliseconds:))
    revokedAt = json["revokedAt"].int.map(Timestamp.init(milliseconds:))
    hasKey = json["keyEnrolled"].bool ?? true
  }

  package var isRevoked: Bool { revokedAt != nil }
}
