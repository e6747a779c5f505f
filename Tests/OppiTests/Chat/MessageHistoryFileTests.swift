// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import TestSupport
import Testing

@testable import Oppi

@Suite struct MessageHistoryFileTests {
  private let scratch: Scratch
  private let history: MessageHistoryFile

  init() throws {
    scratch = try Scratch()
    history = MessageHistoryFile(paths: scratch.paths, files: try .forTests())
  }

  @Test("messages are stored in order without consecutive duplicates, with mode 600")
  func order() async throws {
    #expect(history.load().isEmpty)
    for message in ["one", "two\nlines", "two\nlines", "one"] { try await history.add(message) }
    #expect(history.load() == ["one", "two\nlines", "one"])
    #expect(scratch.mode(scratch.paths.messageHistoryFile) == 0o600)
  }

  @Test("the oldest messages beyond the limits are dropped, and overlong messages are not stored")
  func limits() async throws {
    let long = String(repeating: "x", count: MessageHistoryFile.sizeLimit / 4)
    for index in 0..<6 { try await history.add("\(index)" + long.dropLast()) }
    #expect(history.load().map(\.first) == ["2", "3", "4", "5"])
    try await history.add(String(repeating: "y", count: MessageHistoryFile.sizeLimit + 1))
    #expect(history.load().count == 4)
    let many = JSONValue.array((0..<600).map { .string("\($0)") })
    try scratch.write(
      JSONValue.object(["messages": many]).text(),
      to: scratch.paths.messageHistoryFile
    )
    try await history.add("last")
    #expect(history.load().count == MessageHistoryFile.countLimit)
    #expect(history.load().last == "last")
  }

  @Test("an unusable file counts as empty", arguments: ["", "[]", "{\"messages\": 7}"])
  func useless(text: String) throws {
    try scratch.write(text, to: scratch.paths.messageHistoryFile)
    #expect(history.load().isEmpty)
  }
}
