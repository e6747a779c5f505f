// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import TestSupport
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("The default turn")
struct DefaultTurnTests {
  @Test("the multiplexed stream has the recorded events in order")
  func multiplexed() throws {
    try TestClient.run { client in
      let id = try await client.createSession()
      let stream = try await client.openStream()
      let opening = try await stream.subscribe(to: id)
      #expect(opening.types == ["connected", "state", "command_result"])
      #expect(opening[0]["session"]["status"] == "ready")
      #expect(
        opening[2]["data"]
          == ["sessionId": .string(id), "level": "full", "currentSeq": 0, "catchUpComplete": true]
      )

      try await stream.prompt("hello there", in: id)
      let events = try await stream.readRun()
      #expect(
        events.types == [
          "turn_ack", "turn_ack", "command_result", "agent_start", "turn_ack", "state",
          "message_end", "state", "thinking_delta", "thinking_delta", "thinking_delta",
          "text_delta", "text_delta", "tool_start", "tool_start", "tool_start", "tool_start",
          "message_end", "state", "tool_start", "state", "tool_output", "tool_end", "state",
          "text_delta", "text_delta", "message_end", "state", "agent_end", "state",
        ]
      )
      #expect(events.allSatisfy { $0["sessionId"].string == id })
      #expect(events.all("turn_ack").map { $0["stage"] } == ["accepted", "dispatched", "started"])
      #expect(events.compactMap { $0["seq"].int } == Array(1...11))
      #expect(events.last?["session"]["status"] == "ready")
      #expect(events.last?["session"]["messageCount"] == 4)
      #expect((opening + events).filter { !RecordedShapes.fits($0) } == [])
    }
  }

  @Test("a session's own stream has the recorded events of older servers")
  func perSession() throws {
    try TestClient.run(.with { $0.dialect = .perSession }) { client in
      let id = try await client.createSession()
      let stream = try await client.connect(client.sessionPath(id, "/stream"))
      let opening = [try await stream.next(), try await stream.next()]
      #expect(opening.types == ["connected", "state"])
      #expect(opening.map { $0["session"]["status"] } == ["starting", "ready"])

      try await stream.prompt("hello there", in: nil)
      let events = try await stream.readRun()
      #expect(
        events.types == [
          "turn_ack", "turn_ack", "command_result", "agent_start", "turn_ack", "state",
          "turn_start", "message_end", "state", "thinking_delta", "thinking_delta",
          "thinking_delta", "text_delta", "text_delta", "message_end", "state", "tool_start",
          "state", "tool_output", "tool_end", "state", "turn_end", "turn_start", "text_delta",
          "text_delta", "message_end", "state", "turn_end", "agent_end", "state",
        ]
      )
      #expect(events.allSatisfy { $0["sessionId"] == .null })
      #expect(events.last?["session"]["tokens"].object?.map(\.key).sorted() == ["input", "output"])
      #expect((opening + events).filter { !RecordedShapes.fits($0) } == [])
    }
  }
}
