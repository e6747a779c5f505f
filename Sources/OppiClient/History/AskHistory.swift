// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiText
package import OppiWire

/// The history that the lines of an ``AskHistoryFile`` describe.
struct AskHistory {
  private var entries: [AskHistoryFile.Entry] = []
  /// The number of the last entry.
  private var lastNumber = 0
  private var places: [String: Int] = [:]
  private var keyPlaces: [OutboxKey: Int] = [:]
  private(set) var lastUsed: LastUsed?

  init(_ lines: [JSONObject]) {
    for line in lines { take(line) }
  }

  private mutating func take(_ line: JSONObject) {
    if line[LastUsed.member] == true { lastUsed = LastUsed(line) }
    guard var entry = AskHistoryFile.Entry(json: .object(line)) else {
      return settle(.object(line))
    }
    let place = places[entry.clientTurnID] ?? entries.count
    if place < entries.count {
      entry.number = entries[place].number
      entries[place] = entry
    } else {
      // The entry's own number, if the file was compacted since it was added; that of a damaged file
      // leaves room for others.
      let own = entry.number < 1 << 53 ? entry.number : 0
      lastNumber = max(own, lastNumber + 1)
      entry.number = lastNumber
      entries.append(entry)
    }
    places[entry.clientTurnID] = place
    if let key = entry.outboxKey { keyPlaces[key] = place }
  }

  private mutating func settle(_ line: JSONValue) {
    let key = line["outboxKey"].string.flatMap { OutboxKey($0) }
    let place = line["clientTurnId"].string.flatMap { places[$0] } ?? key.flatMap { keyPlaces[$0] }
    guard let place, let state = line["state"].string else { return }
    entries[place].state = state.safeLine(limit: 20)
    entries[place].sessionID = line["sessionId"].wireID ?? entries[place].sessionID
    entries[place].cost = line["cost"].double.flatMap { Dollars($0) } ?? entries[place].cost
  }

  /// The entries within the limits, oldest first; beyond the limits, the oldest are dropped.
  var kept: [AskHistoryFile.Entry] {
    var size = 0
    return entries.reversed().prefix(AskHistoryFile.countLimit).prefix { entry in
      size += entry.prompt.utf8.count
      return size <= AskHistoryFile.sizeLimit
    }
    .reversed()
  }

  /// The fewest lines with the same content.
  var lines: [JSONObject] { kept.map(\.json) + [lastUsed?.line].compactMap(\.self) }
}

extension AskHistoryFile {
  package struct Entry: Sendable, Equatable {
    /// Counts up from 1 and never changes; 0 for an entry that is not in the file yet.
    var number = 0
    package var at: Timestamp
    /// The prompt's id for the server; a later entry with the same id replaces this one.
    package var clientTurnID: String
    package var workspace: WorkspaceReference?
    /// `server/workspace` or `server/session`, with the names at that time.
    package var place: String
    package var sessionID: String?
    package var prompt: String
    /// Whether only the start of the prompt is kept, with a mark.
    package var isCut = false
    /// The number of images, which are not kept.
    package var imageCount: Int
    /// A state of `ask --json`.
    package var state: String
    /// The key in the outbox, if it was queued there.
    package var outboxKey: OutboxKey?
    /// The shortcut that sent it; `nil` for none.
    package var shortcut: String?
    /// The id of the turn after whose success it was sent, in a chain; `nil` for none.
    package var after: String?
    /// The cost of its turn, if it was awaited and the server reported it.
    var cost: Dollars?

    package init(
      number: Int = 0,
      at: Timestamp,
      clientTurnID: String,
      workspace: WorkspaceReference? = nil,
      place: String,
      sessionID: String? = nil,
      prompt: String,
      isCut: Bool = false,
      imageCount: Int,
      state: String,
      outboxKey: OutboxKey? = nil,
      shortcut: String? = nil,
      after: String? = nil,
      cost: Dollars? = nil
    ) {
      (self.number, self.at, self.clientTurnID) = (number, at, clientTurnID)
      (self.workspace, self.place, self.sessionID) = (workspace, place, sessionID)
      (self.prompt, self.isCut, self.imageCount) = (prompt, isCut, imageCount)
      (self.state, self.outboxKey, self.shortcut) = (state, outboxKey, shortcut)
      (self.after, self.cost) = (after, cost)
    }

    /// Whether the place is that of its session, which already existed.
    var isToSession: Bool { sessionID.map { place.hasSuffix("/\($0)") } ?? false }

    var session: SessionID? {
      guard let sessionID, let server = workspace?.serverID else { return nil }
      return SessionID(serverID: server, sessionID: sessionID)
    }

    /// What `last` means after it.
    var lastUsed: LastUsed? { workspace.map { LastUsed(workspace: $0, sessionID: sessionID) } }
  }
}

/// The last used workspace and session, which `last` means.
package struct LastUsed: Sendable, Equatable {
  /// Marks a line that sets it.
  static let member = "last"

  package var workspace: WorkspaceReference
  package var sessionID: String?

  package init(workspace: WorkspaceReference, sessionID: String? = nil) {
    (self.workspace, self.sessionID) = (workspace, sessionID)
  }
}

extension LastUsed {
  init?(_ line: JSONObject) {
    let json = JSONValue.object(line)
    guard let workspace = json["workspace"].string.flatMap({ WorkspaceReference($0) }) else {
      return nil
    }
    self.init(workspace: workspace, sessionID: json["sessionId"].wireID)
  }

  /// Its line, without a prompt.
  var line: JSONObject {
    [
      Self.member: true, "workspace": .string(workspace.description),
      "sessionId": sessionID.map(JSONValue.string),
    ]
  }
}

extension AskHistoryFile.Entry {
  static let shape = RecordShape(
    AskHistoryFile.Entry(
      at: Timestamp(milliseconds: 0),
      clientTurnID: "",
      place: "",
      prompt: "",
      imageCount: 0,
      state: ""
    ),
    [
      .defaulted("number", { $1(&$0.number) }, .count.omitting(0)),
      .required("at", { $1(&$0.at) }, .iso8601),
      .required("clientTurnId", { $1(&$0.clientTurnID) }, .text),
      .optional("workspace", { $1(&$0.workspace) }, .workspace),
      .defaulted("place", { $1(&$0.place) }, .line(200)),
      .optional("sessionId", { $1(&$0.sessionID) }, .wireID),
      .required("prompt", { $1(&$0.prompt) }, .text),
      .defaulted("cut", { $1(&$0.isCut) }, .bool.omitting(false)),
      .defaulted("images", { $1(&$0.imageCount) }, .count.omitting(0)),
      .required("state", { $1(&$0.state) }, .text),
      .optional("outboxKey", { $1(&$0.outboxKey) }, .outboxKey),
      .optional("shortcut", { $1(&$0.shortcut) }, .line(100)),
      .optional("after", { $1(&$0.after) }, .text),
      .optional("cost", { $1(&$0.cost) }, .dollars),
    ]
  )

  var json: JSONObject { Self.shape.object(of: self) }

  init?(json: JSONValue) {
    guard var entry = Self.shape.record(from: json) else { return nil }
    // Versions before 2026-12 had the same word for the outbox, where a prompt has no session.
    let isInOutbox = entry.state == "queued" && entry.sessionID == nil && entry.outboxKey != nil
    entry.state = isInOutbox ? QueuedPrompt.waitingWord : entry.state.safeLine(limit: 20)
    self = entry
  }
}
