// SPDX-License-Identifier: MIT

import OppiTerminal
import Simulation
import Testing

@testable import Oppi
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiWire

/// The completion of a draft in a chat.
@Suite struct ChatCompletionTests {
  /// A chat whose server has listed commands and files.
  private static func desk(_ paths: [String] = []) throws -> ChatDesk {
    var desk = ChatDesk()
    _ = try desk.connect()
    _ = desk.update(.news(.files(paths)))
    return desk
  }

  private static func list(_ commands: JSONValue, in desk: inout ChatDesk) throws {
    _ = try desk.receive([
      "type": "command_result", "command": "get_commands", "requestId": "id-1", "success": true,
      "sessionId": "S", "data": ["commands": commands],
    ])
  }

  @Test("a slash shows the commands of the chat, and typing narrows them")
  func commands() throws {
    var desk = try Self.desk()
    #expect(desk.press(.text("/")) == [.list(.commands(id: "id-1"))])
    #expect(desk.shows("/model [ID]") && desk.shows("Show or set the model"))
    #expect(desk.press(.text("st")).isEmpty)
    #expect(desk.shows("/steer TEXT") && desk.shows("/stop") && !desk.shows("/model"))
    _ = desk.press(.backspace, .text("how"))
    #expect(desk.shows("/show [NUMBER]") && !desk.shows("/stop"))
  }

  @Test("Tab completes the first candidate, arrows choose another, and nothing is sent")
  func takes() throws {
    for (keys, text) in [
      ([Key.tab], "/steer "), ([.down, .tab], "/steer "), ([.down, .down, .enter], "/stop"),
      ([.up, .enter], "/stop"), ([.control("n"), .enter], "/steer "),
    ] {
      var desk = try Self.desk()
      _ = desk.press(.text("/st"))
      for key in keys { #expect(desk.press(key).isEmpty) }
      #expect(desk.screen.composer.text == text && desk.screen.menu == nil)
    }
  }

  @Test("Enter runs the typed command unless an arrow chose a candidate")
  func enter() throws {
    var desk = try Self.desk()
    #expect(desk.press(.text("/quit"), .enter).contains(.leave))
    // A choice ends with the next typed letter.
    var other = try Self.desk()
    _ = other.press(.text("/s"), .down, .text("top"))
    #expect(other.press(.enter) == [.stopTurn])
  }

  @Test("Esc closes the menu only, and the next typed key opens it again")
  func closes() throws {
    var desk = try Self.desk()
    try desk.begin()
    _ = desk.press(.text("/st"))
    #expect(desk.press(.escape).isEmpty && desk.screen.menu == nil)
    #expect(desk.screen.composer.text == "/st")
    _ = desk.press(.text("e"))
    #expect(desk.screen.menu != nil)
  }

  @Test("without a menu, Tab switches between queueing and steering")
  func tab() throws {
    var desk = try Self.desk()
    try desk.begin()
    _ = desk.press(.text("hello"), .tab)
    #expect(desk.shows("Enter: steer") && desk.screen.composer.text == "hello")
  }

  @Test("a paste opens no menu and runs no command", arguments: ["/quit", "/quit\n", "see @src"])
  func paste(text: String) throws {
    var desk = try Self.desk(["src/a.c"])
    #expect(desk.press(.paste(text)).isEmpty)
    #expect(desk.screen.menu == nil)
    _ = desk.press(.tab)
    #expect(desk.screen.composer.text == text)
  }

  @Test("the agent's commands follow those of the chat, which keep their names")
  func agentCommands() throws {
    var desk = try Self.desk()
    _ = desk.press(.text("/"))
    try Self.list(
      [
        ["name": "stop", "description": "not the chat's"], ["name": "stage\u{1B}[31m"],
        ["name": "stash", "description": "Put\naside\u{1B}[31m"], ["name": "st ray"], ["name": ""],
        5,
      ],
      in: &desk
    )
    _ = desk.press(.text("sta"))
    #expect(desk.lines.contains { $0.hasPrefix("  /stash") && $0.contains("Put aside") })
    #expect(desk.press(.tab).isEmpty)
    #expect(desk.screen.composer.text == "/stash ")
    // A known command needs no second Enter.
    #expect(desk.press(.enter).first == .remember("/stash "))
    _ = desk.press(.text("/sto"))
    #expect(desk.shows("Stop the turn") && !desk.shows("not the chat's"))
  }

  @Test("after a new connection, which may lead to another agent, its commands are asked for again")
  func reconnected() throws {
    var desk = try Self.desk()
    #expect(desk.press(.text("/"), .text("s")) == [.list(.commands(id: "id-1"))])
    _ = try desk.connect()
    #expect(desk.press(.text("t")) == [.list(.commands(id: "id-2"))])
  }

  @Test("the answer to another request lists no commands")
  func foreign() throws {
    var desk = try Self.desk()
    try Self.list([["name": "stash"]], in: &desk)
    _ = desk.press(.text("/sta"))
    #expect(desk.screen.menu == nil)
  }

  @Test("an @ completes the files of the workspace, asked for once")
  func files() throws {
    var desk = ChatDesk()
    _ = try desk.connect()
    #expect(desk.press(.text("see @")) == [.list(.files)])
    #expect(desk.press(.text("log")).isEmpty && desk.screen.menu == nil)
    // The answer comes while the user types.
    _ = desk.update(.news(.files(["README.md", "src/Login.swift", "src/prolog.c"])))
    #expect(desk.shows("  src/Login.swift") && !desk.shows("README"))
    _ = desk.press(.down, .down, .enter)
    #expect(desk.screen.composer.text == "see @src/prolog.c ")
  }

  @Test("a list that comes after the word was left opens no menu")
  func late() throws {
    var desk = ChatDesk()
    _ = try desk.connect()
    _ = desk.press(.text("@log"), .text(" x"))
    _ = desk.update(.news(.files(["src/Login.swift"])))
    #expect(desk.screen.menu == nil)
    // A failed request is repeated when it is needed again.
    _ = desk.update(.news(.files(nil)))
    #expect(desk.press(.text(" @")) == [.list(.files)])
  }

  @Test("a request closes the menu, and its keys are not those of the menu")
  func request() throws {
    var desk = try Self.desk()
    _ = desk.press(.text("/st"), .down)
    try desk.ask()
    #expect(desk.screen.menu == nil)
    #expect(desk.press(.enter, after: .seconds(2)).isEmpty)
    #expect(desk.screen.composer.text == "/st")
  }

  @Test(
    "files are found by the characters of their paths, in order",
    arguments: [
      ("", ["b/Login.swift", "a/blog.md", "l/o/g", "LICENSE"]),
      ("log", ["b/Login.swift", "a/blog.md", "l/o/g"]),
      ("LO", ["b/Login.swift", "a/blog.md", "l/o/g"]),
      ("b/l", ["b/Login.swift"]), ("gol", []), ("li", ["LICENSE", "b/Login.swift"]),
    ]
  )
  func search(text: String, found: [String]) {
    let paths = FilePaths(["b/Login.swift", "a/blog.md", "l/o/g", "LICENSE"])
    #expect(paths.matches(text) == found)
  }

  @Test("the search of many long paths takes no quadratic time")
  func long() {
    let paths = FilePaths(Array(repeating: String(repeating: "a", count: 400), count: 500))
    let time = ContinuousClock().measure {
      #expect(paths.matches(String(repeating: "a", count: 199) + "b").isEmpty)
    }
    #expect(time < .seconds(3), "\(time)")
  }

  @Test("a server lists its agent's commands and its files", arguments: Dialect.all)
  func server(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let talk = try await ChatTerminal(in: world)
      try await talk.type("/revi", see: "Review the changes")
      talk.type(ChatTerminal.clearLine)
      try await talk.type("see @login", see: "  Sources/Login.swift")
      try await talk.type(ChatTerminal.tab, see: "see @Sources/Login.swift")
      talk.type(ChatTerminal.clearLine)
      try await talk.leave()
      #expect(server.heard.isEmpty)
    }
  }
}
