// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import TestSupport
import Testing

@testable import Oppi

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
