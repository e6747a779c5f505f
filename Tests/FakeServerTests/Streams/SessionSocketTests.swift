// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Session sockets")
struct SessionSocketTests {
  @Test("an opened socket has the events of the start, and then those of a turn in order")
  func turn() throws {
    try TestClient.runSockets { client in
      let id = try await client.createSession()
      #expect(id.utf8.count == 36)
      let stream = try await client.connect(client.sessionPath(id, "/stream"))
      let opening = try await stream.read(through: "state")
      #expect(opening.types == ["stream_connected", "connected", "state"])
      #expect(opening[0]["sessionId"] == .null)
      #expect(opening[0]["serverDictationAvailable"] == false)
      #expect(opening[1]["currentSeq"] == 0)
      #expect(opening[1]["session"]["status"] == "ready")

      try await stream.prompt("hello there", in: nil)
      let events = try await stream.read(through: "agent_settled")
      #expect(
        events.types == [
          "turn_ack", "turn_ack", "command_result", "agent_start", "turn_ack", "session_summary",
          "message_end", "thinking_delta", "thinking_delta", "thinking_delta", "text_delta",
          "text_delta", "tool_start", "tool_update", "tool_update", "message_end", "state",
          "tool_output", "tool_end", "text_delta", "text_delta", "message_end", "state",
          "agent_end", "session_summary", "agent_settled",
        ]
      )
      #expect((opening.dropFirst() + events).allSatisfy { $0["sessionId"].string == id })
      #expect(events.compactMap { $0["seq"].int } == Array(1...8))
      let summaries = events.all("session_summary").map { $0["summary"] }
      #expect(summaries.map { $0["status"] } == ["busy", "ready"])
      #expect(summaries.map { $0["pendingAskCount"] } == [0, 0])
      #expect(summaries[0]["currentTurnStartedAt"] != .null)
      #expect(summaries[1]["currentTurnStartedAt"] == .null)
      #expect(events.all("tool_update").last?["args"] == ["command": "echo hi"])
    }
  }

  @Test("frames that arrive before the state are lost without an error")
  func deaf() throws {
    try TestClient.runSockets(.sockets { $0.agentStartDelay = .milliseconds(50) }) { client in
      let id = try await client.createSession()
      let stream = try await client.connect(client.sessionPath(id, "/stream"))
      #expect(try await stream.next()["type"] == "stream_connected")
      try await stream.prompt("lost", in: nil)
      #expect(try await stream.read(through: "state").types == ["connected", "state"])
      try await stream.prompt("heard", in: nil, turn: "t2")
      let events = try await stream.read(through: "agent_end")
      #expect(events.all("turn_ack").allSatisfy { $0["clientTurnId"] == "t2" })
      #expect(client.server.journal.runs.map(\.clientTurnID) == ["t2"])
      #expect(client.server.journal.messages.count == 2)
    }
  }

  @Test("a missing session is refused after the upgrade", arguments: [true, false])
  func missing(isElsewhere: Bool) throws {
    try TestClient.runSockets { client in
      let id = isElsewhere ? try await client.createSession() : "nobody"
      let workspace = client.server.configuration.workspaces[isElsewhere ? 1 : 0].id
      let stream = try await client.connect("/workspaces/\(workspace)/sessions/\(id)/stream")
      await #expect(throws: TestStream.Closed(code: 1008, reason: "Session not found")) {
        try await stream.next()
      }
    }
  }

  @Test("a failed start is reported before the socket is closed")
  func failedStart() throws {
    try TestClient.runSockets(.sockets { $0.startFailures[$0.workspaces[0].id] = "no agent here" })
    { client in
      let id = try await client.createSession()
      let stream = try await client.connect(client.sessionPath(id, "/stream"))
      let events = try await stream.read(through: "error")
      #expect(events.types == ["stream_connected", "error"])
      #expect(events[1]["error"] == "no agent here")
      let end = TestStream.Closed(code: 1011, reason: "Session stream setup failed")
      await #expect(throws: end) { try await stream.next() }
    }
  }

  @Test("every start of an agent has another epoch, unless the server has none")
  func epochs() throws {
    try TestClient.runSockets { client in
      let id = try await client.createSession()
      var epochs: [String?] = []
      for _ in 0..<2 {
        let stream = try await client.connect(client.sessionPath(id, "/stream"))
        let greeting = try await stream.read(through: "connected").last
        let events = try await client.call("GET", "/sessions/\(id)/events?since=0")
        #expect(events["runtimeEpoch"] == greeting?["runtimeEpoch"])
        epochs.append(greeting?["runtimeEpoch"].string)
        try await client.call("POST", "/sessions/\(id)/stop")
      }
      #expect(epochs[0] != nil)
      #expect(epochs[0] != epochs[1])
    }
    try TestClient.runSockets(.sockets { $0.hasRuntimeEpochs = false }) { client in
      let (stream, id) = try await client.openSession()
      await stream.close()
      let events = try await client.call("GET", client.sessionPath(id, "/events"))
      #expect(events["runtimeEpoch"] == .null)
      #expect(events["catchUpComplete"] == true)
    }
  }

  @Test("missed events are fetched over REST, as far as the ring reaches")
  func catchUp() throws {
    try TestClient.runSockets(.sockets { $0.limits.eventRing = 4 }) { client in
      let (stream, id) = try await client.openSession()
      try await stream.prompt("hello", in: nil)
      try await stream.read(through: "agent_settled")
      let late = try await client.call("GET", client.sessionPath(id, "/events?since=4"))
      #expect(
        late["events"].array?.types == ["tool_end", "message_end", "agent_end", "agent_settled"]
      )
      #expect(late["currentSeq"] == 8)
      let early = try await client.call("GET", "/sessions/\(id)/events?since=3")
      #expect(early["catchUpComplete"] == false)
      #expect(early["events"] == [])
      let other = try await client.openSession(id)
      #expect(try await other.ask(["type": "get_queue", "requestId": "q"]).count == 2)
    }
  }

  @Test("a foreign target and an unknown message are refused, and the socket stays open")
  func refusals() throws {
    try TestClient.runSockets { client in
      let (stream, id) = try await client.openSession()
      try await stream.send(["type": "get_state", "sessionId": "other", "requestId": "g"])
      let text = "Bound session stream cannot target session other"
      #expect(try await stream.next()["error"].string == text)
      let result = try await stream.next()
      #expect(result["success"] == false)
      #expect(result["error"].string == text)
      try await stream.send(["type": "subscribe"])
      let unknown = try await stream.next()
      #expect(unknown["type"] == "command_result")
      #expect(unknown["error"] == "Unsupported command type: subscribe")
      try await stream.send(["type": "get_state", "sessionId": .string(id)])
      #expect(try await stream.next()["type"] == "state")
    }
  }
}
