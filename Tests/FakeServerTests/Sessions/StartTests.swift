// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import OppiWire
import Testing

@testable import OppiHost

@Suite("Starting")
struct StartTests {
  @Test("starts in one workspace run in turn, and other workspaces do not wait")
  func queue() throws {
    try TestClient.run(.spring { $0.agentStartDelay = .milliseconds(300) }) { client in
      let ids = [try await client.createSession(), try await client.createSession()]
      let other = try await client.createSession(in: 1)
      var streams: [TestStream] = []
      for id in ids + [other] {
        let stream = try await client.openStream(of: id)
        try await stream.send(["type": "subscribe", "requestId": "s"])
        streams.append(stream)
      }
      func statuses() async throws -> [JSONValue] {
        [try await client.session(ids[0])["status"], try await client.session(ids[1])["status"]]
      }
      try await streams[2].read(through: "command_result")
      #expect(try await statuses().last == "starting")
      try await streams[0].read(through: "command_result")
      #expect(try await statuses() == ["ready", "starting"])
      try await streams[1].read(through: "command_result")
      #expect(try await statuses() == ["ready", "ready"])
    }
  }

  @Test(
    "the first servers report a failed start, close without a code, and lose messages before it",
    arguments: [Duration.zero, .milliseconds(50)]
  )
  func failure(delay: Duration) throws {
    let configuration = FakeServer.Configuration.first {
      $0.startFailures[$0.workspaces[0].id] = "no agent here"
      $0.agentStartDelay = delay
    }
    try TestClient.run(configuration) { client in
      let stream = try await client.connectSession(client.createSession())
      if delay > .zero { try await stream.prompt("hello") }
      #expect(try await stream.next()["type"] == "connected")
      #expect(try await stream.next() == ["type": "error", "error": "no agent here"])
      await #expect(throws: TestStream.Closed(code: nil, reason: "")) { try await stream.next() }
      #expect(client.server.journal.runs.isEmpty)
    }
  }

  @Test("an unknown model is replaced by the default, which the workspace remembers")
  func unknownModel() throws {
    try TestClient.run { client in
      let created = try await client.launch(["model": "absent/model"])["session"]
      #expect(created["model"] == "absent/model")
      #expect(created["contextWindow"] == 200_000)
      let stream = try await client.openStream(of: created["id"].string ?? "")
      #expect(try await stream.subscribe()[0]["session"]["model"].string == Model.defaultID)
      #expect(try await client.launch([:])["session"]["model"].string == Model.defaultID)
      let answer = try await stream.ask([
        "type": "set_thinking_level", "level": "nonsense", "requestId": "t",
      ])
      #expect(answer.last?["data"] == ["level": "nonsense"])
    }
  }

  @Test("an older server's stop cuts streams without a close frame")
  func cut() throws {
    try TestClient.runSession(.first()) { client, stream in
      await client.server.stop()
      try await stream.readUntilCut()
    }
  }

  @Test("REST and the greeting show the saved state, other messages the current state")
  func lag() throws {
    try TestClient.runSession(.first { $0.restLag = .seconds(3600) }) { client, stream in
      try await stream.prompt("slow", untilFirst: "tool_output")
      let session = try await client.session(stream.id)
      #expect(session["status"] == "ready")
      #expect(session["messageCount"] == 0)
      // The trace is saved without delay.
      #expect(try await !client.trace(stream.id).isEmpty)
      let events = try await client.call("GET", client.sessionPath(stream.id, "/events"))
      #expect(events["session"]["status"] == "busy")
      let other = try await client.connectSession(stream.id)
      #expect(try await other.next()["session"]["status"] == "ready")
      #expect(try await other.next()["session"]["status"] == "busy")
      #expect(try await client.stop(stream.id)["status"] == "stopped")
    }
  }
}

@Suite("Limits")
struct LimitTests {
  @Test("at the limit subscribe and create with a prompt are refused")
  func workspace() throws {
    try TestClient.runSession(.spring { $0.limits.loadedSessionsPerWorkspace = 1 }) {
      client,
      first in
      let id = try await client.createSession()
      let stream = try await client.openStream(of: id)
      try await stream.send(["type": "subscribe", "requestId": "s"])
      try await stream.prompt("hello")
      let answers = try await stream.read { $0["command"] == "prompt" }
      #expect(answers.types == ["command_result", "error", "command_result"])
      #expect(answers.errors[0] == "Workspace session limit reached (1)")
      #expect(answers[1]["code"] == "stream_not_subscribed_full")
      #expect(answers[2]["success"] == false)
      let created = try await client.launch(["prompt": "hello"])
      #expect(created["prompted"] == false)
      #expect(created["session"]["status"] == "starting")
      #expect(try await client.session(id)["status"] == "starting")
      #expect(try await client.trace(id) == [])
      #expect(client.server.journal.runs.isEmpty)
      // A stopped session makes room for another one.
      #expect(try await client.stop(first.id)["status"] == "stopped")
      #expect(try await stream.subscribe().last?["success"] == true)
    }
  }

  @Test(
    "the first servers report a limit as a fatal error and close without a code",
    arguments: [
      ([0, 0, 0], 0, "Workspace session limit reached (3)", "SESSION_LIMIT_WORKSPACE"),
      ([0, 0, 0, 1, 1], 1, "Global session limit reached (5)", "SESSION_LIMIT_GLOBAL"),
    ]
  )
  func first(loaded: [Int], next: Int, text: String, code: String) throws {
    try TestClient.run(.first()) { client in
      func connect(_ workspace: Int) async throws -> (stream: TestStream, path: String) {
        let id = try await client.createSession(in: workspace)
        let path = "\(client.sessionsPath(workspace))/\(id)"
        return (try await client.connect("\(path)/stream"), path)
      }
      var paths: [String] = []
      for workspace in loaded {
        let (stream, path) = try await connect(workspace)
        try await stream.read(through: "state")
        paths.append(path)
      }
      let (stream, path) = try await connect(next)
      #expect(try await stream.next()["session"]["status"] == "starting")
      #expect(
        try await stream.next() == [
          "type": "error", "error": .string(text), "code": .string(code), "fatal": true,
        ]
      )
      await #expect(throws: TestStream.Closed(code: nil, reason: "")) { try await stream.next() }
      try await client.call("DELETE", paths[0])
      try await client.connect("\(path)/stream").read(through: "state")
    }
  }
}
