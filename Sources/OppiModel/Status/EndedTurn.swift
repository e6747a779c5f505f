// SPDX-License-Identifier: MIT

package import OppiText
package import OppiWire

/// A session's last turn, and the state of the session when its end was seen.
package struct EndedTurn: Sendable, Equatable {
  fileprivate var sessionID = ""
  /// On the server's clock.
  fileprivate var lastActivity = Timestamp(milliseconds: 0)
  private var messageCount = 0
  /// On the server's clock.
  package private(set) var turn = TurnSummary()

  package init(of session: Session, _ turn: TurnSummary) {
    sessionID = session.id
    lastActivity = session.lastActivity
    messageCount = session.messageCount
    self.turn = turn
  }

  private init() {}

  /// Whether nothing has happened in the session since.
  package func isCurrent(in session: Session) -> Bool {
    messageCount == session.messageCount && lastActivity == session.lastActivity
  }

  /// Whether no turn has started since: every prompt adds a message.
  package func isLast(in session: Session) -> Bool {
    messageCount == session.messageCount && lastActivity <= session.lastActivity
  }

  /// Rejects a turn without an outcome.
  fileprivate static let shape = RecordShape(
    EndedTurn(),
    [
      .required("session", { $1(&$0.sessionID) }, .text),
      .required("lastActivity", { $1(&$0.lastActivity) }, .milliseconds),
      .required("messageCount", { $1(&$0.messageCount) }, .count),
      .required("turn", { $1(&$0.turn) }, .object(TurnSummary.shape)),
    ]
  ) { $0.turn.end != nil }
}

/// Ended turns by server and session.
package struct EndedTurns: JSONRecord, Equatable {
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
      let turns = turns.sorted { $0.key < $1.key }.map { EndedTurn.shape.json(of: $0.value) }
      return ["id": .string(id.text), "turns": .array(turns)]
    }
    return ["version": .integer(Int64(Self.version)), "servers": .array(rows)]
  }

  /// Reads the object of the file; omits invalid parts.
  package init(json: JSONValue) {
    guard json["version"].int == Self.version else { return }
    for server in (json["servers"].array ?? []).prefix(10_000) {
      guard let id = server["id"].string.flatMap({ Fingerprint($0) }) else { continue }
      let turns = (server["turns"].array ?? []).prefix(Self.limit)
        .compactMap(EndedTurn.shape.record)
      servers[id] = Dictionary(turns.map { ($0.sessionID, $0) }) { first, _ in first }
    }
  }
}

/// The outcome of a turn, in one word.
package enum TurnEnd: String, Sendable, CaseIterable {
  case finished
  case empty
  case failed
  /// It failed because of a usage limit of the model's provider.
  case limited
  case stopped
  /// The end was not seen, and no other source shows the outcome.
  case unknown
}

/// A turn in brief; texts are on one line, limited and safe to show.
package struct TurnSummary: Sendable, Equatable {
  package var startedAt: Timestamp?
  /// `nil` while the turn is running, and if unknown.
  package var endedAt: Timestamp?
  /// The current operation, such as `bash: swift test`.
  package var operation: String?
  package var todo: TodoProgress?
  /// The reason of a failure; `nil` if the turn did not fail.
  package var failure: String?
  /// When the usage limit is reset that made the turn fail; `nil` without one, and if unknown.
  package var resetAt: Timestamp?
  /// `nil` while the turn is running.
  package var end: TurnEnd?

  package init(
    startedAt: Timestamp? = nil,
    endedAt: Timestamp? = nil,
    operation: String? = nil,
    todo: TodoProgress? = nil,
    failure: String? = nil,
    resetAt: Timestamp? = nil,
    end: TurnEnd? = nil
  ) {
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.operation = operation
    self.todo = todo
    self.failure = failure
    self.resetAt = resetAt
    self.end = end
  }

  package init(_ outcome: TurnOutcome) {
    self.init(failure: outcome.failure?.safeLine(limit: 300), end: outcome.end)
  }

  /// The same turn on another clock.
  func moved(by offset: Duration) -> TurnSummary {
    var turn = self
    turn.startedAt = startedAt?.moved(by: offset)
    turn.endedAt = endedAt?.moved(by: offset)
    turn.resetAt = resetAt?.moved(by: offset)
    return turn
  }
}

extension TurnOutcome {
  package var end: TurnEnd {
    switch self {
    case .succeeded: .finished
    case .empty: .empty
    case .failed: limit == nil ? .failed : .limited
    case .stopped, .dropped: .stopped
    case .unknown: .unknown
    }
  }

  /// The outcome's name in machine-readable output.
  package var word: String { end.rawValue }

  /// The server's reason of a failure, or the reason for an empty turn.
  fileprivate var failure: String? {
    switch self {
    case .failed(let reason): limit?.statement ?? reason
    case .empty: "the agent returned no answer"
    case .succeeded, .stopped, .dropped, .unknown: nil
    }
  }
}

extension Turn {
  /// The to-do list in the latest call that contains one.
  package var todo: TodoProgress? {
    var todo = toolCalls.reversed().lazy.compactMap { TodoProgress($0) }.first
    let current = todo?.current?.safeLine(limit: 120)
    todo?.current = current
    return todo
  }
}
