// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel

@Suite struct EndedTurnTests {
  private static func session(_ count: Int, at seconds: Int, id: String = "s") -> Session {
    .sample(id, lastActivity: Timestamp(seconds: seconds), messageCount: count)
  }

  @Test("a turn is the last until another message, and current until any activity")
  func validity() {
    let turn = EndedTurn(of: Self.session(4, at: 100), TurnSummary(end: .failed))
    for (count, seconds, isLast, isCurrent) in [
      (4, 100, true, true), (4, 101, true, false), (4, 99, false, false), (5, 100, false, false),
      (5, 101, false, false), (3, 101, false, false),
    ] {
      let session = Self.session(count, at: seconds)
      #expect(turn.isLast(in: session) == isLast, "\(count) \(seconds)")
      #expect(turn.isCurrent(in: session) == isCurrent, "\(count) \(seconds)")
    }
  }

  @Test("ended turns survive a round trip")
  func roundTrip() throws {
    var turns = EndedTurns()
    let summary = TurnSummary(startedAt: .ago(9), endedAt: .ago(1), failure: "no", end: .failed)
    for (number, id, summary) in [(1, "a", summary), (2, "b", TurnSummary(end: .unknown))] {
      let turn = EndedTurn(of: Self.session(4, at: 100, id: id), summary)
      turns[FleetLife.serverID(number)] = [id: turn]
    }
    let text = turns.json.text()
    #expect(EndedTurns(json: try JSONValue(parsing: Array(text.utf8))) == turns)
  }

  @Test(
    "invalid data is omitted",
    arguments: [
      "{}", #"{"version": 2, "servers": []}"#, #"{"version": 1, "servers": [{"id": "x"}, 3]}"#,
    ]
  )
  func refused(text: String) throws {
    #expect(EndedTurns(json: try JSONValue(parsing: Array(text.utf8))) == EndedTurns())
  }

  @Test("the 1000 latest turns per server are kept")
  func limit() {
    var turns = EndedTurns()
    let id = FleetLife.serverID(1)
    let all = (1...1001).map { number in
      ("s\(number)", EndedTurn(of: Self.session(1, at: number), TurnSummary(end: .finished)))
    }
    turns[id] = Dictionary(uniqueKeysWithValues: all)
    #expect(turns[id].count == 1000)
    #expect(turns[id]["s1"] == nil && turns[id]["s2"] != nil && turns[id]["s1001"] != nil)
  }
}
