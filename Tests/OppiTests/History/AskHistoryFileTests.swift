// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import TestSupport
import Testing

@testable import Oppi

@Suite struct AskHistoryFileTests {
  private let scratch: Scratch
  private let file: AskHistoryFile

  init() throws {
    scratch = try Scratch()
    file = AskHistoryFile(paths: scratch.paths, files: try .forTests())
  }

  private static func entry(_ number: Int, bytes: Int = 10) -> AskHistoryFile.Entry {
    AskHistoryFile.Entry(
      at: Timestamp(seconds: 1_800_000_000 + number),
      clientTurnID: "turn-\(number)",
      workspace: nil,
      place: "studio/demo",
      sessionID: nil,
      prompt: String(repeating: "x", count: bytes),
      imageCount: 0,
      state: "started"
    )
  }

  private func ids() throws -> [String] { try file.entries().map(\.clientTurnID) }

  @Test("the oldest prompts are dropped beyond the size limit, and the newest are kept")
  func sizeLimit() async throws {
    let quarter = AskHistoryFile.sizeLimit / 4
    for number in 1...4 { try await file.note(Self.entry(number, bytes: quarter)) }
    #expect(try ids() == ["turn-4", "turn-3", "turn-2", "turn-1"])
    try await file.note(Self.entry(5, bytes: 1))
    #expect(try ids() == ["turn-5", "turn-4", "turn-3", "turn-2"])
    try await file.note(Self.entry(6, bytes: 2 * quarter))
    #expect(try ids() == ["turn-6", "turn-5", "turn-4"])
  }

  @Test("a prompt of the size limit is kept alone, and a longer one is not kept")
  func longest() async throws {
    try await file.note(Self.entry(1))
    try await file.note(Self.entry(2, bytes: AskHistoryFile.sizeLimit + 1))
    #expect(try ids() == ["turn-1"])
    try await file.note(Self.entry(3, bytes: AskHistoryFile.sizeLimit))
    #expect(try ids() == ["turn-3"])
  }

  @Test("a later entry of a prompt replaces the earlier one, and no other")
  func replaces() async throws {
    for number in 1...3 { try await file.note(Self.entry(number)) }
    var later = Self.entry(2)
    later.state = "failed"
    try await file.note(later)
    #expect(try file.entries().map(\.state) == ["started", "failed", "started"])
    #expect(try ids() == ["turn-3", "turn-2", "turn-1"])
  }

  @Test("the number of a prompt never changes, also when the file is compacted")
  func numbers() async throws {
    for number in 1...12 {
      try await file.note(Self.entry(number, bytes: AskHistoryFile.sizeLimit - 100))
    }
    #expect(try file.entries().map(\.number) == [12])
    for number in 13...15 { try await file.note(Self.entry(number, bytes: 10)) }
    #expect(try file.entries().map(\.number) == [15, 14, 13, 12])
    var later = Self.entry(13)
    later.state = "failed"
    try await file.note(later)
    try await file.settle(turn: "turn-14", as: "failed")
    #expect(try file.entries().map(\.number) == [15, 14, 13, 12])
    try await file.clear()
    try await file.note(Self.entry(16))
    #expect(try file.entries().map(\.number) == [1])
  }

  @Test("numbers of a damaged file are replaced, and do not overflow")
  func damagedNumbers() async throws {
    let path = scratch.paths.historyFile
    let lines = [Int64.max, 7, 7, 3, -1, 1 << 53].enumerated().map { index, number in
      JSONValue.object([
        "number": .integer(number), "at": "2026-11-21T00:24:45Z",
        "clientTurnId": .string("t\(index)"), "prompt": "x", "state": "started",
      ])
      .text() + "\n"
    }
    try FileStore.forTests().replace(path, with: Array(lines.joined().utf8))
    #expect(try file.entries().map(\.number) == [11, 10, 9, 8, 7, 1])
  }
}
