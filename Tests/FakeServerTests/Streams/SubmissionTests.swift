// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer

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

  @Test(
    "steering needs a turn",
    arguments: [("steer", "Steer"), ("follow_up", "Follow-up")]
  )
  func idle(type: String, word: String) throws {
    try TestClient.runSockets { client in
      let (stream, _) = try await client.openSession()
      let message: JSONValue = ["type": .string(type), "message": "now", "requestId": "s"]
      let events = try await stream.ask(message)
      #expect(events[0]["error"].string == "\(word) requires an active streaming turn")
    }
  }

  @Test("a prompt with images or without a text fails")
  func invalid() throws {
    try TestClient.runSockets { client in
      let (stream, _) = try await client.openSession()
      let image: JSONValue = ["data": "aGk=", "mimeType": "image/png"]
      let images = try await stream.ask(Self.prompt("look", turn: "t1", ["images": [image]]))
      #expect(images[0]["error"].string == Sessions.imagesText)
      let result = try await stream.ask(["type": "prompt", "requestId": "p"])
      #expect(result[0]["error"] == "Invalid payload: expected message")
      try await stream.send(["type": "prompt"])
      let error = try await stream.next()
      #expect(error["type"] == "error")
      #expect(error["error"] == "Invalid payload: expected message")
      #expect(client.server.journal.runs.isEmpty)
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

  @Test("the report of a settled turn can be late, and a new prompt replaces it")
  func settleDelay() throws {
    try TestClient.runSockets(.sockets { $0.settleDelay = .milliseconds(20) }) { client in
      let (stream, _) = try await client.openSession()
      try await stream.send(Self.prompt("empty", turn: "t1"))
      try await stream.read(through: "agent_end")
      try await stream.send(Self.prompt("empty", turn: "t2"))
      let events = try await stream.read(through: "agent_settled")
      #expect(events.all("agent_start").count == 1)
    }
  }

  @Test("a queued message can be taken back")
  func withdrawal() throws {
    try TestClient.runSockets(.sockets { $0.pace = .milliseconds(2) }) { client in
      let (stream, _) = try await client.openSession()
      try await stream.send(Self.prompt("slow", turn: "t1"))
      try await stream.read(through: "agent_start")
      try await stream.ask([
        "type": "follow_up", "message": "later", "requestId": "f", "clientTurnId": "t2",
      ])
      let result = try await stream.ask([
        "type": "remove_queued_message", "itemId": "t2", "requestId": "r",
      ])
      #expect(result.last?["data"]["item"]["message"] == "later")
      #expect(try await stream.read(through: "queue_state").last?["queue"]["followUp"] == [])
    }
  }
}
