// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("App events")
struct AppEventTests {
  @Test("one socket has the events of all sessions, and no past")
  func events() throws {
    try TestClient.runSockets { client in
      let earlier = try await client.createSession()
      let viewer = try await client.connect("/app/events/stream")
      let greeting = try await viewer.next()
      #expect(greeting["type"] == "app_events_connected")
      #expect(greeting["snapshotRequired"] == true)

      let (stream, id) = try await client.openSession()
      #expect(id != earlier)
      try await stream.prompt("gate", in: nil)
      let dialog = try await stream.read(through: "extension_ui_request").last ?? .null
      try await stream.send(
        ["type": "extension_ui_response", "id": dialog["id"], "value": "Yes"]
      )
      try await stream.read(through: "agent_settled")
      try await client.call("POST", "/sessions/\(id)/stop")
      let events = try await viewer.read(through: "session_ended")
      #expect(events.first?["type"] == "session_created")
      #expect(events.allSatisfy { $0["sessionId"].string == id })
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
    try TestClient.runSockets { client in
      let viewer = try await client.connect("/app/events/stream")
      try await viewer.send(["type": "subscribe"])
      let (stream, id) = try await client.openSession()
      try await stream.prompt("fail", in: nil)
      try await stream.read(through: "agent_settled")
      try await client.call("DELETE", client.sessionPath(id))
      let events = try await viewer.read(through: "session_deleted")
      #expect(events.all("session_error")[0]["message"].string?.hasPrefix("529 ") == true)
      #expect(events.all("error").isEmpty)
    }
  }
}
