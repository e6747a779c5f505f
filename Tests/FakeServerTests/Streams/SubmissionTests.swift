// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Prompts over session sockets")
struct SubmissionTests {
  private static let busyText =
    "Prompt requires an idle session; use steer or follow_up while a turn is streaming"

  private static func prompt(_ text: String, turn: String, _ members: JSONObject = [:]) -> JSONValue
  {
    JSONValue.object([
      "type": "prompt", "message": .string(text), "requestId": .string(turn),
      "clientTurnId": .string(turn),
    ]).adding(members)
  }

  @Test("a refused prompt fails without acknowledgement, and its turn can be used again")
  func refused() throws {
    try TestClient.runSockets { client in
      let (stream, id) = try await client.openSession()
      for _ in 0..<2 {
        let events = try await stream.ask(Self.prompt("refuse", turn: "t1"))
        #expect(events.types == ["command_result"])
        #expect(events[0]["success"] == false)
        #expect(events[0]["error"].string?.hasPrefix("No API key") == true)
      }
      let detail = try await client.call("GET", "/sessions/\(id)")
      #expect(detail["session"]["messageCount"] == 0)
      let events = try await stream.ask(Self.prompt("hello", turn: "t1"))
      #expect(events.types == ["turn_ack", "turn_ack", "command_result"])
      #expect(events.map { $0["duplicate"] } == [.null, .null, .null])
    }
  }

  @Test("a prompt to a busy agent fails, or is queued if it says how")
  func busy() throws {
    try TestClient.runSockets { client in
      let (stream, _) = try await client.openSession()
      try await stream.send(Self.prompt("slow", turn: "t1"))
      try await stream.read(through: "tool_output")
      let refused = try await stream.ask(Self.prompt("hello", turn: "t2"))
      #expect(refused.types == ["command_result"])
      #expect(refused[0]["error"].string == Self.busyText)
      let queued = Self.prompt("empty", turn: "t2", ["streamingBehavior": "followUp"])
      let events = try await stream.ask(queued)
      #expect(events.all("turn_ack").map { $0["stage"] } == ["accepted", "dispatched"])
      #expect(events.all("turn_ack").allSatisfy { $0["command"] == "prompt" })
      #expect(events.all("queue_state")[0]["queue"]["followUp"].array?.count == 1)
      try await stream.read(through: "agent_settled")
      #expect(client.server.journal.runs.map(\.clientTurnID) == ["t1", "t2"])
    }
  }

  @Test("a repeated turn is acknowledged but not run, and another payload is a conflict")
  func repeated() throws {
    try TestClient.runSockets { client in
      let (stream, _) = try await client.openSession()
      try await stream.send(Self.prompt("empty", turn: "t1"))
      try await stream.read(through: "agent_settled")
      let events = try await stream.ask(Self.prompt("empty", turn: "t1"))
      #expect(events.types == ["turn_ack", "command_result"])
      #expect(events[0]["duplicate"] == true)
      #expect(events[0]["stage"] == "started")
      let conflict = try await stream.ask(Self.prompt("other", turn: "t1"))
      #expect(conflict.map { $0["error"] } == ["clientTurnId conflict: t1"])
      #expect(client.server.journal.runs.count == 1)
    }
  }

  @Test("a stop ends the turn with its report, and a second stop is not confirmed as idle")
  func stop() throws {
    try TestClient.runSockets { client in
      let (stream, _) = try await client.openSession()
      try await stream.send(Self.prompt("slow", turn: "t1"))
      try await stream.read(through: "tool_output")
      try await stream.send(
        ["type": "stop", "requestId": "1"],
        ["type": "stop", "requestId": "2"]
      )
      let events = try await stream.read(through: "agent_settled")
      #expect(events.all("stop_confirmed").count == 1)
      #expect(events.all("stop_confirmed")[0]["reason"] == .null)
      #expect(
        events.all("session_summary").map { $0["summary"]["status"] } == ["stopping", "ready"]
      )
    }
  }
}
