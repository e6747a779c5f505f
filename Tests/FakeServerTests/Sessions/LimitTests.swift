// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Limits")
struct LimitTests {
  @Test("at the limit subscribe and create with a prompt are refused")
  func workspace() throws {
    try TestClient.run(.with { $0.limits.loadedSessionsPerWorkspace = 1 }) { client in
      let text = "Workspace session limit reached (1)"
      let (stream, first) = try await client.openSubscribed()
      let id = try await client.createSession()
      try await stream.send(["type": "subscribe", "sessionId": .string(id), "requestId": "s"])
      try await stream.prompt("hello", in: id)
      let answers = try await stream.read { $0["command"] == "prompt" }
      #expect(answers.types == ["command_result", "error", "command_result"])
      #expect(answers[0]["error"].string == text)
      #expect(answers[1]["code"] == "stream_not_subscribed_full")
      #expect(answers[2]["success"] == false)

      let created = try await client.call(
        "POST",
        client.sessionsPath,
        body: ["prompt": "hello"],
        expecting: 201
      )
      #expect(created["prompted"] == false)
      #expect(created["session"]["status"] == "starting")
      let detail = try await client.call("GET", client.sessionPath(id))
      #expect(detail["session"]["status"] == "starting")
      #expect(detail["trace"] == [])
      #expect(client.server.journal.runs.isEmpty)

      // A stopped session makes room for another one.
      try await client.call("POST", client.sessionPath(first, "/stop"))
      #expect(try await stream.subscribe(to: id).last?["success"] == true)
      let stopped = try await client.call("GET", client.sessionPath(first))["session"]
      #expect(stopped["status"] == "stopped")
    }
  }

  @Test(
    "an older server reports a limit as a fatal error and closes without a code",
    arguments: [
      ([0, 0, 0], 0, "Workspace session limit reached (3)", "SESSION_LIMIT_WORKSPACE"),
      ([0, 0, 0, 1, 1], 1, "Global session limit reached (5)", "SESSION_LIMIT_GLOBAL"),
    ]
  )
  func older(loaded: [Int], next: Int, text: String, code: String) throws {
    try TestClient.run(.with { $0.dialect = .perSession }) { client in
      let workspaces = client.server.configuration.workspaces
      func connect(_ index: Int) async throws -> (stream: TestStream, path: String) {
        let id = try await client.createSession(in: workspaces[index].id)
        let path = "/workspaces/\(workspaces[index].id)/sessions/\(id)"
        return (try await client.connect("\(path)/stream"), path)
      }
      var paths: [String] = []
      for index in loaded {
        let (stream, path) = try await connect(index)
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
