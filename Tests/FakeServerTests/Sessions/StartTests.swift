// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Starting")
struct StartTests {
  private typealias Configuration = FakeServer.Configuration

  private static func configuration(
    isOlder: Bool = false,
    _ change: (inout Configuration) -> Void
  ) -> Configuration {
    var configuration = Configuration()
    if isOlder { configuration.dialect = .perSession }
    change(&configuration)
    return configuration
  }

  @Test("starts in one workspace run in turn, and other workspaces do not wait")
  func queue() throws {
    let configuration = Self.configuration {
      $0.agentStartDelay = .milliseconds(300)
    }
    try TestClient.run(configuration) { client in
      let workspaces = client.server.configuration.workspaces
      let ids = [try await client.createSession(), try await client.createSession()]
      let other = try await client.createSession(in: workspaces[1].id)
      var streams: [TestStream] = []
      for id in ids + [other] {
        let stream = try await client.openStream()
        try await stream.send(["type": "subscribe", "sessionId": .string(id), "requestId": "s"])
        streams.append(stream)
      }
      try await streams[2].read(through: "command_result")
      func statuses() async throws -> [JSONValue] {
        var statuses: [JSONValue] = []
        for id in ids {
          let session = try await client.call("GET", client.sessionPath(id))["session"]
          statuses.append(session["status"])
        }
        return statuses
      }
      #expect(try await statuses().last == "starting")
      try await streams[0].read(through: "command_result")
      #expect(try await statuses() == ["ready", "starting"])
      try await streams[1].read(through: "command_result")
      #expect(try await statuses() == ["ready", "ready"])
    }
  }

  @Test("messages to an older server before a failed start are lost")
  func olderLoss() throws {
    let configuration = Self.configuration(isOlder: true) {
      $0.startFailures[$0.workspaces[0].id] = "no agent here"
      $0.agentStartDelay = .milliseconds(50)
    }
    try TestClient.run(configuration) { client in
      let id = try await client.createSession()
      let stream = try await client.connect(client.sessionPath(id, "/stream"))
      try await stream.prompt("hello", in: nil)
      #expect(try await stream.next()["type"] == "connected")
      #expect(try await stream.next() == ["type": "error", "error": "no agent here"])
      await #expect(throws: TestStream.Closed(code: nil, reason: "")) { try await stream.next() }
      #expect(client.server.journal.runs.isEmpty)
    }
  }

  @Test("an unknown model is replaced by the default, which the workspace remembers")
  func unknownModel() throws {
    try TestClient.run { client in
      let created = try await client.call(
        "POST",
        client.sessionsPath,
        body: ["model": "absent/model"],
        expecting: 201
      )["session"]
      #expect(created["model"] == "absent/model")
      #expect(created["contextWindow"] == 200_000)
      let id = try #require(created["id"].string)
      let stream = try await client.openStream()
      let opening = try await stream.subscribe(to: id)
      #expect(opening[0]["session"]["model"].string == Model.defaultID)
      let next = try await client.call("POST", client.sessionsPath, body: [:], expecting: 201)
      #expect(next["session"]["model"].string == Model.defaultID)
      let answer = try await stream.ask([
        "type": "set_thinking_level", "sessionId": .string(id), "level": "nonsense",
        "requestId": "t",
      ])
      #expect(answer.last?["data"] == ["level": "nonsense"])
    }
  }
}
