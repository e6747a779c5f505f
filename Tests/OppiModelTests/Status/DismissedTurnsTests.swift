// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct DismissedTurnsTests {
  private static let now = Timestamp(milliseconds: 1_795_000_000_000)
  private static let server = Fingerprint(
    "sha256:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"
  )

  private func session(_ id: String, endedAgo seconds: Int) -> ListedSession? {
    let end = Self.now.moved(by: .seconds(-seconds))
    let status = SessionStatus(id: id, phase: .idle, lastActivity: end)
    return Self.server.map { ListedSession(serverID: $0, server: "studio", status: status) }
  }

  @Test("a turn is shown until its end is dismissed, and again after a later end")
  func dismisses() throws {
    var turns = DismissedTurns()
    let first = try #require(session("a", endedAgo: 60))
    #expect(turns.shows(first, at: Self.now))
    turns.dismiss(first.id, endedAt: first.status.lastActivity)
    #expect(!turns.shows(first, at: Self.now))
    #expect(turns.shows(try #require(session("a", endedAgo: 59)), at: Self.now))
    #expect(turns.shows(try #require(session("b", endedAgo: 60)), at: Self.now))
    turns.dismiss(first.id, endedAt: Self.now.moved(by: .seconds(-90)))
    #expect(!turns.shows(first, at: Self.now), "an earlier end dismisses nothing more, nor less")
  }

  @Test("a turn that is not dismissed is shown for 7 days")
  func ages() throws {
    let week = 7 * 86_400
    #expect(DismissedTurns().shows(try #require(session("a", endedAgo: week - 1)), at: Self.now))
    #expect(!DismissedTurns().shows(try #require(session("a", endedAgo: week)), at: Self.now))
  }

  @Test("the file has what was dismissed, at most the latest 1000, and its damage is left out")
  func file() throws {
    var turns = DismissedTurns()
    for index in 0..<1001 {
      let old = try #require(session("s\(index)", endedAgo: 5000 - index))
      turns.dismiss(old.id, endedAt: old.status.lastActivity)
    }
    let read = DismissedTurns(json: turns.json)
    #expect(read == turns)
    #expect(read.shows(try #require(session("s0", endedAgo: 5000)), at: Self.now))
    #expect(!read.shows(try #require(session("s1", endedAgo: 4999)), at: Self.now))
    for json: JSONValue in [
      [:], ["version": 2], ["version": 1, "dismissed": 3],
      ["version": 1, "dismissed": [["server": "x", "session": "a", "endedAt": 1]]],
    ] {
      #expect(DismissedTurns(json: json) == DismissedTurns())
    }
  }
}
