// SPDX-License-Identifier: MIT

/// A session's last turn, and the state of the session when its end was seen.
package struct EndedTurn: Sendable, Equatable {
  /// On the server's clock.
  package let lastActivity: Timestamp
  package let messageCount: Int
  /// On the server's clock.
  package let turn: TurnSummary

  package init(of session: Session, _ turn: TurnSummary) {
    self.init(lastActivity: session.lastActivity, messageCount: session.messageCount, turn)
  }

  init(lastActivity: Timestamp, messageCount: Int, _ turn: TurnSummary) {
    self.lastActivity = lastActivity
    self.messageCount = messageCount
    self.turn = turn
  }

  /// Whether nothing has happened in the session since.
  package func isCurrent(in session: Session) -> Bool {
    messageCount == session.messageCount && lastActivity == session.lastActivity
  }

  /// Whether no turn has started since: every prompt adds a message.
  package func isLast(in session: Session) -> Bool {
    messageCount == session.messageCount && lastActivity <= session.lastActivity
  }
}

/// Ended turns by server and session.
package struct EndedTurns: Sendable, Equatable {
  /// By session id.
  package typealias OfServer = [String: EndedTurn]

  private static let version = 1
  /// The number of turns kept per server.
  private static let limit = 1000

  private var servers: [Fingerprint: OfServer] = [:]

  package init() {}

  /// The turns of a server; if there are too many, those with the latest activity are kept.
  package subscript(server: Fingerprint) -> OfServer {
    get { servers[server] ?? [:] }
    set {
      let latest = newValue.sorted {
        ($1.value.lastActivity, $1.key) < ($0.value.lastActivity, $0.key)
      }
      let kept = latest.prefix(Self.limit).map { ($0.key, $0.value) }
      servers[server] = Dictionary(uniqueKeysWithValues: kept)
    }
  }

  /// The object of the file.
  package var json: JSONValue {
    let rows = servers.sorted { $0.key.text < $1.key.text }.map { id, turns -> JSONValue in
      [
        "id": .string(id.text),
        "turns": .array(turns.sorted { $0.key < $1.key }.map { $0.value.json(of: $0.key) }),
      ]
    }
    return ["version": .integer(Int64(Self.version)), "servers": .array(rows)]
  }

  /// Reads the object of the file; omits invalid parts.
  package init(json: JSONValue) {
    guard json["version"].int == Self.version else { return }
    for server in (json["servers"].array ?? []).prefix(10_000) {
      guard let id = server["id"].string.flatMap({ Fingerprint($0) }) else { continue }
      let turns = (server["turns"].array ?? []).prefix(Self.limit).compactMap { row in
        EndedTurn(json: row).map { (row["session"].string ?? "", $0) }
      }
      servers[id] = Dictionary(turns, uniquingKeysWith: { first, _ in first })
    }
  }
}

extension EndedTurn {
  fileprivate func json(of session: String) -> JSONValue {
    [
      "session": .string(session), "lastActivity": .integer(Int64(lastActivity.milliseconds)),
      "messageCount": .integer(Int64(messageCount)), "turn": TurnSummary.shape.json(of: turn),
    ]
  }

  /// Reads the object of the file; `nil` if the outcome of the turn is missing.
  fileprivate init?(json: JSONValue) {
    guard let lastActivity = json["lastActivity"].int, let count = json["messageCount"].count,
      let turn = TurnSummary.shape.record(from: json["turn"]), turn.end != nil
    else { return nil }
    self.init(lastActivity: Timestamp(milliseconds: lastActivity), messageCount: count, turn)
  }
}
