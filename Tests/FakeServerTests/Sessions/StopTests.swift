// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Stopping")
struct StopTests {
  @Test("a stop aborts the running tool, and the session is ready again")
  func stop() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("slow", in: id)
      try await stream.read(through: "tool_output")
      try await stream.send(["type": "stop", "sessionId": .string(id), "requestId": "st"])
      let events = try await stream.read { $0["session"]["status"] == "ready" }
      #expect(
        events.types == [
          "stop_requested", "state", "queue_state", "command_result", "tool_output", "tool_end",
          "state", "message_end", "state", "agent_end", "stop_confirmed", "state",
        ]
      )
      #expect(events[4]["output"] == "\n\nCommand aborted")
      #expect(events[5]["isError"] == true)
      #expect(events.filter { !RecordedShapes.fits($0) } == [])
      try await stream.prompt("hello", in: id, turn: "t2")
      try await stream.readRun()
    }
  }

  @Test("a stop ends the current message, and its text so far is saved")
  func partialMessage() throws {
    try TestClient.run(.with { $0.pace = .milliseconds(100) }) { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      let said = try await stream.read(through: "text_delta")
      try await stream.send(["type": "stop", "sessionId": .string(id)])
      let end = try await stream.read(through: "stop_confirmed")
      let deltas = (said + end).all("text_delta").compactMap { $0["delta"].string }
      let text = end.all("message_end")[0]["content"].string
      #expect(text == deltas.joined())
      let trace = try await client.call("GET", client.sessionPath(id))["trace"].array ?? []
      #expect(trace.types == ["user", "thinking", "assistant"])
      #expect(trace.last?["text"].string == text)
    }
  }

  @Test("a second stop reports an idle session and changes nothing")
  func twice() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("deploy", in: id)
      let request = try await stream.read(through: "permission_request").last
      try await stream.ask(["type": "stop", "sessionId": .string(id), "requestId": "1"])
      let second = try await stream.ask([
        "type": "stop", "sessionId": .string(id), "requestId": "2",
      ])
      #expect(second.types == ["stop_confirmed", "command_result"])
      #expect(second[0]["reason"] == "Session already idle")
      let session = try await client.call("GET", client.sessionPath(id))["session"]
      #expect(session["status"] == "stopping")
      // The decision completes the first stop.
      try await stream.send([
        "type": "permission_response", "id": request?["id"] ?? .null, "action": "deny",
      ])
      let end = try await stream.read { $0["session"]["status"] == "ready" }
      #expect(end.all("tool_output").map { $0["output"] } == ["Denied by user"])
      #expect(end.types.suffix(3) == ["agent_end", "stop_confirmed", "state"])
      #expect(end.all("stop_confirmed")[0]["reason"] == .null)
    }
  }

  @Test("an older server's stop cuts streams without a close frame")
  func olderServerStop() throws {
    try TestClient.run(.with { $0.dialect = .perSession }) { client in
      let id = try await client.createSession()
      let stream = try await client.connect(client.sessionPath(id, "/stream"))
      try await stream.read(through: "state")
      await client.server.stop()
      let error = await #expect(throws: (any Error).self) {
        while true { _ = try await stream.next() }
      }
      #expect(!(error is TestStream.Closed))
    }
  }
}
