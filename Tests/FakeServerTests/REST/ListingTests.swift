// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Lists of sessions")
struct ListingTests {
  @Test("the conversation of a session is read without starting the agent")
  func reading() throws {
    try TestClient.runSockets { client in
      let (stream, id) = try await client.openSession()
      try await stream.prompt("hello", in: nil)
      try await stream.read(through: "agent_settled")
      try await client.call("POST", "/sessions/\(id)/stop")
      let all = ["user", "thinking", "assistant", "toolCall", "toolResult", "assistant"]
      let trace = try await client.call("GET", "/sessions/\(id)/trace")["trace"]
      #expect(trace.array?.types == all)
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
