// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import OppiTransport
import TestSupport
import Testing

@Suite("Subscriptions")
struct SubscriptionTests {
  @Test("missed events are replayed unless they were dropped")
  func catchUp() throws {
    try TestClient.runSession(.spring { $0.limits.eventRing = 4 }) { client, stream in
      try await stream.prompt("hello")
      try await stream.readRun()
      let other = try await client.openStream(of: stream.id)
      let replay = try await other.subscribe(["sinceSeq": 9])
      #expect(
        replay.types == ["connected", "state", "message_end", "agent_end", "command_result"]
      )
      #expect(replay.compactMap { $0["seq"].int } == [10, 11])
      #expect(replay.last?["data"]["catchUpComplete"] == true)
      let gone = try await other.subscribe(["sinceSeq": 2])
      #expect(gone.types == ["connected", "state", "command_result"])
      #expect(gone.last?["data"]["catchUpComplete"] == false)
      let ahead = try await other.subscribe(["sinceSeq": 99_999])
      #expect(ahead.last?["data"]["catchUpComplete"] == true)
      #expect(ahead.last?["data"]["currentSeq"] == 11)
    }
  }

  @Test("a repeated subscribe does nothing, and hides that the session ended")
  func repeated() throws {
    try TestClient.runSession { client, stream in
      let again = try await stream.subscribe()
      #expect(again.types == ["command_result"])
      #expect(again[0]["data"]["deduplicated"] == true)
      try await client.stop(stream.id)
      #expect(try await stream.read(through: "session_ended").last?["reason"] == "stopped")
      #expect(try await stream.subscribe()[0]["data"]["deduplicated"] == true)
      try await stream.prompt("hello")
      #expect(try await stream.next()["error"].string == "Session not active: \(stream.id)")
      let gone = try await stream.ask(["type": "unsubscribe"])
      #expect(gone.last?["data"] == ["sessionId": .string(stream.id)])
      #expect(try await stream.subscribe().types.first == "connected")
    }
  }

  @Test("a notification subscriber gets only the start, the states and the end of a run")
  func notifications() throws {
    try TestClient.runSession { client, stream in
      let watcher = try await client.openStream(of: stream.id)
      let opening = try await watcher.subscribe(["level": "notifications"])
      #expect(opening.types == ["state", "command_result"])
      try await stream.prompt("hello")
      #expect(try await Set(watcher.readRun().types) == ["agent_start", "state", "agent_end"])
    }
  }

  @Test("an unloaded session sends its subscribers nothing, even after it is loaded")
  func unloaded() throws {
    try TestClient.run { client in
      let id = try await client.createSession()
      let watcher = try await client.openStream(of: id)
      try await watcher.subscribe(["level": "notifications"])
      let stream = try await client.openSession(id)
      try await stream.prompt("hello")
      try await stream.readRun()
      #expect(try await watcher.ask(["type": "unsubscribe"]).types == ["command_result"])
    }
  }

  @Test("the thirty-first subscribe within five seconds is refused")
  func rateLimit() throws {
    try TestClient.runSession { _, stream in
      for _ in 2...30 {
        let answer = try await stream.subscribe().last
        #expect(answer?["success"] == true)
      }
      let refused = try await stream.subscribe()
      #expect(refused.errors == ["Subscribe rate limit exceeded — try again later"])
    }
  }

  @Test("a message requires a full subscription on the same stream")
  func notSubscribed() throws {
    try TestClient.runSession { client, subscribed in
      let stream = try await client.openStream(of: subscribed.id)
      try await stream.prompt("hello")
      let text = JSONValue.string("Session \(stream.id) is not subscribed at level=full")
      #expect(
        try await stream.next() == [
          "type": "error", "error": text, "code": "stream_not_subscribed_full",
          "sessionId": .string(stream.id),
        ]
      )
      let answer = try await stream.next()
      #expect(answer["command"] == "prompt")
      #expect(answer["error"] == text)
    }
  }
}

@Suite("Messages over a stream")
struct StreamMessageTests {
  @Test(
    "an invalid message gets an error",
    arguments: [
      ("not json", "Invalid JSON payload"),
      ("[1,2]", "Message payload must be a JSON object"),
      ("{\"type\":5}", "Message type is required"),
      ("{\"requestId\":\"q\"}", "Message type is required"),
      ("{\"type\":\"prompt\"}", "sessionId is required for prompt on /stream"),
      ("{\"type\":\"prompt\",\"sessionId\":\"nope\"}", "Session not found: nope"),
      ("{\"type\":\"permission_response\",\"id\":\"x\"}", "Permission request not found: x"),
    ]
  )
  func protocolErrors(text: String, error: String) throws {
    try TestClient.run { client in
      let stream = try await client.openStream()
      try await stream.socket.send([text], until: .farOff)
      #expect(try await stream.next() == ["type": "error", "error": .string(error)])
      #expect(client.server.journal.messages.map(\.text) == [text])
    }
  }

  @Test("a session's own stream sends the errors of the first servers")
  func firstErrors() throws {
    try TestClient.runSession(.first()) { _, stream in
      // The first message gets no answer.
      try await stream.send(["type": "frobnicate", "requestId": "f"], ["type": "subscribe"])
      #expect(
        try await stream.next()["error"]
          == "Stream subscriptions are only supported on /stream (received subscribe)"
      )
    }
  }

  @Test(
    "a wrong message is refused with the server's message",
    arguments: [
      (["type": "frobnicate"], "Unsupported command type: frobnicate"),
      (["type": "set_model", "model": "nope/x"], "Unknown model: nope/x"),
      (["type": "steer", "message": "x"], "Steer requires an active streaming turn"),
      (["type": "follow_up", "message": "x"], "Follow-up requires an active streaming turn"),
    ] as [(JSONObject, String)]
  )
  func refusals(message: JSONObject, text: String) throws {
    try TestClient.runSession { _, stream in
      let answer = try await stream.ask(message.adding(["requestId": "r"]))
      #expect(answer.count == 1)
      #expect(answer[0]["success"] == false)
      #expect(answer[0]["error"].string == text)
    }
  }

  @Test(
    "a changed setting is confirmed to all subscribers, followed by the new state",
    arguments: [
      (["type": "set_thinking_level", "level": "high"], "thinkingLevel", ["level": "high"]),
      (["type": "set_session_name", "name": "renamed"], "name", ["name": "renamed"]),
      (
        ["type": "set_model", "model": "openrouter/z.ai/glm-5"], "model",
        ["success": true, "provider": "openrouter", "id": "z.ai/glm-5", "name": "GLM 5"]
      ),
    ] as [(JSONObject, String, JSONValue)]
  )
  func settings(message: JSONObject, member: String, data: JSONValue) throws {
    try TestClient.runSession { client, stream in
      let watcher = try await client.openSession(stream.id)
      try await stream.send(message.adding(["requestId": "r"]))
      for stream in [stream, watcher] {
        let events = try await stream.read(through: "state")
        #expect(events.types == ["command_result", "state"])
        #expect(events[0]["data"] == data)
        #expect(events[0]["requestId"] == "r")
        #expect(events[1]["session"][member] == message.last?.value)
      }
    }
  }
}
