// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Refused prompts")
struct RefusalTests {
  @Test("a refused prompt is acknowledged and followed only by an error")
  func refuse() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("refuse", in: id)
      let events = try await stream.read(through: "command_result")
      #expect(events.types == ["turn_ack", "turn_ack", "error", "command_result"])
      #expect(events[2]["seq"] == 1)
      #expect(events[3]["success"] == true)
      let detail = try await client.call("GET", client.sessionPath(id))
      #expect(detail["session"]["status"] == "ready")
      #expect(detail["session"]["messageCount"] == 1)
      #expect(detail["session"]["lastMessage"] == "refuse")
      #expect(detail["trace"] == [])
      #expect(client.server.journal.runs.isEmpty)

      // Its id stays known, although it never runs.
      try await stream.prompt("refuse", in: id)
      let again = try await stream.read(through: "command_result")
      #expect(again.types == ["turn_ack", "command_result"])
      #expect(again[0]["duplicate"] == true)
      #expect(again[0]["stage"] == "dispatched")
      #expect(again[1]["success"] == true)
    }
  }

  @Test("a prompt that is refused at creation is reported to later subscribers")
  func refuseAtCreation() throws {
    try TestClient.run { client in
      let created = try await client.call(
        "POST",
        client.sessionsPath,
        body: ["prompt": "refuse"],
        expecting: 201
      )
      #expect(created["prompted"] == true)
      #expect(created["session"]["status"] == "ready")
      let id = try #require(created["session"]["id"].string)
      #expect(try await client.call("GET", client.sessionPath(id))["trace"] == [])
      let stream = try await client.openStream()
      let opening = try await stream.subscribe(to: id, ["sinceSeq": 0])
      #expect(opening.types == ["connected", "state", "error", "command_result"])
    }
  }

  @Test("older servers do not report a refusal", arguments: ["refuse", "refuse late"])
  func olderRefuse(prompt: String) throws {
    try TestClient.run(.with { $0.dialect = .perSession }) { client in
      let id = try await client.createSession()
      let stream = try await client.connect(client.sessionPath(id, "/stream"))
      try await stream.prompt(prompt, in: nil)
      try await stream.read(through: "command_result")
      try await stream.prompt("hello", in: nil, turn: "t2")
      #expect(try await stream.readRun().all("error").isEmpty)
      #expect(client.server.journal.runs.map(\.clientTurnID) == ["t2"])
    }
  }
}
