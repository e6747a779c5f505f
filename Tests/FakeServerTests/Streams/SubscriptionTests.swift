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
}
