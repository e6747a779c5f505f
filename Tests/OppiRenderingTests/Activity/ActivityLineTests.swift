// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import TestSupport
import Testing

@Suite struct ActivityLineTests {
  private static func line(_ activity: TurnActivity, width: Int = 60) -> String {
    ActivityLine.line(
      for: activity,
      of: "Ab12",
      width: width,
      now: Timestamp(milliseconds: 12_000)
    ).plain
  }

  @Test("the line names the session, its activity and the elapsed time")
  func words() throws {
    var reducer = ActivityReducer(sessionID: "S")
    func hear(_ json: JSONValue) throws {
      let message = try #require(ServerMessage(json: json))
      _ = reducer.apply(message, at: Timestamp(milliseconds: 0))
    }
    try hear(["type": "agent_start", "sessionId": "S", "seq": 1])
    let working = Self.line(reducer.activity)
    #expect(working.hasPrefix("▶ session Ab12: Thinking"))
    #expect(working.hasSuffix(" 12 s"))
    #expect(DisplayWidth.of(working) == 60)
    try hear([
      "type": "permission_request", "id": "p", "sessionId": "S", "tool": "bash",
      "input": ["command": "ls"],
    ])
    #expect(Self.line(reducer.activity).hasPrefix("! session Ab12: Waiting for approval"))
  }

  @Test("the line fits any width", arguments: [0, 1, 10, 25])
  func narrow(width: Int) {
    #expect(DisplayWidth.of(Self.line(TurnActivity(), width: width)) <= width)
  }
}
