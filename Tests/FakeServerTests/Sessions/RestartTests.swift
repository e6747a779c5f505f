// SPDX-License-Identifier: MIT

import HostTestSupport
import OppiText
import Testing

@testable import FakeServer

@Suite("Restarts")
struct RestartTests {
  @Test("the port of a stopped server stays closed while thousands of others start")
  func ports() {
    let ports = (0..<1000).map { _ in FakeServer.nextPort() }
    #expect(Set(ports).count == 1000)
    #expect(ports.allSatisfy { (20_000..<32_000).contains($0) })
  }

  @Test("a crash cuts every connection, and a new server restores the saved state")
  func crash() throws {
    try TestClient.runSession { client, stream in
      try await stream.prompt("slow", untilFirst: "tool_output")
      let remains = await client.server.crash()
      try await stream.readUntilCut()
      await #expect(throws: (any Error).self) { try await client.exchange("GET", "/health") }

      let next = try client.restarted(from: remains)
      #expect(next.server.port == client.server.port)
      #expect(next.server.fingerprint == client.server.fingerprint)
      let session = try await next.session(stream.id)
      #expect(session["status"] == "stopped")
      #expect(session["name"] == "test")
      #expect(session["messageCount"] == 2)
      // The killed tool never gets a result.
      #expect(
        try await next.trace(stream.id).types == ["user", "thinking", "assistant", "toolCall"]
      )
      await next.server.stop()
    }
  }

  @Test("a turn that is killed before its first message leaves only a message count")
  func killedAtOnce() throws {
    try TestClient.runSession(.spring { $0.pace = .seconds(60) }) { client, stream in
      try await stream.prompt("hello", untilFirst: "message_end")
      #expect(try await client.trace(stream.id) == [])
      let next = try client.restarted(.spring(), from: await client.server.crash())
      let session = try await next.session(stream.id)
      #expect(session["messageCount"] == 1)
      #expect(session["lastMessage"] == "hello")
      #expect(try await next.trace(stream.id) == [])

      // The turn is unknown now, and its sequence number is used again.
      let other = try await next.openStream(of: stream.id)
      let opening = try await other.subscribe(["sinceSeq": 2])
      #expect(opening.types == ["connected", "state", "command_result"])
      #expect(opening[1]["session"]["status"] == "ready")
      #expect(opening[2]["data"]["currentSeq"] == 0)
      #expect(opening[2]["data"]["catchUpComplete"] == true)
      try await other.prompt("hello")
      let events = try await other.readRun()
      #expect(events[0]["stage"] == "accepted")
      #expect(events.all("agent_start")[0]["seq"] == 1)
      let trace = try await next.trace(stream.id)
      #expect(trace.first?["text"] == "hello")
      #expect(trace.all("user").count == 1)
      await next.server.stop()
    }
  }
}
