// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi
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

  @Test("the footer has the model, its thinking, the context, the cost and the queue")
  func facts() throws {
    let line = ChatFooter.line(of: try Self.session(Self.full), queue: 2, width: 80)
    #expect(
      line?.plain == "claude-opus · high · context ▰▰▰▰▱▱▱▱▱▱ 41 % · $0.84 · 2 queued"
    )
  }

  @Test("what does not fit is left out, and the model comes first", arguments: 1...80)
  func narrow(width: Int) throws {
    let line = ChatFooter.line(of: try Self.session(Self.full), queue: 2, width: width)
    #expect(DisplayWidth.of(line?.plain ?? "") <= width)
    if width >= 18 { #expect(line?.plain.hasPrefix("claude-opus · high") == true) }
  }

  @Test("nothing is invented that the server does not report")
  func unknown() throws {
    #expect(ChatFooter.line(of: nil, queue: 0, width: 80) == nil)
    #expect(ChatFooter.line(of: try Self.session([:]), queue: 0, width: 80) == nil)
    for members: JSONObject in [
      ["model": "m", "contextTokens": 5], ["model": "m", "contextWindow": 5],
      ["model": "m", "contextTokens": 5, "contextWindow": 0],
      ["model": "m", "contextTokens": -5, "contextWindow": 9],
    ] {
      #expect(ChatFooter.line(of: try Self.session(members), queue: 0, width: 80)?.plain == "m")
    }
  }

  @Test(
    "the context is full at most, and calls attention from nine tenths on",
    arguments: [(0, 0, false), (899, 89, false), (900, 90, true), (5000, 100, true)]
  )
  func context(tokens: Int, percent: Int, isWarning: Bool) throws {
    let members: JSONObject = ["contextTokens": .integer(Int64(tokens)), "contextWindow": 1000]
    let line = ChatFooter.line(of: try Self.session(members), queue: 0, width: 80)
    #expect(line?.plain.hasSuffix(" \(percent) %") == true)
    #expect(line?.pieces.contains { $0.style == .warning } == isWarning)
  }
}
