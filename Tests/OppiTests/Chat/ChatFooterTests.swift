// SPDX-License-Identifier: MIT

import OppiSystem
import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiWire

@Suite struct ChatFooterTests {
  private static func session(_ members: JSONObject) throws -> Session {
    var members = members
    members["id"] = "s1"
    return try #require(Session(json: .object(members)))
  }

  private static let full: JSONObject = [
    "model": "anthropic/claude-opus", "thinkingLevel": "high", "contextTokens": 82_000,
    "contextWindow": 200_000, "cost": .double(0.84),
  ]

  private static func line(_ members: JSONObject, width: Int) throws -> String? {
    ChatFooter(session: try session(members), server: "studio", queue: 2).line(width: width)?.plain
  }

  @Test("the footer has the model, its thinking, the context, the cost, the queue and the server")
  func facts() throws {
    #expect(
      try Self.line(Self.full, width: 80)
        == "claude-opus · high · context ▰▰▰▰▱▱▱▱▱▱ 41 % · $0.84 · 2 queued · studio"
    )
  }

  @Test("what does not fit is left out, and the model comes first", arguments: 1...80)
  func narrow(width: Int) throws {
    let line = try Self.line(Self.full, width: width)
    #expect(DisplayWidth.of(line ?? "") <= width)
    if width >= 18 { #expect(line?.hasPrefix("claude-opus · high") == true) }
  }

  @Test(
    "the server leaves first, then the queue, the bar of the context, the cost and the context",
    arguments: [
      (71, "claude-opus · high · context ▰▰▰▰▱▱▱▱▱▱ 41 % · $0.84 · 2 queued"),
      (60, "claude-opus · high · context ▰▰▰▰▱▱▱▱▱▱ 41 % · $0.84"),
      (51, "claude-opus · high · 41 % · $0.84"), (30, "claude-opus · high · 41 %"),
      (20, "claude-opus · high"), (12, "claude-opus"),
    ]
  )
  func leaving(width: Int, text: String) throws {
    #expect(try Self.line(Self.full, width: width) == text)
  }

  @Test("nothing is invented that the server does not report")
  func unknown() throws {
    #expect(ChatFooter(session: try Self.session([:])).line(width: 80) == nil)
    for members: JSONObject in [
      ["model": "m", "contextTokens": 5], ["model": "m", "contextWindow": 5],
      ["model": "m", "contextTokens": 5, "contextWindow": 0],
      ["model": "m", "contextTokens": -5, "contextWindow": 9],
    ] {
      #expect(ChatFooter(session: try Self.session(members)).line(width: 80)?.plain == "m")
    }
  }

  @Test(
    "the context is full at most, and calls attention from nine tenths on",
    arguments: [(0, 0, false), (899, 89, false), (900, 90, true), (5000, 100, true)]
  )
  func context(tokens: Int, percent: Int, isWarning: Bool) throws {
    let members: JSONObject = ["contextTokens": .integer(Int64(tokens)), "contextWindow": 1000]
    let line = ChatFooter(session: try Self.session(members)).line(width: 80)
    #expect(line?.plain.hasSuffix(" \(percent) %") == true)
    #expect(line?.pieces.contains { $0.style == .warning } == isWarning)
  }

  /// A call of the agent that writes its to-do list.
  private static func write(_ states: [String], at sequence: Int64, _ desk: inout ChatDesk) throws {
    let items = states.enumerated().map { index, state -> JSONValue in
      ["content": .string("item \(index + 1)\u{1B}[31m"), "status": .string(state)]
    }
    var call: JSONObject = [
      "type": "tool_start", "tool": "todo", "args": ["todos": .array(items)], "sessionId": "S",
      "toolCallId": .string("t\(sequence)"), "seq": .integer(sequence),
    ]
    _ = try desk.receive(.object(call))
    (call["type"], call["seq"]) = ("tool_end", .integer(sequence + 1))
    _ = try desk.receive(.object(call))
  }

  @Test("the agent's to-do list is one row above the footer while something is left to do")
  func todo() throws {
    var desk = ChatDesk()
    _ = try desk.connect("busy")
    try desk.begin()
    #expect(!desk.shows("to-do"))
    try Self.write(["completed", "in_progress", "pending"], at: 4, &desk)
    #expect(desk.lines.suffix(2).first == "to-do 1 of 3: item 2", "\(desk.lines)")
    try Self.write(["completed", "completed", "pending"], at: 6, &desk)
    #expect(desk.shows("to-do 2 of 3: item 3"))
    _ = desk.resize(columns: 80, rows: 9)
    #expect(!desk.shows("to-do 2"))
    _ = desk.resize(columns: 80, rows: 24)
    try Self.write(["completed", "completed", "completed"], at: 8, &desk)
    #expect(!desk.shows("to-do 3"))
    try Self.write(["pending"], at: 10, &desk)
    #expect(desk.shows("to-do 0 of 1"))
    _ = try desk.receive([
      "type": "stop_confirmed", "source": "user", "sessionId": "S", "seq": 12,
    ])
    #expect(!desk.shows("to-do"))
  }

  @Test("the window's title has the title of the session")
  func title() throws {
    var desk = ChatDesk()
    #expect(desk.screen.view(at: Timestamp(milliseconds: 0), frame: 0).title == nil)
    _ = try desk.connect()
    #expect(desk.screen.view(at: Timestamp(milliseconds: 0), frame: 0).title == "oppi: S")
    let named: JSONValue = ["id": "S", "status": "ready", "name": "fix the login"]
    _ = try desk.receive(["type": "state", "session": named])
    let title = desk.screen.view(at: Timestamp(milliseconds: 0), frame: 0).title
    #expect(title == "oppi: fix the login")
  }

  @Test("a message has its time of day at the right, if it is known")
  func time() throws {
    var desk = ChatDesk()
    _ = try desk.connect()
    #expect(try desk.hear("hello").printed == ["▌ hello"])
    desk.screen.state.moment = { Timestamp(milliseconds: 14 * 3_600_000) }
    let printed = try desk.hear("again", sequence: 3).printed
    let time = LocalTime.minute(
      of: Timestamp(milliseconds: 14 * 3_600_000),
      seenAt: Timestamp(milliseconds: 14 * 3_600_000)
    )
    let last = printed.last ?? ""
    #expect(last.hasPrefix("▌ again") && last.hasSuffix(time) && last.count == 80)
  }
}
