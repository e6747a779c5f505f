// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Restarts")
struct RestartTests {
  private static var older: FakeServer.Configuration {
    var configuration = FakeServer.Configuration()
    configuration.dialect = .perSession
    return configuration
  }

  @Test("a crash cuts every connection, and a new server restores the saved state")
  func crash() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("slow", in: id)
      try await stream.read(through: "tool_output")
      let remains = await client.server.crash()
      try await stream.readUntilCut()
      await #expect(throws: (any Error).self) { try await client.exchange("GET", "/health") }

      let next = try client.restarted(from: remains)
      #expect(next.server.port == client.server.port)
      #expect(next.server.fingerprint == client.server.fingerprint)
      let detail = try await next.call("GET", client.sessionPath(id))
      #expect(detail["session"]["status"] == "stopped")
      #expect(detail["session"]["name"] == "test")
      #expect(detail["session"]["messageCount"] == 2)
      // The killed tool never gets a result.
      #expect(detail["trace"].array?.types == ["user", "thinking", "assistant", "toolCall"])
      await next.server.stop()
    }
  }

  @Test("a turn that is killed before its first message leaves only a message count")
  func killedAtOnce() throws {
    try TestClient.run(.with { $0.pace = .seconds(60) }) { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      try await stream.read(through: "message_end")
      #expect(try await client.call("GET", client.sessionPath(id))["trace"] == [])
      let next = try client.restarted(from: await client.server.crash())
      let detail = try await next.call("GET", client.sessionPath(id))
      #expect(detail["session"]["messageCount"] == 1)
      #expect(detail["session"]["lastMessage"] == "hello")
      #expect(detail["trace"] == [])

      // The turn is unknown now, and its sequence number is used again.
      let other = try await next.openStream()
      let opening = try await other.subscribe(to: id, ["sinceSeq": 2])
      #expect(opening.types == ["connected", "state", "command_result"])
      #expect(opening[1]["session"]["status"] == "ready")
      #expect(opening[2]["data"]["currentSeq"] == 0)
      #expect(opening[2]["data"]["catchUpComplete"] == true)
      try await other.prompt("hello", in: id)
      let events = try await other.readRun()
      #expect(events[0]["stage"] == "accepted")
      #expect(events.all("agent_start")[0]["seq"] == 1)
      let trace = try await next.call("GET", client.sessionPath(id))["trace"].array
      #expect(trace?.first?["text"] == "hello")
      #expect(trace?.types.filter { $0 == "user" }.count == 1)
      await next.server.stop()
    }
  }

  @Test("after a crash an older server shows the saved status until the session starts")
  func olderCrash() throws {
    try TestClient.run(Self.older) { client in
      let (stream, id) = try await client.openSession()
      try await stream.prompt("slow", in: nil)
      try await stream.read(through: "tool_output")
      let remains = await client.server.crash()
      try await stream.readUntilCut()

      let next = try client.restarted(Self.older, from: remains)
      let list = try await next.call("GET", client.sessionsPath)["sessions"].array
      #expect(list?.map { $0["status"] } == ["busy"])
      let events = try await next.call(
        "GET",
        client.sessionPath(id, "/events?since=0"),
        expecting: 404
      )
      #expect(events == ["error": "Session not active"])
      let other = try await next.connect(client.sessionPath(id, "/stream"))
      #expect(try await other.next()["session"]["status"] == "busy")
      #expect(try await other.next()["session"]["status"] == "ready")
      let stopped = try await next.call("POST", client.sessionPath(id, "/stop"))
      #expect(stopped["session"]["status"] == "stopped")
      await next.server.stop()
    }
  }
}
