// SPDX-License-Identifier: MIT

import OppiSystem
import OppiTerminal
import OppiText
import TestSupport
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// The draft of a chat: what Enter sends, and how pasted lines are shown.
@Suite struct ChatDraftTests {
  @Test(
    "an unknown command is reported, with a suggestion if it is mistyped, and sent by a second Enter",
    arguments: [
      ("/stpo", "no command /stpo; did you mean /stop?"),
      ("/review it", "no command /review; press Enter again to send it to the agent"),
    ]
  )
  func unknown(text: String, notice: String) throws {
    var desk = ChatDesk()
    _ = try desk.connect()
    #expect(desk.press(.text(text), .enter).sent.isEmpty)
    #expect(desk.shows(notice) && desk.screen.composer.text == text)
    #expect(desk.press(.enter).sent.isEmpty, "a double press of Enter")
    #expect(desk.press(.enter, after: .milliseconds(500)).sent == ["prompt \(text)"])
  }

  @Test("several pasted lines are a placeholder, which Ctrl-O shows, and are sent in full")
  func pasted() throws {
    var desk = ChatDesk()
    _ = try desk.connect()
    _ = desk.press(.text("fix "), .paste("one\ntwo\nthree\n"), .text(" now"))
    #expect(desk.shows("› fix [pasted: 3 lines] now") && desk.shows("Ctrl-O: show"))
    var other = desk
    #expect(desk.press(.enter).sent == ["prompt fix one\ntwo\nthree\n now"])
    _ = other.press(.control("o"))
    #expect(other.shows("› fix one") && other.shows("  three") && !other.shows("Ctrl-O"))
    _ = other.press(.undo)
    #expect(other.shows("[pasted: 3 lines]"))
  }

  @Test(
    "a text that does not look like a command of the chat is sent to the agent",
    arguments: ["/skill:stop", "/etc/hosts is gone", "/", "a /stpo", "/stop2 it"]
  )
  func others(text: String) throws {
    var desk = ChatDesk()
    _ = try desk.connect()
    #expect(desk.press(.text(text), .enter).sent == ["prompt \(text)"])
  }
}

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
