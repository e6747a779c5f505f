// SPDX-License-Identifier: MIT

import Testing

@testable import Oppi
@testable import OppiModel
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// Delivery of chat messages across connection changes.
@Suite struct OutgoingMessagesTests {
  private var mail = OutgoingMessages(sessionID: "S")

  private static func session(_ status: String, messageCount: Int = 0) -> JSONValue {
    [
      "id": "S", "status": .string(status), "workspaceId": "W",
      "messageCount": .integer(Int64(messageCount)),
    ]
  }

  private mutating func receive(_ json: JSONValue) throws -> [String] {
    Self.words(mail.receive(try #require(ServerMessage(json: json)), at: .zero))
  }

  private mutating func connect(_ status: String, sequence: Int = 0) throws -> [String] {
    let connected: JSONValue = [
      "type": "connected", "session": Self.session(status),
      "currentSeq": .integer(Int64(sequence)),
    ]
    return try receive(connected) + Self.words(mail.connected(.multiplexed, at: .zero))
  }

  private mutating func say(_ text: String) -> [String] {
    Self.words(mail.send(Prompt(text, clientTurnID: "T-\(text)"), whenBusy: .queue, at: .zero))
  }

  private mutating func acknowledge(_ text: String) throws -> [String] {
    try receive([
      "type": "turn_ack", "clientTurnId": .string("T-\(text)"), "stage": "dispatched",
      "command": "any",
    ])
  }

  /// A short description of each errand.
  private static func words(_ effects: [OutgoingMessages.Effect]) -> [String] {
    effects.flatMap { errand in
      switch errand {
      case .perform(.send(let requests), _, _): requests.map(\.message.type)
      case .perform(_, let workspaceID, _): ["look in \(workspaceID ?? "?")"]
      case .reopen: ["reopen"]
      case .report(let message, let verdict): ["\(message.text): \(verdict)"]
      }
    }
  }

  @Test("a message typed before the stream is connected is sent when it connects")
  mutating func held() throws {
    #expect(say("hello").isEmpty)
    #expect(mail.outgoing == [.init(text: "hello", isHeld: true)])
    #expect(try connect("ready") == ["prompt"])
    #expect(mail.outgoing == [.init(text: "hello", isHeld: false)])
  }

  @Test("a busy session queues a message; a message to a stopping session is held in the client")
  mutating func busy() throws {
    #expect(try connect("busy").isEmpty)
    #expect(say("more") == ["follow_up"])
    #expect(try acknowledge("more") == ["more: \(PromptDelivery.Verdict.delivered(.queued))"])
    #expect(try receive(["type": "state", "session": Self.session("stopping")]).isEmpty)
    #expect(say("later").isEmpty)
    #expect(try receive(["type": "state", "session": Self.session("ready")]) == ["prompt"])
  }

  @Test("messages are sent in sequence, each after the previous message was delivered")
  mutating func oneAfterAnother() throws {
    #expect(say("one").isEmpty && say("two").isEmpty && say("three").isEmpty)
    #expect(try connect("ready") == ["prompt"])
    #expect(mail.outgoing.map(\.isHeld) == [false, true, true])
    #expect(try acknowledge("one").isEmpty, "its turn has not started")
    let begun = try receive(["type": "message_end", "role": "user", "content": "one", "seq": 1])
    #expect(begun == ["one: \(PromptDelivery.Verdict.delivered(.started))", "follow_up"])
    let queued = try acknowledge("two")
    #expect(queued == ["two: \(PromptDelivery.Verdict.delivered(.queued))", "follow_up"])
    #expect(mail.outgoing == [.init(text: "three", isHeld: false)])
  }

  @Test("a refused or timed-out message does not block the next message")
  mutating func afterRefusal() throws {
    #expect(try connect("ready").isEmpty)
    #expect(say("one") == ["prompt"] && say("two").isEmpty && say("three").isEmpty)
    let refused = try receive([
      "type": "command_result", "command": "prompt", "requestId": "T-one.1.prompt",
      "success": false, "error": "no",
    ])
    #expect(
      refused == ["one: \(PromptDelivery.Verdict.refused(.rejected("no", code: nil)))", "prompt"]
    )
    let late = Self.words(mail.woke(at: .seconds(10)))
    #expect(late == ["two: \(PromptDelivery.Verdict.unknown(.silence))", "prompt"])
  }

  @Test("a message after the end of a turn starts the next turn")
  mutating func afterTurn() throws {
    #expect(try connect("ready").isEmpty)
    #expect(say("one") == ["prompt"])
    _ = try receive(["type": "message_end", "role": "user", "content": "one", "seq": 1])
    _ = try receive(["type": "state", "session": Self.session("ready")])
    #expect(say("two") == ["prompt"])
  }

  @Test("a session that ends again is reopened again")
  mutating func endedAgain() throws {
    #expect(try connect("ready", sequence: 9).isEmpty)
    #expect(try receive(["type": "session_ended", "seq": 10]).isEmpty)
    #expect(say("again") == ["reopen"])
    #expect(try connect("ready") == ["prompt"])
    _ = try receive(["type": "message_end", "role": "user", "content": "again", "seq": 1])
    #expect(mail.outgoing.isEmpty)
    #expect(try receive(["type": "session_ended", "seq": 2]).isEmpty)
    #expect(say("more") == ["reopen"])
  }

  @Test("an ended session without a stream is reopened for a message, once")
  mutating func rested() throws {
    #expect(try connect("ready", sequence: 9).isEmpty)
    #expect(try receive(["type": "session_ended", "seq": 10]).isEmpty)
    #expect(Self.words(mail.take(.renewing, over: nil, at: .zero)).isEmpty)
    #expect(say("one") == ["reopen"])
    #expect(say("two").isEmpty)
    #expect(try connect("ready") == ["prompt"])
    #expect(mail.outgoing.map(\.isHeld) == [false, true])
  }

  @Test("a message whose connection is lost is not sent again if the replayed events contain it")
  mutating func lost() throws {
    #expect(try connect("ready", sequence: 4).isEmpty)
    #expect(say("hello") == ["prompt"])
    #expect(Self.words(mail.lost(at: .zero)).isEmpty)
    #expect(say("another").isEmpty)
    // The events that the stream replays contain the message.
    let words = try receive([
      "type": "message_end", "role": "user", "content": "hello", "seq": 6,
    ])
    #expect(words == ["hello: \(PromptDelivery.Verdict.delivered(.started))"])
    #expect(try connect("busy", sequence: 6) == ["follow_up"])
  }

  @Test("a message of the same text from before is not taken for the lost one")
  mutating func sameText() throws {
    #expect(try connect("ready", sequence: 4).isEmpty)
    let earlier: JSONValue = ["type": "message_end", "role": "user", "content": "go on", "seq": 6]
    #expect(try receive(earlier).isEmpty)
    #expect(say("go on") == ["prompt"])
    #expect(Self.words(mail.lost(at: .zero)).isEmpty)
    #expect(try receive(earlier).isEmpty)
    #expect(mail.outgoing == [.init(text: "go on", isHeld: false)])
  }

  @Test(
    "a lost message is sent again only to the agent that had it, by the agent's name",
    arguments: [
      ("e1", "prompt"), ("e2", "hello: \(PromptDelivery.Verdict.unknown(.agentGone))"),
    ]
  )
  mutating func agents(name: String, words: String) throws {
    func connected(_ epoch: String) -> JSONValue {
      [
        "type": "connected", "session": Self.session("ready"), "currentSeq": 4,
        "runtimeEpoch": .string(epoch),
      ]
    }
    #expect(try receive(connected("e1")).isEmpty)
    #expect(Self.words(mail.connected(.session, at: .zero)).isEmpty)
    #expect(say("hello") == ["prompt"])
    #expect(Self.words(mail.lost(at: .zero)).isEmpty)
    #expect(try receive(connected(name)).isEmpty)
    #expect(Self.words(mail.connected(.session, at: .zero)) == ["look in W"])
    let check = PromptDelivery.ServerCheck(uptime: nil, status: .ready, events: [])
    let found = mail.take(.looked(check), for: "T-hello", at: .zero)
    #expect(Self.words(found) == [words])
  }

  @Test("the late check of an earlier message decides nothing about the next one")
  mutating func lateLook() throws {
    #expect(try connect("ready", sequence: 4).isEmpty)
    #expect(say("one") == ["prompt"])
    #expect(Self.words(mail.lost(at: .zero)).isEmpty)
    #expect(say("two").isEmpty)
    #expect(try connect("ready", sequence: 4) == ["look in W"])
    let found = try receive(["type": "message_end", "role": "user", "content": "one", "seq": 6])
    #expect(found == ["one: \(PromptDelivery.Verdict.delivered(.started))", "follow_up"])
    #expect(Self.words(mail.lost(at: .zero)).isEmpty)
    #expect(try connect("busy", sequence: 6) == ["look in W"])
    let check = PromptDelivery.ServerCheck(uptime: .seconds(9), status: .ready)
    let late = mail.take(.looked(check), for: "T-one", at: .zero)
    #expect(Self.words(late).isEmpty)
    let own = mail.take(.looked(check), for: "T-two", at: .zero)
    #expect(Self.words(own) == ["subscribe"])
  }

  @Test("a message to a session that the server no longer knows ends as unknown")
  mutating func unknownSession() throws {
    #expect(try connect("ready").isEmpty)
    #expect(say("hello") == ["prompt"])
    #expect(Self.words(mail.lost(at: .zero)).isEmpty)
    #expect(try connect("ready") == ["look in W"])
    let ended = mail.take(.shutOut, for: "T-hello", at: .zero)
    #expect(Self.words(ended) == ["hello: \(PromptDelivery.Verdict.unknown(.shutOut))"])
    #expect(mail.outgoing.isEmpty)
  }

  @Test("the time for a message begins when it is sent, however long the chat is open")
  mutating func timeLimit() throws {
    #expect(try connect("ready").isEmpty)
    let hour = Duration.seconds(3600)
    let sent = mail.send(Prompt("hello", clientTurnID: "T-hello"), whenBusy: .queue, at: hour)
    #expect(Self.words(sent) == ["prompt"])
    #expect(Self.words(mail.woke(at: hour + .seconds(1))).isEmpty)
    #expect(mail.outgoing == [.init(text: "hello", isHeld: false)])
    let late = Self.words(mail.woke(at: hour + .seconds(10)))
    #expect(late == ["hello: \(PromptDelivery.Verdict.unknown(.silence))"])
  }

  @Test("the state of another session holds no message back", arguments: ["state", "connected"])
  mutating func otherSession(type: String) throws {
    #expect(try connect("ready").isEmpty)
    let child: JSONValue = ["id": "C", "status": "stopping", "parentSessionId": "S"]
    let told = try receive(["type": .string(type), "session": child, "currentSeq": 0])
    #expect(told.isEmpty)
    #expect(say("hello") == ["prompt"])
  }
}
