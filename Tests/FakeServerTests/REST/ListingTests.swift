// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Lists of sessions")
struct ListingTests {
  struct Case: Sendable {
    let query: String
    let error: String
  }

  @Test(
    "the list of a workspace needs a status, and a range for stopped sessions",
    arguments: [
      Case(query: "", error: "status is required"),
      Case(query: "?status=busy", error: "status must include only 'active' and/or 'stopped'"),
      Case(
        query: "?status=active,stopped&sinceMs=1",
        error: "sinceMs and untilMs are required when status includes stopped"
      ),
    ]
  )
  func invalid(_ given: Case) throws {
    try TestClient.runSockets { client in
      let path = client.sessionsPath + given.query
      let answer = try await client.call("GET", path, expecting: 400)
      #expect(answer["error"].string == given.error)
    }
  }

  @Test("the list of a workspace separates active and stopped sessions")
  func byStatus() throws {
    try TestClient.runSockets { client in
      let active = try await client.createSession()
      let stopped = try await client.createSession()
      try await client.call("POST", "/sessions/\(stopped)/stop")
      let range = "sinceMs=0&untilMs=9000000000000"
      let both = try await client.call(
        "GET",
        "\(client.sessionsPath)?status=active,stopped&\(range)"
      )
      #expect(both["active"].array?.map { $0["id"].string } == [active])
      #expect(both["stopped"].array?.map { $0["id"].string } == [stopped])
      let one = try await client.call("GET", "\(client.sessionsPath)?status=active")
      #expect(one["stopped"] == .null)

      let workspaces = try await client.call("GET", "/workspaces")
      let counts = workspaces["summaries"].array ?? []
      #expect(counts.map { $0["activeCount"] } == [1, 0])
      #expect(counts.map { $0["stoppedCount"] } == [1, 0])
      #expect(workspaces["workspaces"].array?.allSatisfy { $0["skills"] == .null } == true)
    }
  }

  @Test("a conversation is read whole or in part, without starting the agent")
  func reading() throws {
    try TestClient.runSockets { client in
      let (stream, id) = try await client.openSession()
      try await stream.prompt("hello", in: nil)
      try await stream.read(through: "agent_settled")
      try await client.call("POST", "/sessions/\(id)/stop")
      func types(_ rest: String) async throws -> [String]? {
        try await client.call("GET", "/sessions/\(id)/\(rest)")["trace"].array?.types
      }
      let all = ["user", "thinking", "assistant", "toolCall", "toolResult", "assistant"]
      #expect(try await types("trace") == all)
      #expect(try await types("read?tail=2") == ["toolResult", "assistant"])
      #expect(try await types("trace?include=messages&tail=2") == ["assistant", "assistant"])
      #expect(
        try await types("trace?include=tools,thinking") == ["thinking", "toolCall", "toolResult"]
      )
      #expect(try await types("trace?tail=0") == [])
      try await client.call("GET", "/sessions/\(id)/trace?include=gossip", expecting: 400)
      try await client.call("GET", "/sessions/\(id)/trace?tail=-1", expecting: 400)
      #expect(try await client.call("GET", "/sessions/\(id)")["trace"] == .null)
      #expect(try await client.call("GET", client.sessionPath(id))["trace"].array?.types == all)
      #expect(try await client.call("GET", "/sessions/\(id)")["session"]["status"] == "stopped")
      let other = client.server.configuration.workspaces[1].id
      let path = "/workspaces/\(other)/sessions/\(id)"
      let wrong = try await client.call("GET", path, expecting: 400)
      #expect(wrong == ["error": "Session does not belong to this workspace"])
      let missing = try await client.call("GET", "/sessions/unknown/trace", expecting: 404)
      #expect(missing == ["error": "Session not found"])
    }
  }

  @Test("the output of a call is whole only while the agent is loaded")
  func output() throws {
    try TestClient.runSockets { client in
      let (stream, id) = try await client.openSession()
      try await stream.prompt("hello", in: nil)
      let call = try await stream.read(through: "tool_end").last?["toolCallId"].string ?? ""
      try await stream.read(through: "agent_settled")
      let path = client.sessionPath(id, "/tool-output/\(call)")
      #expect(try await client.call("GET", "\(path)?full=true")["output"] == "hi\n")
      try await client.call("POST", "/sessions/\(id)/stop")
      try await client.call("GET", "\(path)?full=true", expecting: 404)
      #expect(try await client.call("GET", path)["output"] == "hi\n")
    }
  }
}
