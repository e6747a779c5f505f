// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import Testing

@Suite("Turns of older servers")
struct OlderTurnTests {
  @Test("the multiplexed stream has the recorded events in order")
  func multiplexed() throws {
    try TestClient.run { client in
      let id = try await client.createSession()
      let stream = try await client.openStream(of: id)
      let opening = try await stream.subscribe()
      #expect(opening.types == ["connected", "state", "command_result"])
      #expect(opening[0]["session"]["status"] == "ready")
      #expect(
        opening[2]["data"]
          == ["sessionId": .string(id), "level": "full", "currentSeq": 0, "catchUpComplete": true]
      )
      try await stream.prompt("hello there")
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
      #expect((opening + events).unknown == [])
    }
  }

  @Test("a session's own stream has the recorded events of the first servers")
  func perSession() throws {
    try TestClient.run(.first()) { client in
      let stream = try await client.connectSession(client.createSession())
      let opening = [try await stream.next(), try await stream.next()]
      #expect(opening.types == ["connected", "state"])
      #expect(opening.map { $0["session"]["status"] } == ["starting", "ready"])
      try await stream.prompt("hello there")
      let events = try await stream.readRun()
      #expect(
        events.types == [
          "turn_ack", "turn_ack", "command_result", "agent_start", "turn_ack", "state",
          "message_end", "state", "thinking_delta", "thinking_delta", "thinking_delta",
          "text_delta", "text_delta", "message_end", "state", "tool_start", "state",
          "tool_output", "tool_end", "state", "text_delta", "text_delta", "message_end", "state",
          "agent_end", "state",
        ]
      )
      #expect(events.allSatisfy { $0["sessionId"] == .null })
      #expect((opening + events).unknown == [])
    }
  }

  // MARK: - Repeats

  @Test("a repeated turn is recognised on any stream, and does not run")
  func duplicate() throws {
    try TestClient.runSession { client, stream in
      try await stream.prompt("hello")
      try await stream.readRun()
      let answers = try await client.openSession(stream.id).submit("hello")
      #expect(answers.types == ["turn_ack", "command_result"])
      #expect(answers[0]["duplicate"] == true)
      #expect(answers[0]["stage"] == "started")
      #expect(answers[1]["success"] == true)
      #expect(try await client.session(stream.id)["messageCount"] == 4)
      // A stopped session forgets its turns.
      try await client.stop(stream.id)
      let other = try await client.openStream(of: stream.id)
      #expect(try await other.subscribe().last?["data"]["currentSeq"] == 0)
      #expect(try await other.submit("hello")[0]["stage"] == "accepted")
    }
  }

  // MARK: - Refusals

  @Test("on older servers a refused prompt is acknowledged and followed only by an error")
  func refusedLater() throws {
    try TestClient.runSession { client, stream in
      let events = try await stream.submit("refuse")
      #expect(events.types == ["turn_ack", "turn_ack", "error", "command_result"])
      #expect(events[2]["seq"] == 1)
      #expect(events[3]["success"] == true)
      let session = try await client.session(stream.id)
      #expect(session["status"] == "ready")
      #expect(session["messageCount"] == 1)
      #expect(session["lastMessage"] == "refuse")
      #expect(try await client.trace(stream.id) == [])
      #expect(client.server.journal.runs.isEmpty)
      // Its id stays known, although it never runs.
      let again = try await stream.submit("refuse")
      #expect(again.types == ["turn_ack", "command_result"])
      #expect(again[0]["duplicate"] == true)
      #expect(again[0]["stage"] == "dispatched")
      #expect(again[1]["success"] == true)
    }
  }

  @Test("the first servers do not report a refusal", arguments: ["refuse", "refuse late"])
  func unreported(prompt: String) throws {
    try TestClient.runSession(.first()) { client, stream in
      try await stream.submit(prompt)
      try await stream.prompt("hello", turn: "t2")
      #expect(try await stream.readRun().all("error").isEmpty)
      #expect(client.server.journal.runs.map(\.clientTurnID) == ["t2"])
    }
  }

  @Test("a prompt that is refused at creation is reported to later subscribers")
  func refusedAtCreation() throws {
    try TestClient.run { client in
      let created = try await client.launch(["prompt": "refuse"])
      #expect(created["prompted"] == true)
      #expect(created["session"]["status"] == "ready")
      let id = try #require(created["session"]["id"].string)
      #expect(try await client.trace(id) == [])
      let opening = try await client.openStream(of: id).subscribe(["sinceSeq": 0])
      #expect(opening.types == ["connected", "state", "error", "command_result"])
    }
  }

  // MARK: - Retries

  @Test("a retry ends the run and starts another one")
  func retry() throws {
    try TestClient.runSession { _, stream in
      try await stream.prompt("retry")
      let events = try await stream.readRun() + stream.readRun()
      let landmarks = events.types.filter {
        ["error", "agent_start", "agent_end", "retry_start", "retry_end"].contains($0)
      }
      #expect(
        landmarks == [
          "agent_start", "error", "agent_end", "retry_start", "agent_start", "retry_end",
          "agent_end",
        ]
      )
      #expect(events.unknown == [])
    }
  }

  @Test("a stop during the pause reports an idle session, and the retry continues")
  func stoppedPause() throws {
    try TestClient.runSession(.spring { $0.retryDelay = .milliseconds(300) }) { _, stream in
      try await stream.prompt("retry")
      let events = try await stream.read(through: "retry_start")
      #expect(events.types.suffix(3) == ["agent_end", "state", "retry_start"])
      let answer = try await stream.ask(["type": "stop", "requestId": "st"])
      #expect(answer.types == ["stop_confirmed", "command_result"])
      #expect(answer[0]["reason"] == "Session already idle")
      let rest = try await stream.readRun()
      #expect(rest.types.prefix(2) == ["agent_start", "state"])
      #expect(rest.all("retry_end").map { $0["success"] } == [true])
    }
  }
}
