// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import TestSupport
import Testing

@testable import Oppi

@Suite struct MessageHistoryTests {
  private let scratch: Scratch
  private let file: RecordFile<MessageHistory>

  init() throws {
    scratch = try Scratch()
    file = RecordFile(scratch.paths.messageHistoryFile, in: try .forTests())
  }

  @Test("messages are stored in order without consecutive duplicates, with mode 600")
  func order() async throws {
    #expect(try file.load() == nil)
    for message in ["one", "two\nlines", "two\nlines", "one"] {
      try await file.update { $0.add(message) }
    }
    #expect(try file.load()?.messages == ["one", "two\nlines", "one"])
    #expect(scratch.mode(scratch.paths.messageHistoryFile) == 0o600)
  }

  @Test("the oldest messages beyond the limits are dropped, and overlong messages are not stored")
  func limits() async throws {
    let long = String(repeating: "x", count: MessageHistory.sizeLimit / 4)
    var history = MessageHistory()
    for index in 0..<6 { history.add("\(index)" + long.dropLast()) }
    #expect(history.messages.map(\.first) == ["2", "3", "4", "5"])
    history.add(String(repeating: "y", count: MessageHistory.sizeLimit + 1))
    #expect(history.messages.count == 4)
    let many = JSONValue.array((0..<600).map { .string("\($0)") })
    try scratch.write(JSONValue.object(["messages": many]).text(), to: file.path)
    try await file.update { $0.add("last") }
    #expect(try file.load()?.messages.count == MessageHistory.countLimit)
    #expect(try file.load()?.messages.last == "last")
  }

  @Test("an unusable file counts as empty", arguments: ["", "[]", "{\"messages\": 7}"])
  func useless(text: String) throws {
    try scratch.write(text, to: file.path)
    #expect(file.usable() == nil)
  }
}
