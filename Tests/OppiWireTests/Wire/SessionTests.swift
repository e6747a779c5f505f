// SPDX-License-Identifier: MIT

import OppiText
import OppiWire
import Testing

@Suite("Session")
struct SessionTests {
  @Test("a summary has the number of dialogs, and a UUID as its id")
  func summary() throws {
    let session = try #require(
      Session(json: [
        "id": "0b54c6f2-8f0e-4b1c-9a44-0f6f9a2c7d10", "status": "busy", "pendingAskCount": 2,
        "lastMessage": "done", "runtime": "oppi",
      ])
    )
    #expect(session.pendingCount == 2)
    #expect(session.lastMessage == "done")
    #expect(!session.isMirror)
  }

  @Test("the files of a terminal are no sessions")
  func importable() {
    let path = "/home/me/.pi/sessions/x.jsonl"
    #expect(Session(json: ["id": .string(path), "source": "tui", "status": "stopped"]) == nil)
    #expect(Session(json: ["id": "x", "source": "tui", "status": "stopped"]) == nil)
  }

  @Test("the session of a terminal is a mirror")
  func mirror() throws {
    #expect(try #require(Session(json: ["id": "s", "runtime": "pi-tui"])).isMirror)
    let kinds: [JSONValue] = ["oppi", "pi-tui", "acp", .null]
    let agents = kinds.map { Session(json: ["id": "s", "runtime": $0])?.isPi }
    #expect(agents == [true, true, false, nil])
  }

  @Test(
    "an unusable number of dialogs counts as none",
    arguments: [-1, "2", .null, .double(1.5)] as [JSONValue]
  )
  func count(value: JSONValue) throws {
    let session = try #require(Session(json: ["id": "s", "pendingAskCount": value]))
    #expect(session.pendingCount == 0)
  }

  @Test(
    "a cost is an amount from zero on; any other value is none",
    arguments: [
      (0, 0), (.double(0.25), 0.25), (3, 3), (-1, nil), (.double(-0.01), nil), ("1", nil),
      (.null, nil),
    ] as [(JSONValue, Double?)]
  )
  func cost(value: JSONValue, cost: Double?) throws {
    let session = try #require(Session(json: ["id": "s", "cost": value]))
    #expect(session.cost == cost)
  }

  @Test("changes are counted from zero on, and a session without any has none")
  func changes() throws {
    func changes(_ stats: JSONValue) -> Session.Changes? {
      Session(json: ["id": "s", "changeStats": stats])?.changes
    }
    #expect(
      changes(["filesChanged": 1, "addedLines": 2, "removedLines": 3])
        == Session.Changes(files: 1, addedLines: 2, removedLines: 3)
    )
    #expect(
      changes(["filesChanged": -1, "addedLines": -2, "removedLines": 3])
        == Session.Changes(files: 0, addedLines: 0, removedLines: 3)
    )
    #expect(changes(["filesChanged": 0, "addedLines": 0, "removedLines": -1]) == nil)
    #expect(changes([:]) == nil && changes(.null) == nil)
  }

  @Test("only a session without any message is empty, and only a running one is at work")
  func emptiness() throws {
    for (count, isEmpty) in [(0, true), (1, false)] {
      let json: JSONValue = ["id": "s", "messageCount": .integer(Int64(count))]
      #expect(try #require(Session(json: json)).isEmpty == isEmpty)
    }
    let words = ["starting", "ready", "busy", "stopping", "stopped", "error", "new"]
    #expect(words.filter { Session.Status($0).isAtWork } == ["busy", "stopping"])
  }
}
