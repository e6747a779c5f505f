// SPDX-License-Identifier: MIT

/// A session's last turn, and the state of the session when its end was seen.
package struct EndedTurn: Sendable, Equatable {
  /// On the server's clock.
  package fileprivate(set) var lastActivity: Timestamp
  package fileprivate(set) var messageCount: Int
  /// On the server's clock.
  package fileprivate(set) var turn: TurnSummary

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
    let rows = servers.sorted { $0.key.text < $1.key.text }.map { id, turns in
      File.Server(
        id: id,
        turns: turns.sorted { $0.key < $1.key }.map { File.Turn(session: $0.key, turn: $0.value) }
      )
    }
    return File.shape.json(of: File(servers: rows))
  }

  /// Reads the object of the file; what cannot be understood is left out.
  package init(json: JSONValue) {
    for server in File.shape.record(from: json)?.servers ?? [] {
      let turns = server.turns.map { ($0.session, $0.turn) }
      servers[server.id] = Dictionary(turns, uniquingKeysWith: { first, _ in first })
    }
  }

  /// The object of the file, with a list for each dictionary.
  struct File {
    struct Turn {
      var session = ""
      var turn = EndedTurn(lastActivity: Timestamp(milliseconds: 0), messageCount: 0, TurnSummary())

      static let shape = RecordShape(
        Turn(),
        [
          .defaulted("session", \.session, .text),
          .required("lastActivity", \.turn.lastActivity, .milliseconds),
          .required("messageCount", \.turn.messageCount, .count),
          // A turn without an end is of no use.
          .required("turn", \.turn.turn, .object(TurnSummary.shape).accepting { $0.end != nil }),
        ]
      )
    }

    struct Server {
      var id: Fingerprint
      var turns: [Turn] = []

      static let shape = RecordShape(
        Server(id: .blank),
        [
          .required("id", \.id, .fingerprint),
          .defaulted("turns", \.turns, .list(of: .object(Turn.shape), limit: EndedTurns.limit)),
        ]
      )
    }

    var servers: [Server] = []

    static let shape = RecordShape(
      File(),
      [
        .constant("version", 1),
        .defaulted("servers", \.servers, .list(of: .object(Server.shape), limit: 10_000)),
      ]
    )
  }
}
