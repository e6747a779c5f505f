// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// The user's prompts in the history file, readable only by this user.
struct AskHistoryFile: Sendable {
  struct Entry: Sendable, Equatable {
    /// Counts up from 1 and never changes; 0 for an entry that is not in the file yet.
    var number = 0
    var at: Timestamp
    /// The prompt's id for the server; a later entry with the same id replaces this one.
    var clientTurnID: String
    var workspace: WorkspaceReference?
    /// `server/workspace` or `server/session`, with the names at that time.
    var place: String
    var sessionID: String?
    var prompt: String
    /// The number of images, which are not kept.
    var imageCount: Int
    /// A state of `ask --json`.
    var state: String
    /// The key in the outbox, if it was queued there.
    var outboxKey: OutboxKey?
    /// The shortcut that sent it; `nil` for none.
    var shortcut: String?
    /// The id of the turn after whose success it was sent, in a chain; `nil` for none.
    var after: String?
    /// The cost of its turn, if it was awaited and the server reported it.
    var cost: Dollars?

    var session: SessionPlace? {
      guard let sessionID, let server = workspace?.serverID else { return nil }
      return SessionPlace(serverID: server, sessionID: sessionID)
    }

    init(
      at: Timestamp,
      clientTurnID: String,
      workspace: WorkspaceReference?,
      place: String,
      sessionID: String?,
      prompt: String,
      imageCount: Int,
      state: String,
      outboxKey: OutboxKey? = nil
    ) {
      self.at = at
      self.clientTurnID = clientTurnID
      self.workspace = workspace
      self.place = place
      self.sessionID = sessionID
      self.prompt = prompt
      self.imageCount = imageCount
      self.state = state
      self.outboxKey = outboxKey
    }
  }

  /// The number of prompts that are kept.
  static let countLimit = 500
  /// The size of all prompts in bytes; a longer single prompt is not kept.
  static let sizeLimit = 512 << 10

  private let log: HistoryLog

  init(
    paths: XDGPaths,
    files: FileStore,
    warn: @escaping @Sendable (String) async -> Void = { _ in }
  ) {
    log = HistoryLog(paths: paths, files: files, warn: warn)
  }

  init(_ log: HistoryLog) {
    self.log = log
  }

  /// Returns the entries, the latest first.
  ///
  /// - Throws: `FileError` if the file exists and cannot be read.
  func entries() throws(FileError) -> [Entry] {
    AskHistory(try log.lines()).kept.reversed()
  }

  /// Records a prompt, or updates its entry.
  ///
  /// - Parameters:
  ///   - entry: The prompt.
  ///   - isLast: Whether `last` means its session from now on.
  /// - Throws: `FileError` if the file cannot be written.
  func note(_ entry: Entry, isLast: Bool = false) async throws(FileError) {
    var line = entry.json
    if entry.prompt.utf8.count > Self.sizeLimit {
      guard isLast, let use = entry.use else { return }
      line = use
    }
    line[HistoryLog.lastMember] = isLast ? true : nil
    try await append(line)
  }

  /// Records how the turn of a prompt ended, and what it cost, if known.
  func settle(
    turn clientTurnID: String,
    as state: String,
    cost: Dollars? = nil
  ) async throws(FileError) {
    try await append([
      "clientTurnId": .string(clientTurnID), "state": .string(state),
      "cost": cost.map { .double($0.number) },
    ])
  }

  /// Records the result of a prompt in the outbox.
  ///
  /// - Parameters:
  ///   - key: The key of the prompt.
  ///   - state: A state of `ask --json`.
  ///   - sessionID: The session that received it, if known.
  ///   - workspace: The workspace of the session if `last` means it from now on.
  /// - Throws: `FileError` if the file cannot be written.
  func settle(
    _ key: OutboxKey,
    as state: String,
    sessionID: String?,
    lastIn workspace: WorkspaceReference? = nil
  ) async throws(FileError) {
    try await append([
      "outboxKey": .string(key.text),
      "state": .string(state),
      "sessionId": sessionID.map(JSONValue.string),
      "workspace": workspace.map { .string($0.description) },
      HistoryLog.lastMember: workspace == nil ? nil : true,
    ])
  }

  /// Records the last used session without a prompt.
  func use(_ lastUsed: LastUsedStore.LastUsed) async throws(FileError) {
    try await append([
      HistoryLog.lastMember: true,
      "workspace": .string(lastUsed.workspace.description),
      "sessionId": lastUsed.sessionID.map(JSONValue.string),
    ])
  }

  private func append(_ line: JSONObject) async throws(FileError) {
    try await log.append(line) { AskHistory($0).lines }
  }

  /// Removes all entries except the last used session.
  func clear() async throws(FileError) {
    try await log.rewrite { AskHistory($0).lastUse.map { [$0] } ?? [] }
    try log.forgetCopies()
  }
}

private struct AskHistory {
  private var entries: [AskHistoryFile.Entry] = []
  /// The number of the last entry.
  private var lastNumber = 0
  private var places: [String: Int] = [:]
  private var keyPlaces: [OutboxKey: Int] = [:]
  /// The last used session as a line, without the prompt.
  private(set) var lastUse: JSONObject?

  init(_ lines: [JSONObject]) {
    for line in lines { take(line) }
  }

  private mutating func take(_ line: JSONObject) {
    if line[HistoryLog.lastMember] == true {
      lastUse = [
        HistoryLog.lastMember: true, "workspace": line["workspace"],
        "sessionId": line["sessionId"],
      ]
    }
    if var entry = AskHistoryFile.Entry(json: .object(line)) {
      let place = places[entry.clientTurnID] ?? entries.count
      entry.number = place < entries.count ? entries[place].number : number(of: entry)
      if place < entries.count { entries[place] = entry } else { entries.append(entry) }
      places[entry.clientTurnID] = place
      if let key = entry.outboxKey { keyPlaces[key] = place }
    } else {
      settle(.object(line))
    }
  }

  /// The number of a further entry: its own, if the file was compacted since it was added, else the
  /// next one.
  private mutating func number(of entry: AskHistoryFile.Entry) -> Int {
    // A number of a damaged file leaves room for others.
    let own = entry.number < 1 << 53 ? entry.number : 0
    lastNumber = max(own, lastNumber + 1)
    return lastNumber
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
  var lines: [JSONObject] { kept.map(\.json) + (lastUse.map { [$0] } ?? []) }
}

extension AskHistoryFile.Entry {
  static let shape = RecordShape(
    AskHistoryFile.Entry(
      at: Timestamp(milliseconds: 0),
      clientTurnID: "",
      workspace: nil,
      place: "",
      sessionID: nil,
      prompt: "",
      imageCount: 0,
      state: ""
    ),
    [
      .defaulted("number", \.number, .count.omitting(0)),
      .required("at", \.at, .iso8601),
      .required("clientTurnId", \.clientTurnID, .text),
      .optional("workspace", \.workspace, .workspace),
      .defaulted("place", \.place, .line(200)),
      .optional("sessionId", \.sessionID, .wireID),
      .required("prompt", \.prompt, .text),
      .defaulted("images", \.imageCount, .count.omitting(0)),
      .required("state", \.state, .text),
      .optional("outboxKey", \.outboxKey, .outboxKey),
      .optional("shortcut", \.shortcut, .line(100)),
      .optional("after", \.after, .text),
      .optional("cost", \.cost, .dollars),
    ]
  )

  fileprivate var json: JSONObject { Self.shape.object(of: self) }

  fileprivate init?(json: JSONValue) {
    guard var entry = Self.shape.record(from: json) else { return nil }
    // Versions before 2026-12 had the same word for the outbox, where a prompt has no session.
    let isInOutbox = entry.state == "queued" && entry.sessionID == nil && entry.outboxKey != nil
    entry.state = isInOutbox ? QueuedPrompt.waitingWord : entry.state.safeLine(limit: 20)
    self = entry
  }

  /// The session for `last`, without the prompt.
  fileprivate var use: JSONObject? {
    workspace.map { workspace in
      [
        "workspace": .string(workspace.description),
        "sessionId": sessionID.map(JSONValue.string),
      ]
    }
  }
}
