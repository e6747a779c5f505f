// SPDX-License-Identifier: MIT

import OppiModel
import TestSupport
import Testing

@testable import OppiSystem

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
}
