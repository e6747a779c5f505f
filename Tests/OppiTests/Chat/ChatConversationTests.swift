// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiWire
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// Messages and changes in a chat: only what the server has confirmed is reported.
@Suite struct ChatConversationTests {
  private var desk = ChatDesk()

  private static func acknowledgement(_ id: String, _ stage: String) -> JSONValue {
    [
      "type": "turn_ack", "command": "prompt", "clientTurnId": .string(id), "sessionId": "S",
      "stage": .string(stage),
    ]
  }

  private mutating func type(_ text: String) -> [ChatEffect] {
    desk.press(.text(text), .enter)
  }

  // MARK: - Messages

  @Test("a message is shown as sending until the server confirms it, and is then printed")
  mutating func sending() throws {
    _ = try desk.connect()
    var other = desk
    #expect(try other.hear("from the phone").printed == ["▌ from the phone"], "another client")
    let effects = type("hello")
    #expect(effects.sent == ["prompt hello"])
    #expect(effects.printed.isEmpty)
    #expect(desk.shows("sending: hello"))
    #expect(desk.screen.composer.isEmpty)
    let told = try desk.hear("hello")
    #expect(told.printed == ["▌ hello"], "once, and not again for the confirmation")
    #expect(!desk.shows("sending"))
  }

  @Test("a refused message returns to the draft and is not shown as sent")
  mutating func refused() throws {
    _ = try desk.connect()
    _ = type("hello")
    var other = desk
    let effects = try desk.refuse()
    #expect(effects.printed.contains { $0.contains("not sent: 'hello'") })
    #expect(desk.screen.composer.text == "hello")
    #expect(!effects.printed.contains { $0.hasPrefix("▌ ") })
    // The session is idle, and the next message is a prompt again.
    #expect(desk.press(.enter).sent == ["prompt hello"])
    // It is printed if the next draft has already begun.
    _ = other.press(.text("more"))
    #expect(try other.refuse().printed.contains("› hello"))
    #expect(other.screen.composer.text == "more")
  }

  @Test("a message typed without a connection is shown as not sent, and sent on connect")
  mutating func away() throws {
    #expect(type("hello").sent.isEmpty)
    #expect(desk.shows("not sent yet: hello") && desk.shows("not sent yet; sent as soon"))
    #expect(try desk.connect().sent == ["prompt hello"])
    #expect(!desk.shows("not sent yet"))
  }

  @Test("a queued message is shown as queued until a stop removes it")
  mutating func queued() throws {
    _ = try desk.connect("busy")
    try desk.begin()
    #expect(type("later").sent == ["follow_up later"])
    let queue: JSONValue = [
      "version": 1, "steering": [],
      "followUp": [["id": .string("id-1"), "message": .string("later")] as JSONValue],
    ]
    _ = try desk.receive(["type": "queue_state", "queue": queue, "sessionId": "S"])
    _ = try desk.receive(Self.acknowledgement("id-1", "dispatched"))
    #expect(desk.shows("queued: later"))
    _ = try desk.receive(["type": "stop_requested", "source": "user", "sessionId": "S"])
    let empty: JSONValue = ["version": 2, "steering": [], "followUp": []]
    let dropped = try desk.receive(["type": "queue_state", "queue": empty, "sessionId": "S"])
    #expect(dropped.printed == ["removed from the queue by the stop: later"])
    #expect(!desk.shows("queued: later"))
  }

  @Test("a steering message is printed once, when the turn receives it")
  mutating func steered() throws {
    _ = try desk.connect("busy")
    try desk.begin()
    _ = desk.press(.tab)
    #expect(type("this way").sent == ["steer this way"])
    _ = try desk.receive(Self.acknowledgement("id-1", "dispatched"))
    let told = try desk.receive([
      "type": "queue_item_started", "kind": "steer", "queueVersion": 2, "sessionId": "S",
      "item": ["id": "id-1", "message": "this way"] as JSONValue,
    ])
    #expect(told.printed == ["▌ this way"])
    let echo = try desk.hear("this way", sequence: 4)
    #expect(echo.printed.isEmpty)
  }

  @Test("a queued message is printed once if its turn starts as the previous turn ends")
  mutating func betweenTurns() throws {
    _ = try desk.connect("busy")
    try desk.begin()
    #expect(type("later").sent == ["follow_up later"])
    var printed: [String] = []
    let messages: [JSONValue] = [
      Self.acknowledgement("id-1", "dispatched"),
      [
        "type": "queue_item_started", "kind": "follow_up", "queueVersion": 2, "sessionId": "S",
        "item": ["id": "id-1", "message": "later"] as JSONValue,
      ],
      ["type": "stop_confirmed", "source": "user", "sessionId": "S", "seq": 7],
      ["type": "agent_start", "sessionId": "S", "seq": 8],
      ["type": "message_end", "role": "user", "content": "later", "sessionId": "S", "seq": 9],
    ]
    for message in messages { printed += try desk.receive(message).printed }
    #expect(printed.count { $0 == "▌ later" } == 1, "\(printed)")
  }

  @Test("in line mode, the end of a turn is printed before the start of the next turn")
  mutating func betweenTurnsByLine() throws {
    var lines = ChatLinesDesk()
    var printed: [String] = []
    _ = lines.type("later", after: .zero)
    let messages: [JSONValue] = [
      ["type": "agent_start", "sessionId": "S", "seq": 1],
      ["type": "error", "error": "out of tokens", "fatal": true, "sessionId": "S", "seq": 2],
      [
        "type": "queue_item_started", "kind": "follow_up", "queueVersion": 2, "sessionId": "S",
        "item": ["id": "id-1", "message": "later"] as JSONValue, "seq": 3,
      ],
    ]
    for message in messages { printed += try lines.receive(message).printed }
    #expect(
      printed == ["turn started", "turn failed: out of tokens", "turn started", "You: later"]
    )
  }

  @Test("the state of a child session does not become that of the session")
  mutating func child() throws {
    _ = try desk.connect()
    let child: JSONValue = [
      "id": "C", "status": "busy", "workspaceId": "W", "model": "x/y", "parentSessionId": "S",
    ]
    _ = try desk.receive(["type": "state", "session": child])
    #expect(desk.screen.state.session?.id == "S")
    _ = type("/model")
    #expect(desk.shows("model: a/b"))
  }

  // MARK: - Commands

  @Test("chat commands are not sent to the agent, other slash commands are")
  mutating func commands() throws {
    _ = try desk.connect()
    #expect(type("/help").printed.contains { $0.contains("/model [ID]") })
    #expect(type("/model").sent.isEmpty)
    #expect(desk.shows("model: a/b"))
    #expect(type("/model c/d") == [.change(.setModel("c/d"), id: "id-2")])
    let changed: JSONValue = [
      "type": "command_result", "command": "set_model", "requestId": "id-2", "success": true,
      "sessionId": "S",
    ]
    _ = try desk.receive(changed)
    #expect(desk.shows("model: c/d"))
    #expect(type("/thinking so hard").isEmpty)
    #expect(desk.shows("no level 'so hard'"))
    #expect(type("/name the fix") == [.change(.setSessionName("the fix"), id: "id-3")])
    #expect(type("/skill:review it").sent == ["prompt /skill:review it"])
    #expect(type("/quit").isEmpty, "the message is not confirmed yet")
  }

  @Test("a refused change is reported as not changed, and a failed one does not delay leaving")
  mutating func refusedChange() throws {
    _ = try desk.connect()
    _ = type("/model nonsense")
    _ = try desk.refuse("id-1", of: "set_model", because: "Unknown model: nonsense")
    #expect(desk.shows("not changed: Unknown model: nonsense"))
    _ = type("/model c/d")
    let failed = ChatResult(kind: .change(id: "id-2"), text: "failed: away", outcome: .failed)
    #expect(desk.update(.news(.performed(failed))).printed == ["failed: away"])
    #expect(desk.press(.control("d")) == [.leave])
  }
}
