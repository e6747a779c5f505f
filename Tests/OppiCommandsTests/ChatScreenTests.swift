// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering
import TestSupport
import Testing

@testable import OppiCommands

/// The chat on a screen, without a terminal: what keys and news come to, and what is seen.
@Suite struct ChatScreenTests {
  /// A screen with a clock, on which an approval may be pending.
  private struct Desk {
    var screen: ChatScreen
    var now = Duration.zero
    var reducer = ActivityReducer(sessionID: "S")

    init(columns: Int = 80, rows: Int = 24) {
      screen = ChatScreen(size: (columns, rows))
    }

    mutating func hear(_ json: JSONValue) throws -> [ChatState.Effect] {
      let message = try #require(ServerMessage(json: json))
      let changes = reducer.apply(message, at: Timestamp(milliseconds: 0))
      let effects = screen.take(.changes(changes, of: message), reducer.activity)
      fit()
      return effects
    }

    mutating func ask(_ id: String = "p1", command: String = "git push") throws {
      _ = try hear([
        "type": "permission_request", "id": .string(id), "sessionId": "S", "tool": "bash",
        "input": ["command": .string(command)], "displaySummary": "git push",
        "reason": "pushes", "timeoutAt": 120_000,
      ])
    }

    mutating func fit(columns: Int? = nil, rows: Int? = nil) {
      let size = (columns ?? screen.size.columns, rows ?? screen.size.rows)
      screen.fit(size, at: now)
    }

    mutating func press(_ keys: Key..., after pause: Duration = .zero) -> [ChatState.Effect] {
      now += pause
      return keys.flatMap { key in
        defer { fit() }
        return screen.press(key, at: now)
      }
    }

    var lines: [String] {
      screen.view(now: Timestamp(milliseconds: 0), frame: 0).lines.map(\.plain)
    }
  }

  private static func decisions(in effects: [ChatState.Effect]) -> [PermissionDecision] {
    effects.compactMap { effect in
      if case .decide(_, let decision) = effect { decision } else { nil }
    }
  }

  @Test("a letter selects and Enter confirms, and nothing else decides")
  func decides() throws {
    let cases: [(String, PermissionDecision)] = [
      ("a", .allow), ("s", .allowForSession), ("d", .deny),
    ]
    for (letter, decision) in cases {
      var desk = Desk()
      try desk.ask()
      #expect(desk.press(.text(letter), after: .seconds(2)).isEmpty)
      #expect(desk.press(.enter).isEmpty, "nobody reads in no time what is selected")
      #expect(Self.decisions(in: desk.press(.enter, after: .seconds(1))) == [decision])
      #expect(desk.press(.enter, after: .seconds(1)).isEmpty, "it is decided only once")
    }
  }

  @Test("Enter alone decides nothing, and neither does what was typed when the request came")
  func typing() throws {
    var desk = Desk()
    _ = desk.press(.text("please "))
    try desk.ask()
    for letter in ["a", "d", "d", " ", "d", "o", "c", "s"] {
      #expect(desk.press(.text(letter), after: .milliseconds(150)).isEmpty)
    }
    #expect(desk.press(.enter, after: .milliseconds(100)).isEmpty)
    #expect(desk.press(.enter, after: .seconds(5)).isEmpty)
    #expect(desk.screen.composer.text == "please add docs")
  }

  @Test("a key that was on its way when the request came selects nothing")
  func early() throws {
    var desk = Desk()
    try desk.ask()
    #expect(desk.press(.text("a"), after: .milliseconds(300)).isEmpty)
    #expect(desk.screen.panel?.selection == nil && desk.screen.composer.text == "a")
    #expect(desk.press(.enter, after: .seconds(2)).isEmpty)
  }

  @Test("a word that begins with a choice's letter goes to the message as a whole")
  func word() throws {
    var desk = Desk()
    try desk.ask()
    _ = desk.press(.text("d"), after: .seconds(3))
    _ = desk.press(.text("a"), after: .milliseconds(90))
    _ = desk.press(.text("nger"), after: .milliseconds(90))
    #expect(desk.press(.enter, after: .milliseconds(90)).isEmpty)
    #expect(desk.screen.composer.text == "danger")
    #expect(desk.screen.panel?.selection == nil)
    // The message is sent once the person is back at it.
    _ = desk.press(.escape, after: .seconds(1))
    #expect(desk.press(.enter) == [.send("danger", .steer)] || desk.screen.composer.text.isEmpty)
    #expect(desk.screen.panel != nil)
  }

  @Test(
    "a command of thirty lines can be read to its end, and allowed only then",
    arguments: [(40, 12), (80, 24), (160, 50)]
  )
  func scrolling(columns: Int, rows: Int) throws {
    let command = (1...30).map { "echo \($0) '\(String(repeating: "x", count: 60))'" }
      .joined(separator: "\n")
    var desk = Desk(columns: columns, rows: rows)
    try desk.ask(command: command)
    var seen: [String] = []
    func look() { for line in desk.lines where !seen.contains(line) { seen.append(line) } }
    look()
    let isAtEnd = desk.lines.contains { $0.contains("echo 30") }
    _ = desk.press(.text("a"), after: .seconds(2))
    let early = desk.press(.enter, after: .seconds(1))
    #expect(Self.decisions(in: early) == (isAtEnd ? [.allow] : []))
    guard !isAtEnd else { return }
    for _ in 0..<200 {
      _ = desk.press(.down, after: .milliseconds(20))
      look()
    }
    for number in 1...30 { #expect(seen.contains { $0.hasPrefix("  echo \(number) ") }) }
    _ = desk.press(.text("a"), after: .seconds(2))
    #expect(Self.decisions(in: desk.press(.enter, after: .seconds(1))) == [.allow])
  }

  @Test("a window without room for a single row of the request cannot allow it")
  func tinyWindow() throws {
    var desk = Desk(columns: 20, rows: 5)
    try desk.ask()
    _ = desk.press(.text("a"), after: .seconds(2))
    #expect(desk.press(.enter, after: .seconds(1)).isEmpty)
  }

  @Test("Esc goes back to the message and leaves the request open, and shows it again")
  func aside() throws {
    var desk = Desk()
    _ = desk.press(.text("draft"))
    try desk.ask()
    #expect(desk.press(.escape, after: .seconds(2)).isEmpty)
    #expect(desk.lines.contains { $0.contains("waits for your approval") })
    #expect(desk.press(.enter) == [.send("draft", .followUp)])
    _ = desk.press(.escape)
    #expect(desk.lines.contains { $0.contains("git push") })
  }

  @Test("a denial with a reason denies, and tells the agent why")
  func reason() throws {
    var desk = Desk()
    try desk.ask()
    _ = desk.press(.text("r"), after: .seconds(2))
    #expect(desk.press(.enter, after: .seconds(1)).isEmpty)
    _ = desk.press(.text("use a branch"), after: .seconds(1))
    let effects = desk.press(.enter)
    #expect(Self.decisions(in: effects) == [.deny])
    #expect(effects.last == .send("use a branch", .steer))
  }

  @Test("Ctrl-C stops the turn while a request is open")
  func stops() throws {
    var desk = Desk()
    _ = try desk.hear(["type": "agent_start", "sessionId": "S", "seq": 1])
    try desk.ask()
    #expect(desk.press(.control("c"), after: .seconds(2)).first == .stopTurn)
  }

  @Test("a request that is not known whole can be denied and not allowed")
  func partial() throws {
    var desk = Desk()
    try desk.ask(command: String(repeating: "x", count: 200_000))
    for _ in 0..<3 { _ = desk.press(.end, after: .seconds(2)) }
    _ = desk.press(.text("a"), after: .seconds(2))
    #expect(desk.press(.enter, after: .seconds(1)).isEmpty)
    _ = desk.press(.text("d"), after: .seconds(2))
    #expect(Self.decisions(in: desk.press(.enter, after: .seconds(1))) == [.deny])
  }

  @Test("without Enter no keys decide, whatever comes and goes meanwhile", arguments: 0..<300)
  func property(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var desk = Desk()
    let letters = ["a", "s", "d", "r", "y", "n", "1", "x", " ", "ad", "é"]
    for step in 0..<60 {
      let pause = Duration.milliseconds([0, 50, 300, 1200].randomElement(using: &generator) ?? 0)
      var effects: [ChatState.Effect] = []
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: try desk.ask("p\(step)", command: "rm -rf \(step)")
      case 1:
        effects = try desk.hear([
          "type": "permission_expired", "id": .string("p\(step - 1)"), "sessionId": "S",
          "reason": "x",
        ])
      case 2:
        desk.fit(
          columns: .random(in: 4...200, using: &generator),
          rows: .random(in: 2...60, using: &generator)
        )
      case 3: effects = desk.press(.paste("a\nallow\nd\n"), after: pause)
      case 4:
        let keys: [Key] = [.left, .right, .tab, .up, .down, .end, .pageDown, .escape, .backspace]
        effects = desk.press(keys.randomElement(using: &generator) ?? .tab, after: pause)
      default:
        effects = desk.press(.text(letters.randomElement(using: &generator) ?? "a"), after: pause)
      }
      let hasDecided = effects.contains { effect in
        switch effect {
        case .decide, .stopTurn, .send: true
        default: false
        }
      }
      #expect(!hasDecided, "\(effects)")
      #expect(
        desk.lines.allSatisfy { DisplayWidth.of($0) <= desk.screen.size.columns },
        "\(desk.lines)"
      )
    }
  }
}
