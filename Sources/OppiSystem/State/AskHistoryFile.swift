// SPDX-License-Identifier: MIT

package import OppiModel

/// What this user has asked, in `history.json`, for nobody else to read.
package struct AskHistoryFile: Sendable {
  /// A prompt, where it went, and what is known of it.
  package struct Entry: Sendable, Equatable {
    package var at: Timestamp
    /// By which the server recognises it; a later entry of the same takes its place.
    package var clientTurnID: String
    /// The workspace, where it is known.
    package var workspace: WorkspaceReference?
    /// `server/workspace`, or `server/session`, as it was called.
    package var place: String
    package var sessionID: String?
    package var prompt: String
    /// How many pictures went along, which are not kept.
    package var imageCount: Int
    /// As `ask --json` has it.
    package var state: String
    /// The key under which the outbox had it, if so.
    package var outboxKey: OutboxKey?

    package init(
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

  /// The most prompts that are kept.
  package static let countLimit = 500
  /// The most bytes of all prompts together; of a longer one alone nothing is kept.
  package static let sizeLimit = 512 << 10

  private static let member = "asks"

  private let file: JSONFile

  package init(paths: XDGPaths, files: FileStore) {
    file = JSONFile(path: paths.historyFile, in: files, limit: 4 << 20, .passing)
  }

  /// Returns what was asked, the latest first.
  ///
  /// - Throws: `FileError` where the file is there and cannot be read, or makes no sense.
  package func entries() throws(FileError) -> [Entry] {
    let json = try file.load()
    return (json?[Self.member].array ?? []).compactMap(Entry.init(json:)).reversed()
  }

  /// Keeps a prompt, in the place of what is known of it, and forgets the oldest beyond the limits.
  package func note(_ entry: Entry) async throws(FileError) {
    guard entry.prompt.utf8.count <= Self.sizeLimit else { return }
    try await change { entries in
      if let index = entries.lastIndex(where: { $0.clientTurnID == entry.clientTurnID }) {
        entries[index] = entry
      } else {
        entries.append(entry)
      }
    }
  }

  /// Writes down what became of a prompt of the outbox, where it is known.
  package func settle(
    _ key: OutboxKey,
    as state: String,
    sessionID: String?
  ) async throws(FileError) {
    func find(_ entries: [Entry]) -> Int? { entries.lastIndex { $0.outboxKey == key } }
    // The latest come first here; that there is one is all that counts.
    guard find(try entries()) != nil else { return }
    try await change { entries in
      guard let index = find(entries) else { return }
      entries[index].state = state
      entries[index].sessionID = sessionID ?? entries[index].sessionID
    }
  }

  private func change(_ body: (inout [Entry]) -> Void) async throws(FileError) {
    try await file.update { members throws(FileError) in
      var entries = (members[Self.member]?.array ?? []).compactMap(Entry.init(json:))
      body(&entries)
      var size = 0
      let kept = entries.reversed().prefix(Self.countLimit).prefix { entry in
        size += entry.prompt.utf8.count
        return size <= Self.sizeLimit
      }
      members[Self.member] = .array(kept.reversed().map(\.json))
    }
  }

  /// Forgets everything.
  package func clear() async throws(FileError) {
    try await file.update { members throws(FileError) in members = [:] }
  }
}

extension AskHistoryFile.Entry {
  fileprivate var json: JSONValue {
    .object([
      "at": .string(at.iso8601),
      "clientTurnId": .string(clientTurnID),
      "workspace": workspace.map { .string($0.description) },
      "place": .string(place),
      "sessionId": sessionID.map(JSONValue.string),
      "prompt": .string(prompt),
      "images": imageCount == 0 ? nil : .integer(Int64(imageCount)),
      "state": .string(state),
      "outboxKey": outboxKey.map { .string($0.text) },
    ])
  }

  fileprivate init?(json: JSONValue) {
    guard let at = json["at"].string.flatMap({ Timestamp(iso8601: $0) }),
      let id = json["clientTurnId"].string, let prompt = json["prompt"].string,
      let state = json["state"].string
    else { return nil }
    self.init(
      at: at,
      clientTurnID: id,
      workspace: json["workspace"].string.flatMap { WorkspaceReference($0) },
      place: json["place"].string?.safeLine(limit: 200) ?? "",
      sessionID: json["sessionId"].string.flatMap { WireID.isValid($0) ? $0 : nil },
      prompt: prompt,
      imageCount: max(0, json["images"].int ?? 0),
      state: state.safeLine(limit: 20),
      outboxKey: json["outboxKey"].string.flatMap { OutboxKey($0) }
    )
  }
}
