// SPDX-License-Identifier: MIT

import OppiTerminal
import OppiText
import Testing

@testable import OppiModel
@testable import OppiTurns

/// What can be copied of a conversation.
@Suite struct TurnPageTests {
  private static let answer = "Run **this**:\n\n```sh\nls\n```\n\nThen that."

  private static func turn() -> Turn {
    var turn = Turn()
    turn.prompt = "Do it"
    let command: JSONValue = ["command": "make all"]
    turn.steps = [
      .text(answer),
      .call(ToolCallActivity(id: "1", tool: "bash", arguments: command, state: .succeeded)),
      .call(ToolCallActivity(id: "2", tool: "read", arguments: ["path": "a"], state: .succeeded)),
      .steer("wait"),
    ]
    return turn
  }

  private static func page() -> TurnPage {
    var page = TurnPage()
    for _ in 1...2 { page.add(turn(), width: 60, now: Timestamp(seconds: 0)) }
    return page
  }

  @Test("messages, code and commands are as they were written, each with the rows that show it")
  func sources() {
    let page = Self.page()
    let once = ["Do it", Self.answer, "ls", "make all", "wait"]
    #expect(page.sources.map(\.text) == once + once)
    for (source, words) in zip(page.sources, ["Do it", "Then that.", "ls", "make all", "wait"]) {
      #expect(page.rows[source.rows].contains { $0.plain.contains(words) }, "\(source)")
    }
    let rows = TurnRows.rows(of: [Self.turn(), Self.turn()], width: 60, now: Timestamp(seconds: 0))
    #expect(page.rows.map(\.plain) == rows.map(\.plain))
  }

  @Test("what is at the top comes first, the smallest part of it before the whole")
  func order() {
    let page = Self.page()
    let code = page.sources[2].rows
    let below = page.sources(in: code.lowerBound..<page.rows.count)
    #expect(below.prefix(3).map(\.text) == ["ls", Self.answer, "make all"])
    #expect(page.sources(in: 0..<page.rows.count) == page.sources)
    #expect(page.sources(in: 0..<1).map(\.text) == ["Do it"])
    #expect(page.sources(in: 0..<0).isEmpty && TurnPage().sources(in: 0..<0).isEmpty)
  }
}
