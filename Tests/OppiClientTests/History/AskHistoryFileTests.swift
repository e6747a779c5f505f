// SPDX-License-Identifier: MIT

import Foundation
import OppiModel
import OppiSystem
import OppiText
import OppiWire
import Synchronization
import TestSupport
import Testing

@testable import OppiClient

@Suite struct AskHistoryFileTests {
  private let scratch: Scratch
  private let workspace: WorkspaceReference
  private let file: AskHistoryFile

  init() throws {
    scratch = try Scratch()
    let server = Fingerprint(digest: Array(repeating: 1, count: 32))
    workspace = try #require(WorkspaceReference(serverID: server, workspaceID: "ws-1"))
    file = AskHistoryFile(paths: scratch.paths, files: try .forTests())
  }

  private func entry(_ number: Int, _ prompt: String? = nil) -> AskHistoryFile.Entry {
    AskHistoryFile.Entry(
      at: Timestamp(seconds: 1_800_000_000 + number),
      clientTurnID: "t\(number)",
      workspace: workspace,
      place: "studio/demo",
      sessionID: "s\(number)",
      prompt: prompt ?? "p\(number)",
      imageCount: 0,
      state: "started"
    )
  }

  private func entry(_ number: Int, bytes: Int) -> AskHistoryFile.Entry {
    entry(number, String(repeating: "x", count: bytes))
  }

  private func ids() throws -> [String] { try file.entries().map(\.clientTurnID) }

  private func last() throws -> String? {
    try file.lastUsed()?.sessionID
  }

  private func text() throws -> String {
    try String(contentsOfFile: scratch.paths.historyFile, encoding: .utf8)
  }

  // MARK: - Entries

  @Test("a prompt is appended, and earlier lines are not changed")
  func appends() async throws {
    try await file.note(entry(1))
    let before = try text()
    try await file.note(entry(2))
    let after = try text()
    #expect(after.hasPrefix(before) && after.split(separator: "\n").count == 2, "\(after)")
    #expect(try file.entries().map(\.number) == [2, 1] && ids() == ["t2", "t1"])
  }

  @Test("a later entry of a prompt replaces the earlier one, and no other")
  func replaces() async throws {
    for number in 1...3 { try await file.note(entry(number)) }
    var later = entry(2)
    later.state = "failed"
    try await file.note(later)
    #expect(try file.entries().map(\.state) == ["started", "failed", "started"])
    #expect(try ids() == ["t3", "t2", "t1"])
  }

  @Test("the outcome of a turn is stored with its prompt, even after later prompts")
  func settles() async throws {
    try await file.note(entry(1), isLast: true)
    try await file.note(entry(2), isLast: true)
    try await file.settle(turn: "t1", as: "finished")
    try await file.settle(turn: "unknown", as: "finished")
    #expect(try file.entries().map(\.state) == ["started", "finished"])
    #expect(try last() == "s2")
  }

  @Test("a delivered outbox prompt updates its entry and the last session")
  func outbox() async throws {
    let key = try #require(OutboxKey("backup"))
    var queued = entry(1)
    (queued.state, queued.sessionID, queued.outboxKey) = ("queued", nil, key)
    try await file.note(queued)
    try await file.settle(key, as: "started", sessionID: "s9", lastIn: workspace)
    let entries = try file.entries()
    #expect(entries.map(\.state) == ["started"] && entries.map(\.sessionID) == ["s9"])
    #expect(try last() == "s9")
  }

  @Test("of two prompts that had the same key, the later one is settled")
  func keyUsedAgain() async throws {
    let key = try #require(OutboxKey("backup"))
    for number in 1...2 {
      var queued = entry(number)
      (queued.state, queued.sessionID, queued.outboxKey) = ("queued", nil, key)
      try await file.note(queued)
      try await file.settle(key, as: "s\(number)", sessionID: "there\(number)")
    }
    let entries = try file.entries()
    #expect(entries.map(\.state) == ["s2", "s1"])
    #expect(entries.map(\.sessionID) == ["there2", "there1"])
  }

  @Test("what is not said again of a prompt stays, and a cost of zero is a cost")
  func keepsKnown() async throws {
    let key = try #require(OutboxKey("backup"))
    var first = entry(1)
    first.outboxKey = key
    try await file.note(first)
    try await file.settle(turn: "t1", as: "finished", cost: Dollars.zero)
    #expect(try file.entries().map(\.cost) == [Dollars.zero])
    try await file.settle(key, as: "unknown", sessionID: nil)
    let entries = try file.entries()
    #expect(entries.map(\.state) == ["unknown"] && entries.map(\.sessionID) == ["s1"])
    #expect(entries.map(\.cost) == [Dollars.zero])
  }

  @Test("the last session is found even if long prompts follow it")
  func farBack() async throws {
    try await file.note(entry(1), isLast: true)
    try await file.note(entry(2, bytes: 300_000))
    try await file.note(entry(3, #"{"last":true}"#))
    #expect(try last() == "s1")
  }

  // MARK: - Limits

  @Test("the oldest prompts are dropped beyond the size limit, and the newest are kept")
  func sizeLimit() async throws {
    let quarter = AskHistoryFile.sizeLimit / 4
    for number in 1...4 { try await file.note(entry(number, bytes: quarter)) }
    #expect(try ids() == ["t4", "t3", "t2", "t1"])
    try await file.note(entry(5, bytes: 1))
    #expect(try ids() == ["t5", "t4", "t3", "t2"])
    try await file.note(entry(6, bytes: 2 * quarter))
    #expect(try ids() == ["t6", "t5", "t4"])
  }

  @Test("the oldest prompts are dropped beyond their number")
  func countLimit() async throws {
    let count = AskHistoryFile.countLimit + 1
    for number in 1...count { try await file.note(entry(number)) }
    let kept = try ids()
    #expect(kept.count == AskHistoryFile.countLimit)
    #expect(kept.first == "t\(count)" && kept.last == "t2")
  }

  @Test("a prompt of the size limit is kept alone; of a longer one, the start is kept and marked")
  func longest() async throws {
    try await file.note(entry(1))
    try await file.note(entry(2, bytes: AskHistoryFile.sizeLimit + 1), isLast: true)
    #expect(try ids() == ["t2", "t1"] && last() == "s2")
    let entries = try file.entries()
    let start = String(repeating: "x", count: AskHistoryFile.cutSize)
    #expect(entries[0].prompt == start + "…" && entries.map(\.isCut) == [true, false])
    #expect(throws: OppiError.self) { try file.entry(number: 2) }
    try await file.settle(turn: "t2", as: "finished")
    #expect(try file.entries()[0].state == "finished")
    try await file.note(entry(3, bytes: AskHistoryFile.sizeLimit))
    #expect(try ids() == ["t3"])
    #expect(try file.entry(number: 3).isCut == false)
  }

  @Test("a large file is rewritten with the entries still needed")
  func compaction() async throws {
    try await file.note(entry(1), isLast: true)
    for number in 2...11 { try await file.note(entry(number, bytes: 450_000)) }
    try await file.note(entry(12))
    #expect(try text().utf8.count < 1 << 20)
    #expect(try ids() == ["t12", "t11"] && last() == "s1")
  }

  @Test("the number of a prompt never changes, also when the file is compacted")
  func numbers() async throws {
    for number in 1...12 {
      try await file.note(entry(number, bytes: AskHistoryFile.sizeLimit - 100))
    }
    #expect(try file.entries().map(\.number) == [12])
    for number in 13...15 { try await file.note(entry(number, bytes: 10)) }
    #expect(try file.entries().map(\.number) == [15, 14, 13, 12])
    var later = entry(13, bytes: 10)
    later.state = "failed"
    try await file.note(later)
    try await file.settle(turn: "t14", as: "failed")
    #expect(try file.entries().map(\.number) == [15, 14, 13, 12])
    try await file.clear()
    try await file.note(entry(16))
    #expect(try file.entries().map(\.number) == [1])
  }

  // MARK: - Damage and other versions

  @Test("numbers of a damaged file are replaced, and do not overflow")
  func damagedNumbers() async throws {
    let lines = [Int64.max, 7, 7, 3, -1, 1 << 53].enumerated().map { index, number in
      JSONValue.object([
        "number": .integer(number), "at": "2026-11-21T00:24:45Z",
        "clientTurnId": .string("t\(index)"), "prompt": "x", "state": "started",
      ])
      .text() + "\n"
    }
    try FileStore.forTests().replace(scratch.paths.historyFile, with: Array(lines.joined().utf8))
    #expect(try file.entries().map(\.number) == [11, 10, 9, 8, 7, 1])
  }

  @Test("an incomplete line is skipped, and later lines are kept")
  func torn() async throws {
    try await file.note(entry(1))
    try scratch.write(try text() + #"{"at":"2026-"#, to: scratch.paths.historyFile)
    try await file.note(entry(2))
    #expect(try file.entries().map(\.number) == [2, 1] && ids() == ["t2", "t1"])
  }

  /// A file of an earlier version with the given prompts.
  private func earlier(_ numbers: ClosedRange<Int>) -> String {
    let asks = numbers.map { number in
      JSONValue.object([
        "at": "2026-11-21T00:24:45Z", "clientTurnId": .string("t\(number)"), "place": "studio/demo",
        "prompt": .string("p\(number)"), "state": "started",
      ])
    }
    return JSONValue.object(["asks": .array(asks)]).text(.indented)
  }

  @Test("the history of an earlier version is imported once, in order")
  func takenOver() async throws {
    try scratch.write(earlier(1...500), to: scratch.paths.earlierHistoryFile)
    try scratch.write(
      #"{"workspace": "\#(workspace)", "sessionId": "old"}"#,
      to: scratch.paths.lastUsedFile
    )
    #expect(try file.entries().count == 500)
    try await file.note(entry(501))
    let entries = try file.entries()
    #expect(entries.count == 500 && entries.last?.prompt == "p2")
    #expect(entries.first?.clientTurnID == "t501")
    #expect(entries.map(\.number) == (2...501).reversed())
    #expect(try text().split(separator: "\n").count == 502)
    #expect(try last() == "old")
    #expect(!FileManager.default.fileExists(atPath: scratch.paths.earlierHistoryFile))
  }

  @Test(
    "a damaged history of an earlier version is moved aside with a warning",
    arguments: ["", "[]", "{", #"{"asks": 7}"#, #"{"asks": [1, {}]}"#]
  )
  func damaged(text: String) async throws {
    try scratch.write(text, to: scratch.paths.earlierHistoryFile)
    #expect(throws: FileError.self) { try file.entries() }
    let warnings = Mutex<[String]>([])
    try await AskHistoryFile(paths: scratch.paths, files: try .forTests()) { warning in
      warnings.withLock { $0.append(warning) }
    }
    .note(entry(1))
    #expect(try ids() == ["t1"])
    let aside = scratch.paths.earlierHistoryFile + ".corrupt"
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == text)
    let told = warnings.withLock(\.self)
    #expect(told.count == 1 && told[0].hasSuffix(aside), "\(told)")
  }

  @Test("clearing removes all prompts and copies, and keeps the last session")
  func clear() async throws {
    try scratch.write(earlier(1...3), to: scratch.paths.earlierHistoryFile)
    try scratch.write("secret", to: scratch.paths.historyFile + ".corrupt")
    try await file.note(entry(4, "secret"), isLast: true)
    try await file.clear()
    #expect(try file.entries().isEmpty)
    #expect(try !text().contains("secret") && last() == "s4")
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.paths.state)
    #expect(names == ["history.jsonl"])
  }

  @Test(
    "a history of a later version, which its first line says, is not read or changed",
    arguments: [
      "{\"version\":2}\n", "{\"version\":2,\"x\":[]}\n{\"last\":true}\n", "{\"version\":2}",
    ]
  )
  func newer(content: String) async throws {
    let path = scratch.paths.historyFile
    try scratch.write(content, to: path)
    let error = FileError.newerVersion(path: path, version: 2)
    await #expect(throws: error) { try await file.note(entry(1), isLast: true) }
    #expect(throws: error) { try file.entries() }
    await #expect(throws: error) { try await file.clear() }
    #expect(throws: error) { try last() }
    #expect(try text() == content)
  }

  @Test(
    "only the first line can have a version, and 1 is this version",
    arguments: ["{\"version\":1}\n", "{}\n{\"version\":2}\n"]
  )
  func older(content: String) async throws {
    try scratch.write(content, to: scratch.paths.historyFile)
    try await file.note(entry(1), isLast: true)
    #expect(try ids() == ["t1"] && last() == "s1")
  }
}
