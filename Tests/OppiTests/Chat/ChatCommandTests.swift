// SPDX-License-Identifier: MIT

import FakeServer
import OppiTerminal
import Simulation
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// The commands of a chat.
@Suite struct ChatCommandTests {
  private static func desk(canOpen: Bool = true) throws -> ChatDesk {
    var desk = ChatDesk()
    desk.screen.state.canOpen = canOpen
    _ = try desk.connect()
    return desk
  }

  private static func session(_ id: String, _ name: String, parent: String? = nil) throws -> Session
  {
    let members: JSONObject = [
      "id": .string(id), "name": .string(name), "workspaceName": "demo",
      "parentSessionId": parent.map(JSONValue.string),
    ]
    return try #require(Session(json: .object(members)))
  }

  private static func list(in desk: inout ChatDesk) throws {
    let sessions = [
      try session("S", "this one"), try session("abc1", "fix the login"),
      try session("abc2", "fix the docs"), try session("kid", "a child", parent: "S"),
    ]
    _ = desk.update(.news(.sessions(sessions)))
  }

  @Test("help lists every command with its argument, and the keys")
  func help() throws {
    var desk = try Self.desk()
    let printed = desk.press(.text("/help"), .enter).printed
    for command in ChatCommand.allCases {
      #expect(printed.contains { $0.hasPrefix("  \(command.form) ") }, "\(command)")
    }
    #expect(printed.contains { $0.hasPrefix("  Esc Esc") })
  }

  @Test("no command with any argument is sent to the agent", arguments: ChatCommand.allCases)
  func unsent(command: ChatCommand) throws {
    for argument in ["", " x", " two words", "  "] {
      var desk = try Self.desk()
      let effects = desk.press(.text("/\(command.rawValue)\(argument)"), .enter)
      #expect(effects.sent.isEmpty || command == .steer, "\(argument): \(effects)")
    }
  }

  @Test("a message of several lines is for the agent, also if the first line is a command")
  func severalLines() throws {
    var desk = try Self.desk()
    #expect(desk.press(.text("/stop it"), .newline, .text("and say why"), .enter).sent.isEmpty)
    #expect(desk.shows("/stop takes one line"), "\(desk.lines)")
    #expect(desk.press(.enter, after: .seconds(1)).sent == ["prompt /stop it\nand say why"])
  }

  @Test("a session is opened by its id, or by words that only its title has")
  func resume() throws {
    for (words, opened) in [
      ("/resume LOGIN fix", "abc1"), ("/resume abc2", "abc2"), ("/resume f00", "f00"),
      ("/open kid", "kid"),
    ] {
      var desk = try Self.desk()
      try Self.list(in: &desk)
      let effects = desk.press(.text(words), .enter)
      #expect(effects.last == .open(.session(named: opened)), "\(words): \(effects)")
    }
    for words in ["/resume fix the", "/resume no such", "/open login", "/open S"] {
      var desk = try Self.desk()
      try Self.list(in: &desk)
      #expect(desk.press(.text(words), .enter) == [.list(.sessions)], "\(words)")
      #expect(desk.shows("sessions match"))
    }
  }

  @Test("without a name the sessions are offered, narrowed by typed words; a choice opens nothing")
  func picker() throws {
    var desk = try Self.desk()
    #expect(desk.press(.text("/resume"), .enter).contains(.list(.sessions)))
    try Self.list(in: &desk)
    #expect(desk.shows("fix the login") && !desk.shows("this one"))
    _ = desk.press(.text("docs"))
    #expect(!desk.shows("fix the login"))
    #expect(desk.press(.down, .enter).isEmpty)
    #expect(desk.screen.composer.text == "/resume abc2")
    #expect(desk.press(.enter) == [.open(.session(named: "abc2"))])
  }

  @Test("the chat is left for the opened session, and takes no message meanwhile")
  func opens() throws {
    var desk = try Self.desk()
    #expect(desk.press(.text("/new "), .enter) == [.open(.new)])
    #expect(desk.press(.text("hello"), .enter).sent.isEmpty)
    #expect(desk.screen.composer.text == "hello")
    #expect(desk.press(.control("u"), .text("/new "), .enter).isEmpty)
    let error = OppiError(.serverUnreachable, "cannot reach studio")
    #expect(desk.update(.news(.opened(.failure(error)))).printed == ["failed: cannot reach studio"])
    #expect(desk.press(.text("hello"), .enter).sent == ["prompt hello"])
  }

  @Test("no session is opened while a message is not confirmed, or in the console")
  func refused() throws {
    var desk = try Self.desk()
    _ = desk.press(.text("hello"), .enter)
    #expect(desk.press(.text("/new "), .enter).isEmpty && desk.shows("waits for a confirmation"))
    var embedded = try Self.desk(canOpen: false)
    #expect(embedded.press(.text("/new "), .enter).isEmpty && embedded.shows("the console"))
  }

  @Test(
    "the cost is shown as far as it is known",
    arguments: [
      ([:], "cost: unknown"), (["cost": .double(0.84)], "cost: $0.84"),
      (["cost": .double(0), "contextTokens": 5], "cost: below $0.01 · context: 5 tokens"),
      (["contextTokens": 5, "contextWindow": 9], "cost: unknown · context: 5 of 9 tokens"),
    ] as [(JSONObject, String)]
  )
  func cost(members: JSONObject, text: String) throws {
    var desk = ChatDesk()
    let session = JSONValue.object(members.adding(["id": "S", "status": "ready"]))
    _ = try desk.receive(["type": "connected", "session": session, "currentSeq": 0])
    _ = desk.press(.text("/cost "), .enter)
    #expect(desk.shows(text), "\(desk.lines)")
  }

  @Test("a listener gets the sessions in lines, each with the command that opens it")
  func lines() throws {
    var desk = ChatLinesDesk()
    #expect(desk.type("/open").contains(.list(.sessions)))
    let child = try Self.session("kid", "a child", parent: "S")
    try desk.receive(["type": "state", "session": ["id": "S", "status": "ready"]])
    #expect(desk.update(.news(.sessions([child]))).printed == ["/open kid: a child, demo"])
  }

  @Test("a new session opens in the same workspace, and another one by its title")
  func server() {
    inWorld { world, server in
      let id = try await world.session(asking: "hello")
      let talk = try await ChatTerminal(in: world, "-w", "webapp")
      try await talk.say("two tools", see: "Both are done.")
      try await talk.say("/new", see: "resume with:")
      try await talk.see("Session ", count: 2)
      try await talk.see("Enter: send")
      try await talk.say("hello", see: "The command printed: hi")
      try await talk.say("/resume", see: "demo")
      talk.type(ChatTerminal.down)
      try await talk.type("hello", see: "  hello")
      try await talk.type(ChatTerminal.clearLine + "/resume \(id)\r", see: "Session \(id)")
      try await talk.leave()
      #expect(talk.lines.joined(separator: " ").contains("oppi chat -s \(id)"), "\(talk.lines)")
      #expect(server.heard == ["hello", "two tools", "hello"])
      #expect(server.sessionsMade == 3 && Set(server.runs.map(\.sessionID)).count == 3)
    }
  }

  @Test("an export is a new file with the conversation, and replaces none")
  func export() {
    inWorld { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("hello", see: "The command printed: hi")
      try await talk.say("/export ~/talk.md", see: "exported to ")
      let path = "\(World.home)/talk.md"
      let text = String(decoding: try #require(world.disk.contents(of: path)), as: UTF8.self)
      #expect(text.hasPrefix("# ") && text.contains("The command printed: hi"))
      try await talk.say("two tools", see: "Both are done.")
      try await talk.say("/export ~/talk.md", see: "failed: ")
      #expect(world.disk.contents(of: path).map { String(decoding: $0, as: UTF8.self) } == text)
      try await talk.say("/diff", see: "no edit in the last turns")
      try await talk.leave()
    }
  }
}
