// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import OppiWire
import Testing

@Suite("Session sockets")
struct SessionSocketTests {
  @Test("frames that arrive before the state are lost without an error")
  func deaf() throws {
    try TestClient.run(.sockets { $0.agentStartDelay = .milliseconds(50) }) { client in
      let stream = try await client.connectSession(client.createSession())
      #expect(try await stream.next()["type"] == "stream_connected")
      try await stream.prompt("lost")
      #expect(try await stream.read(through: "state").types == ["connected", "state"])
      try await stream.prompt("heard", turn: "t2")
      let events = try await stream.read(through: "agent_end")
      #expect(events.all("turn_ack").allSatisfy { $0["clientTurnId"] == "t2" })
      #expect(client.server.journal.runs.map(\.clientTurnID) == ["t2"])
      #expect(client.server.journal.messages.count == 2)
    }
  }

  @Test("a missing session is refused after the upgrade", arguments: [true, false])
  func missing(isElsewhere: Bool) throws {
    try TestClient.run(.sockets()) { client in
      let id = isElsewhere ? try await client.createSession() : "nobody"
      let path = "\(client.sessionsPath(isElsewhere ? 1 : 0))/\(id)/stream"
      let stream = try await client.connect(path)
      await #expect(throws: TestStream.Closed(code: 1008, reason: "Session not found")) {
        try await stream.next()
      }
    }
  }

  @Test("a failed start is reported before the socket is closed")
  func failedStart() throws {
    try TestClient.run(.sockets { $0.startFailures[$0.workspaces[0].id] = "no agent here" }) {
      client in
      let stream = try await client.connectSession(client.createSession())
      let events = try await stream.read(through: "error")
      #expect(events.types == ["stream_connected", "error"])
      #expect(events[1]["error"] == "no agent here")
      let end = TestStream.Closed(code: 1011, reason: "Session stream setup failed")
      await #expect(throws: end) { try await stream.next() }
    }
  }

  @Test("every start of an agent has another epoch, unless the server has none")
  func epochs() throws {
    try TestClient.run(.sockets()) { client in
      let id = try await client.createSession()
      var epochs: [String?] = []
      for _ in 0..<2 {
        let stream = try await client.connectSession(id)
        let greeting = try await stream.read(through: "connected").last
        let events = try await client.call("GET", "/sessions/\(id)/events?since=0")
        #expect(events["runtimeEpoch"] == greeting?["runtimeEpoch"])
        epochs.append(greeting?["runtimeEpoch"].string)
        try await client.stop(id)
      }
      #expect(epochs[0] != nil)
      #expect(epochs[0] != epochs[1])
    }
    try TestClient.runSession(.sockets { $0.hasRuntimeEpochs = false }) { client, stream in
      await stream.close()
      let events = try await client.call("GET", client.sessionPath(stream.id, "/events"))
      #expect(events["runtimeEpoch"] == .null)
      #expect(events["catchUpComplete"] == true)
    }
  }

  @Test("missed events are fetched over REST, as far as the ring reaches")
  func catchUp() throws {
    try TestClient.runSession(.sockets { $0.limits.eventRing = 4 }) { client, stream in
      try await stream.prompt("hello")
      try await stream.readRun()
      let late = try await client.call("GET", client.sessionPath(stream.id, "/events?since=4"))
      #expect(
        late["events"].array?.types == ["tool_end", "message_end", "agent_end", "agent_settled"]
      )
      #expect(late["currentSeq"] == 8)
      let early = try await client.call("GET", "/sessions/\(stream.id)/events?since=3")
      #expect(early["catchUpComplete"] == false)
      #expect(early["events"] == [])
      let other = try await client.openSession(stream.id)
      #expect(try await other.ask(["type": "get_queue", "requestId": "q"]).count == 2)
    }
  }

  @Test("a foreign target and an unknown message are refused, and the socket stays open")
  func refusals() throws {
    try TestClient.runSession(.sockets()) { _, stream in
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
      try await stream.send(["type": "get_state", "sessionId": .string(stream.id)])
      #expect(try await stream.next()["type"] == "state")
    }
  }
}

@Suite("App events")
struct AppEventTests {
  @Test("one socket has the events of all sessions, and no past")
  func events() throws {
    try TestClient.run(.sockets()) { client in
      let earlier = try await client.createSession()
      let viewer = try await client.connect("/app/events/stream")
      let greeting = try await viewer.next()
      #expect(greeting["type"] == "app_events_connected")
      #expect(greeting["snapshotRequired"] == true)
      let stream = try await client.openSession()
      #expect(stream.id != earlier)
      let dialog = try await stream.prompt("gate", untilFirst: "extension_ui_request")
      try await stream.send(
        ["type": "extension_ui_response", "id": dialog["id"], "value": "Yes"]
      )
      try await stream.readRun()
      try await client.stop(stream.id)

      let events = try await viewer.read(through: "session_ended")
      #expect(events.first?["type"] == "session_created")
      #expect(events.allSatisfy { $0["sessionId"].string == stream.id })
      #expect(events.allSatisfy { $0["workspaceId"] != .null && $0["emittedAt"] != .null })
      #expect(events.allSatisfy { $0["seq"] == .null })
      let unknown = Set(events.types).subtracting([
        "session_created", "session_summary", "extension_ui_request", "extension_ui_settled",
        "stop_requested", "stop_confirmed", "session_ended",
      ])
      #expect(unknown.isEmpty)
      #expect(events.all("extension_ui_request").map { $0["title"] } == [dialog["title"]])
      #expect(events.all("extension_ui_settled").map { $0["id"] } == [dialog["id"]])
      let summaries = events.all("session_summary").map { $0["summary"] }
      #expect(zip(summaries, summaries.dropFirst()).allSatisfy { $0 != $1 })
      let counts = summaries.compactMap { $0["pendingAskCount"].int }
      #expect(counts.contains(1))
      #expect(counts.last == 0)
      #expect(summaries.contains { $0["status"] == "busy" })
    }
  }

  @Test("messages of a viewer are ignored, and deletions and errors are events")
  func deletion() throws {
    try TestClient.run(.sockets()) { client in
      let viewer = try await client.connect("/app/events/stream")
      try await viewer.send(["type": "subscribe"])
      let stream = try await client.openSession()
      try await stream.prompt("fail")
      try await stream.readRun()
      try await client.call("DELETE", client.sessionPath(stream.id))
      let events = try await viewer.read(through: "session_deleted")
      #expect(events.all("session_error")[0]["message"].string?.hasPrefix("529 ") == true)
      #expect(events.all("error").isEmpty)
    }
  }
}
