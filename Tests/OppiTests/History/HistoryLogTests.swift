// SPDX-License-Identifier: MIT

import EventLoop
import Foundation
import OppiModel
import OppiSystem
import Synchronization
import TestSupport
import Testing

@testable import Oppi

@Suite("HistoryLog")
struct HistoryLogTests {
  private let scratch: Scratch
  private let workspace: WorkspaceReference

  private final class Warnings: Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { $0.append(text) } }
  }

  init() throws {
    scratch = try Scratch()
    let server = Fingerprint(digest: Array(repeating: 1, count: 32))
    workspace = try #require(WorkspaceReference(serverID: server, workspaceID: "ws-1"))
  }

  private func entry(
    _ number: Int,
    _ prompt: String? = nil,
    state: String = "started"
  ) -> AskHistoryFile.Entry {
    AskHistoryFile.Entry(
      at: Timestamp(seconds: number),
      clientTurnID: "t\(number)",
      workspace: workspace,
      place: "studio/demo",
      sessionID: "s\(number)",
      prompt: prompt ?? "p\(number)",
      imageCount: 0,
      state: state
    )
  }

  private func onHistory<Value: Sendable>(
    _ body: @escaping @Sendable (AskHistoryFile) async throws -> Value
  ) throws -> Value {
    try onLoop { [paths = scratch.paths] loop in
      try await body(AskHistoryFile(paths: paths, files: FileStore(loop: loop)))
    }
  }

  private func last() throws -> String? {
    try LastUsedStore(paths: scratch.paths, files: try .forTests()).load()?.sessionID
  }

  private func text() throws -> String {
    try String(contentsOfFile: scratch.paths.historyFile, encoding: .utf8)
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

  @Test("a prompt is appended, and earlier lines are not changed")
  func appends() throws {
    let (first, second) = (entry(1), entry(2))
    try onHistory { try await $0.note(first) }
    let before = try text()
    try onHistory { try await $0.note(second) }
    let after = try text()
    #expect(after.hasPrefix(before) && after.split(separator: "\n").count == 2, "\(after)")
    let entries = try onHistory { try $0.entries() }
    #expect(entries.map(\.clientTurnID) == [second, first].map(\.clientTurnID))
    #expect(entries.map(\.number) == [2, 1])
  }

  @Test("the outcome of a turn is stored with its prompt, even after later prompts")
  func settles() throws {
    let (first, second) = (entry(1), entry(2))
    try onHistory {
      try await $0.note(first, isLast: true)
      try await $0.note(second, isLast: true)
      try await $0.settle(turn: "t1", as: "finished")
      try await $0.settle(turn: "unknown", as: "finished")
    }
    #expect(try onHistory { try $0.entries() }.map(\.state) == ["started", "finished"])
    #expect(try last() == "s2")
  }

  @Test("a delivered outbox prompt updates its entry and the last session")
  func outbox() throws {
    let key = try #require(OutboxKey("backup"))
    let workspace = workspace
    var queued = entry(1, state: "queued")
    (queued.sessionID, queued.outboxKey) = (nil, key)
    try onHistory { [queued] in
      try await $0.note(queued)
      try await $0.settle(key, as: "started", sessionID: "s9", lastIn: workspace)
    }
    let entries = try onHistory { try $0.entries() }
    #expect(entries.map(\.state) == ["started"] && entries.map(\.sessionID) == ["s9"])
    #expect(try last() == "s9")
  }

  @Test("the oldest prompts beyond the limits are dropped")
  func limits() throws {
    let entries = (1...(AskHistoryFile.countLimit + 1)).map { entry($0) }
    try onHistory { history in
      for entry in entries { try await history.note(entry) }
    }
    let kept = try onHistory { try $0.entries() }
    #expect(kept.count == AskHistoryFile.countLimit)
    #expect(kept.first?.clientTurnID == "t\(entries.count)" && kept.last?.clientTurnID == "t2")
    let half = String(repeating: "x", count: AskHistoryFile.sizeLimit / 2)
    let long = [entry(601, half), entry(602, half), entry(603, "y")]
    try onHistory { history in
      for entry in long { try await history.note(entry) }
    }
    #expect(try onHistory { try $0.entries() }.map(\.clientTurnID) == ["t603", "t602"])
  }

  @Test("an overlong prompt still updates the last session")
  func tooLong() throws {
    let long = entry(1, String(repeating: "x", count: AskHistoryFile.sizeLimit + 1))
    try onHistory { try await $0.note(long, isLast: true) }
    #expect(try onHistory { try $0.entries() }.isEmpty)
    #expect(try last() == "s1")
  }

  @Test("the last session is found even if long prompts follow it")
  func farBack() throws {
    let (first, long) = (entry(1), entry(2, String(repeating: "x", count: 300_000)))
    let decoy = entry(3, #"{"last":true}"#)
    try onHistory {
      try await $0.note(first, isLast: true)
      try await $0.note(long)
      try await $0.note(decoy)
    }
    #expect(try last() == "s1")
  }

  @Test("a large file is rewritten with the entries still needed")
  func compaction() throws {
    let (used, newest) = (entry(1), entry(12))
    let prompt = String(repeating: "x", count: 450_000)
    let others = (2...11).map { entry($0, prompt) }
    try onHistory { history in
      try await history.note(used, isLast: true)
      for entry in others { try await history.note(entry) }
      try await history.note(newest)
    }
    #expect(try text().utf8.count < 1 << 20)
    #expect(try onHistory { try $0.entries() }.map(\.clientTurnID) == ["t12", "t11"])
    #expect(try last() == "s1")
  }

  @Test("an incomplete line is skipped, and later lines are kept")
  func torn() throws {
    let (first, second) = (entry(1), entry(2))
    try onHistory { try await $0.note(first) }
    try scratch.write(try text() + #"{"at":"2026-"#, to: scratch.paths.historyFile)
    try onHistory { try await $0.note(second) }
    let entries = try onHistory { try $0.entries() }
    #expect(entries.map(\.clientTurnID) == [second, first].map(\.clientTurnID))
    #expect(entries.map(\.number) == [2, 1])
  }

  @Test("the history of an earlier version is imported once, in order")
  func takenOver() throws {
    try scratch.write(earlier(1...500), to: scratch.paths.earlierHistoryFile)
    try scratch.write(
      #"{"workspace": "\#(workspace)", "sessionId": "old"}"#,
      to: scratch.paths.lastUsedFile
    )
    #expect(try onHistory { try $0.entries() }.count == 500)
    let new = entry(501)
    try onHistory { try await $0.note(new) }
    let entries = try onHistory { try $0.entries() }
    #expect(entries.count == 500 && entries.last?.prompt == "p2")
    #expect(entries.first?.clientTurnID == new.clientTurnID)
    #expect(entries.map(\.number) == (2...501).reversed())
    #expect(try text().split(separator: "\n").count == 502)
    #expect(try last() == "old")
    #expect(!FileManager.default.fileExists(atPath: scratch.paths.earlierHistoryFile))
  }

  @Test(
    "a damaged history of an earlier version is moved aside with a warning",
    arguments: ["", "[]", "{", #"{"asks": 7}"#, #"{"asks": [1, {}]}"#]
  )
  func damaged(text: String) throws {
    try scratch.write(text, to: scratch.paths.earlierHistoryFile)
    #expect(throws: FileError.self) { try onHistory { try $0.entries() } }
    let new = entry(1)
    let warnings = Warnings()
    try onLoop { [paths = scratch.paths] loop in
      try await AskHistoryFile(paths: paths, files: FileStore(loop: loop), warn: warnings.add)
        .note(new)
    }
    #expect(try onHistory { try $0.entries() }.map(\.clientTurnID) == [new.clientTurnID])
    let aside = scratch.paths.earlierHistoryFile + ".corrupt"
    #expect(try String(contentsOfFile: aside, encoding: .utf8) == text)
    #expect(warnings.all.count == 1 && warnings.all[0].hasSuffix(aside), "\(warnings.all)")
  }

  @Test("clearing removes all prompts and copies, and keeps the last session")
  func clear() throws {
    try scratch.write(earlier(1...3), to: scratch.paths.earlierHistoryFile)
    try scratch.write("secret", to: scratch.paths.historyFile + ".corrupt")
    let new = entry(4, "secret")
    try onHistory {
      try await $0.note(new, isLast: true)
      try await $0.clear()
    }
    #expect(try onHistory { try $0.entries() }.isEmpty)
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
  func newer(content: String) throws {
    let path = scratch.paths.historyFile
    try scratch.write(content, to: path)
    let error = FileError.newerVersion(path: path, version: 2)
    let entry = entry(1)
    #expect(throws: error) { try onHistory { try await $0.note(entry, isLast: true) } }
    #expect(throws: error) { try onHistory { try $0.entries() } }
    #expect(throws: error) { try onHistory { try await $0.clear() } }
    #expect(throws: error) { try last() }
    #expect(try text() == content)
  }

  @Test(
    "only the first line can have a version, and 1 is this version",
    arguments: ["{\"version\":1}\n", "{}\n{\"version\":2}\n"]
  )
  func older(content: String) throws {
    try scratch.write(content, to: scratch.paths.historyFile)
    let entry = entry(1)
    try onHistory { try await $0.note(entry, isLast: true) }
    #expect(try onHistory { try $0.entries() }.map(\.clientTurnID) == [entry.clientTurnID])
    #expect(try last() == "s1")
  }
}
