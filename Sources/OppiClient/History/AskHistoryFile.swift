// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
package import OppiSystem
import OppiText
package import OppiWire

/// The user's prompts and sessions in `history.jsonl`, readable only by this user: one JSON object
/// per line, in chronological order.
///
/// Lines are only appended and never changed, so that the cost does not depend on their number. A
/// later line about the same prompt replaces an earlier one.
package struct AskHistoryFile: Sendable {
  /// The number of prompts that are kept.
  static let countLimit = 500
  /// The size of all prompts in bytes; of a longer single prompt, only the start is kept.
  static let sizeLimit = 512 << 10
  /// The size of that start in bytes.
  static let cutSize = 4096
  /// In bytes; a larger file is rewritten without obsolete lines.
  private static let compactionSize = 4 << 20
  /// In bytes; leaves room for one more prompt with any escapes.
  private static let fileLimit = 2 * compactionSize
  /// In bytes; a line with a version has nothing else.
  private static let firstLineLimit = 256

  private let path: String
  private let files: FileStore
  /// The log of earlier versions, one object.
  private let earlier: RecordFile<JSONObject>
  private let earlierLast: RecordFile<JSONObject>
  private let warn: @Sendable (String) async -> Void

  init(
    paths: XDGPaths,
    files: FileStore,
    warn: @escaping @Sendable (String) async -> Void = { _ in }
  ) {
    path = paths.historyFile
    self.files = files
    earlier = RecordFile(paths.earlierHistoryFile, in: files)
    earlierLast = RecordFile(paths.lastUsedFile, in: files, limit: 4096)
    self.warn = warn
  }

  // MARK: - Reading

  /// Returns the entries, the latest first.
  ///
  /// - Throws: `FileError` if a file exists and cannot be read.
  package func entries() throws(FileError) -> [Entry] {
    try checkVersion()
    return AskHistory(try lines().compactMap(\.self) + (try earlierLines() ?? [])).kept.reversed()
  }

  /// The last used session; `nil` if there is none.
  ///
  /// - Throws: `FileError` if a file exists and cannot be read.
  package func lastUsed() throws(FileError) -> LastUsed? {
    try checkVersion()
    let marker = "\"\(LastUsed.member)\":true"
    let found = try files.lastLine(of: path, limit: Self.fileLimit) { line -> JSONObject? in
      guard line.holds(marker) else { return nil }
      return Self.object(in: line).flatMap { $0[LastUsed.member] == true ? $0 : nil }
    }
    if let found { return LastUsed(found) }
    return try earlierLastUsed()
  }

  /// Throws if a later version of this program wrote the file, and said so on its first line.
  private func checkVersion() throws(FileError) {
    guard let (file, _) = try files.openToRead(path, privacy: .trusted) else { return }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try file.read(atMost: Self.firstLineLimit)
    } catch {
      throw .cannotRead(path: path, error)
    }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    guard let object = Self.object(in: Array(line)) else { return }
    try FileStore.checkVersion(of: object, at: path)
  }

  /// The objects of all lines; `nil` for an invalid line.
  private func lines() throws(FileError) -> [JSONObject?] {
    let bytes = try files.read(path, limit: Self.fileLimit) ?? []
    return bytes.split(separator: UInt8(ascii: "\n")).map { Self.object(in: Array($0)) }
  }

  private static func object(in line: [UInt8]) -> JSONObject? {
    (try? JSONValue(parsing: line))?.object
  }

  // MARK: - Writing

  /// Records a prompt, or updates its entry; with `isLast`, `last` means its session from now on.
  package func note(_ entry: Entry, isLast: Bool = false) async throws(FileError) {
    var entry = entry
    if entry.prompt.utf8.count > Self.sizeLimit {
      entry.prompt = entry.prompt.head(bytes: Self.cutSize) + "…"
      entry.isCut = true
    }
    var line = entry.json
    line[LastUsed.member] = isLast ? true : nil
    try await append(line)
  }

  /// Records how the turn of a prompt ended, and what it cost, if known.
  package func settle(
    turn clientTurnID: String,
    as state: String,
    cost: Dollars? = nil
  ) async throws(FileError) {
    try await append([
      "clientTurnId": .string(clientTurnID), "state": .string(state),
      "cost": cost.map { .double($0.number) },
    ])
  }

  /// Records the result of a prompt in the outbox, as a state of `ask --json`.
  ///
  /// `sessionID` is the session that received it, if known; with its workspace, `last` means it from
  /// now on.
  package func settle(
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
      LastUsed.member: workspace == nil ? nil : true,
    ])
  }

  /// Records the last used session without a prompt.
  package func use(_ lastUsed: LastUsed) async throws(FileError) { try await append(lastUsed.line) }

  /// Appends a line; first takes over the files of earlier versions.
  private func append(_ line: JSONObject) async throws(FileError) {
    let bytes = JSONValue.object(line).bytes()
    var asides: [String] = []
    try await files.withLog(at: path) { log throws(FileError) in
      try checkVersion()
      let earlier = try takeEarlier(isFirst: log.size == 0, &asides)
      guard earlier.isEmpty else {
        try replace(with: try lines().compactMap(\.self) + earlier + [line])
        try forgetEarlier()
        return
      }
      try log.append(line: bytes)
      guard log.size > Self.compactionSize else { return }
      let lines = try lines()
      if lines.contains(where: { $0 == nil }) {
        asides.append(try files.keepCopy(path, limit: Self.fileLimit))
      }
      try replace(with: AskHistory(lines.compactMap(\.self)).lines)
    }
    for aside in asides { await warn("the history was damaged and was moved to \(aside)") }
  }

  /// Removes all entries except the last used session, and the copies of damaged files.
  func clear() async throws(FileError) {
    try await files.withLog(at: path) { _ throws(FileError) in
      try checkVersion()
      let lines = try lines().compactMap(\.self)
      var asides: [String] = []
      let earlier = try takeEarlier(isFirst: true, &asides)
      try replace(with: [AskHistory(lines + earlier).lastUsed?.line].compactMap(\.self))
      try forgetEarlier()
    }
    for path in [path, earlier.path] { try files.remove(FileStore.asidePath(of: path)) }
  }

  private func replace(with lines: [JSONObject]) throws(FileError) {
    let bytes = lines.flatMap { JSONValue.object($0).bytes() + [UInt8(ascii: "\n")] }
    try files.replace(path, with: bytes)
  }

  // MARK: - Earlier versions

  /// Returns the lines from the files of earlier versions; a damaged file is set aside.
  private func takeEarlier(
    isFirst: Bool,
    _ asides: inout [String]
  ) throws(FileError) -> [JSONObject] {
    var lines: [JSONObject]?
    do throws(FileError) {
      lines = try earlierLines()
    } catch {
      guard error.isDamage else { throw error }
      asides.append(try files.keepAside(earlier.path))
    }
    guard isFirst || lines != nil else { return [] }
    return (lines ?? []) + [try earlierLastUsed()?.line].compactMap(\.self)
  }

  /// The content of an earlier version's file; `nil` if it does not exist.
  private func earlierLines() throws(FileError) -> [JSONObject]? {
    guard let json = try earlier.load()?.json else { return nil }
    let entries = json["asks"] == .null ? [] : json["asks"].array
    guard let entries, entries.allSatisfy({ $0.object != nil }) else {
      throw .unusable(path: earlier.path, reason: "asks is not a list of prompts")
    }
    return entries.compactMap(\.object)
  }

  /// An earlier version's last used session; a damaged file, with a single id, is ignored.
  private func earlierLastUsed() throws(FileError) -> LastUsed? {
    do throws(FileError) {
      return try earlierLast.load().flatMap { LastUsed($0) }
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  private func forgetEarlier() throws(FileError) {
    try files.remove(earlier.path)
    try files.remove(earlierLast.path)
  }
}

extension Services {
  package var history: AskHistoryFile {
    AskHistoryFile(paths: paths, files: files) { [reporter] in await reporter.warn($0) }
  }
}
