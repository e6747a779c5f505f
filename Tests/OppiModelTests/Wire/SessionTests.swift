// SPDX-License-Identifier: MIT

import OppiModel
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
}
