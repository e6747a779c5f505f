// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import FakeServer
@testable import OppiHost

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

  @Test("a session's own stream sends the errors of older servers")
  func olderErrors() throws {
    try TestClient.run(.with { $0.dialect = .perSession }) { client in
      let id = try await client.createSession()
      let stream = try await client.connect(client.sessionPath(id, "/stream"))
      try await stream.read(through: "state")
      // The first message gets no answer.
      try await stream.send(["type": "frobnicate", "requestId": "f"], ["type": "subscribe"])
      #expect(
        try await stream.next()["error"]
          == "Stream subscriptions are only supported on /stream (received subscribe)"
      )
    }
  }

  @Test("a message requires a full subscription on the same stream")
  func notSubscribed() throws {
    try TestClient.run { client in
      let (_, id) = try await client.openSubscribed()
      let stream = try await client.openStream()
      try await stream.prompt("hello", in: id)
      let text = JSONValue.string("Session \(id) is not subscribed at level=full")
      #expect(
        try await stream.next() == [
          "type": "error", "error": text, "code": "stream_not_subscribed_full",
          "sessionId": .string(id),
        ]
      )
      let answer = try await stream.next()
      #expect(answer["command"] == "prompt")
      #expect(answer["error"] == text)
    }
  }

  struct Setting: Sendable {
    let message: JSONObject
    let data: JSONValue
    let member: String
    let value: JSONValue
  }

  @Test(
    "a changed setting is confirmed to all subscribers, followed by the new state",
    arguments: [
      Setting(
        message: ["type": "set_thinking_level", "level": "high"],
        data: ["level": "high"],
        member: "thinkingLevel",
        value: "high"
      ),
      Setting(
        message: ["type": "set_session_name", "name": "renamed"],
        data: ["name": "renamed"],
        member: "name",
        value: "renamed"
      ),
      Setting(
        message: ["type": "set_model", "model": "openrouter/z.ai/glm-5"],
        data: ["success": true, "provider": "openrouter", "id": "z.ai/glm-5", "name": "GLM 5"],
        member: "model",
        value: "openrouter/z.ai/glm-5"
      ),
    ]
  )
  func settings(_ setting: Setting) throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      let watcher = try await client.openStream()
      try await watcher.subscribe(to: id)
      let envelope: JSONObject = ["sessionId": .string(id), "requestId": "r"]
      try await stream.send(.object(setting.message.adding(envelope)))
      for stream in [stream, watcher] {
        let events = try await stream.read(through: "state")
        #expect(events.types == ["command_result", "state"])
        #expect(events[0]["data"] == setting.data)
        #expect(events[0]["requestId"] == "r")
        #expect(events[1]["session"][setting.member] == setting.value)
      }
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
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      let envelope: JSONObject = ["sessionId": .string(id), "requestId": "r"]
      let answer = try await stream.ask(.object(message.adding(envelope)))
      #expect(answer.count == 1)
      #expect(answer[0]["success"] == false)
      #expect(answer[0]["error"].string == text)
    }
  }
}
