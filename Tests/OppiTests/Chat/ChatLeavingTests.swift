// SPDX-License-Identifier: MIT

import OppiTerminal
import OppiWire
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// Stopping a turn and leaving the chat: no sent message is lost silently.
@Suite struct ChatLeavingTests {
  private var desk = ChatDesk()

  private mutating func type(_ text: String) -> [ChatEffect] {
    desk.press(.text(text), .enter)
  }

  @Test("Ctrl-C clears the draft, then stops the turn, then leaves the chat")
  mutating func interrupts() throws {
    _ = try desk.connect("busy")
    try desk.begin()
    _ = desk.press(.text("half a thought"))
    #expect(desk.press(.control("c")).isEmpty)
    #expect(desk.screen.composer.isEmpty)
    #expect(desk.press(.control("c"), after: .milliseconds(300)) == [.stopTurn])
    _ = desk.update(.news(.performed(ChatResult(kind: .stop))))
    #expect(desk.press(.control("c"), after: .milliseconds(600)) == [.leave])
  }

  @Test("Ctrl-C leaves the chat only if pressed twice within one second")
  mutating func slowly() throws {
    _ = try desk.connect()
    #expect(desk.press(.control("c")).isEmpty)
    #expect(desk.press(.control("c"), after: .milliseconds(1100)).isEmpty)
    #expect(desk.press(.control("c"), after: .milliseconds(900)) == [.leave])
  }

  @Test("a pending stop is not repeated, and leaving waits for it only briefly")
  mutating func stopUnderWay() throws {
    _ = try desk.connect("busy")
    try desk.begin()
    #expect(desk.press(.control("c")) == [.stopTurn])
    #expect(desk.press(.control("c"), after: .seconds(2)).isEmpty)
    #expect(desk.press(.control("d"), after: .seconds(2)).isEmpty)
    #expect(desk.shows("waiting for confirmation"))
    #expect(desk.wait(.seconds(2)).isEmpty)
    #expect(desk.wait(.seconds(2)) == [.leave])
  }

  @Test("Up and Ctrl-_ restore a cleared draft")
  mutating func cleared() {
    for key in [Key.up, .undo] {
      _ = desk.press(.text("a long draft"), .control("c"))
      #expect(desk.screen.composer.isEmpty)
      _ = desk.press(key)
      #expect(desk.screen.composer.text == "a long draft")
      _ = desk.press(.control("u"))
    }
  }

  @Test("leaving waits until the server confirms a sent message; a second Ctrl-D leaves at once")
  mutating func leaves() throws {
    _ = try desk.connect()
    _ = type("hello")
    #expect(desk.press(.control("d")).isEmpty)
    var hasty = desk
    #expect(hasty.press(.control("d")) == [.leave])
    #expect(hasty.screen.state.mail.outgoing.map(\.text) == ["hello"])
    let effects = try desk.hear("hello")
    #expect(effects.last == .leave)
    #expect(desk.screen.state.mail.outgoing.isEmpty)
  }

  @Test("a message that is refused while the chat is being left keeps the chat open")
  mutating func stays() throws {
    _ = try desk.connect()
    _ = type("hello")
    _ = desk.press(.control("d"))
    let effects = try desk.refuse()
    #expect(!effects.contains(.leave))
    #expect(desk.screen.composer.text == "hello")
  }

  @Test("a decision that fails while the chat is being left is requested again")
  mutating func failedDecision() throws {
    _ = try desk.connect("busy")
    try desk.ask()
    #expect(desk.choose("d").decisions == [.deny])
    #expect(desk.press(.control("d")).isEmpty)
    let failed = ChatResult(kind: .answer(id: "p1"), text: "failed: away", outcome: .failed)
    #expect(desk.update(.news(.performed(failed))).printed == ["failed: away"])
    #expect(desk.shows("waiting for approval"))
    #expect(desk.wait(.seconds(4)).isEmpty, "the chat stays open, however long it waited")
  }
}
