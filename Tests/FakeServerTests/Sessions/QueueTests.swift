// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Queues")
struct QueueTests {
  /// A client's prompt or queued message.
  private static func message(
    _ type: String,
    _ text: String,
    turn: String,
    in id: String?
  ) -> JSONValue {
    .object([
      "type": .string(type), "sessionId": id.map(JSONValue.string), "message": .string(text),
      "clientTurnId": .string(turn), "requestId": .string(turn),
    ])
  }

  @Test("one run processes all queued messages, in order and with their ids")
  func order() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("slow", in: id)
      try await stream.read(through: "tool_output")
      // The tool ends at the first message, so both must be queued while it prints.
      try await stream.send(
        Self.message("follow_up", "slow", turn: "t2", in: id),
        Self.message("follow_up", "empty", turn: "t3", in: id)
      )
      let events = try await stream.readRun()
      #expect(events.all("agent_start").isEmpty)
      let started = events.indices.filter { events[$0]["type"] == "queue_item_started" }
      #expect(started.map { events[$0]["item"]["id"] } == ["t2", "t3"])
      for index in started {
        #expect(events[index + 1]["type"] == "queue_state")
        #expect(events[index + 2]["type"] == "message_end")
        #expect(events[index + 2]["content"] == events[index]["item"]["message"])
      }
      #expect(events.filter { !RecordedShapes.fits($0) } == [])
      let runs = client.server.journal.runs
      #expect(runs.map(\.text) == ["slow", "slow", "empty"])
      #expect(runs.map(\.clientTurnID) == ["t1", "t2", "t3"])

      // Later runs are acknowledged under the ids of queued messages.
      try await stream.prompt("empty", in: id, turn: "t4")
      let acks = try await stream.readRun().all("turn_ack").filter { $0["stage"] == "started" }
      #expect(acks.map { $0["clientTurnId"] } == ["t2"])
      #expect(acks.map { $0["command"] } == ["follow_up"])
    }
  }

  @Test("messageCount does not include a queued message")
  func counts() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("slow", in: id)
      try await stream.read(through: "tool_output")
      try await stream.send(Self.message("follow_up", "empty", turn: "t2", in: id))
      let last = try await stream.readRun().last
      // The prompt, two messages of the model and a tool result.
      #expect(last?["session"]["messageCount"] == 4)
    }
  }

  @Test("a stop drops queued messages, and their ids stay used")
  func stop() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("deploy", in: id)
      let request = try await stream.read(through: "permission_request").last
      try await stream.ask(Self.message("follow_up", "later", turn: "t2", in: id))
      try await stream.send(["type": "stop", "sessionId": .string(id)])
      let queue = try await stream.read(through: "queue_state").last?["queue"]
      #expect(queue == ["version": 2, "steering": [], "followUp": []])
      try await stream.send([
        "type": "permission_response", "id": request?["id"] ?? .null, "action": "deny",
      ])
      try await stream.read(through: "stop_confirmed")

      try await stream.prompt("slow", in: id, turn: "t3")
      try await stream.read(through: "tool_output")
      let again = try await stream.ask(Self.message("follow_up", "later", turn: "t2", in: id))
      #expect(again.types == ["turn_ack", "command_result"])
      #expect(again[0]["duplicate"] == true)
      #expect(again[1]["success"] == true)
      let other = try await stream.ask(Self.message("prompt", "later", turn: "t2", in: id))
      #expect(other.last?["error"] == "clientTurnId conflict: t2")
      #expect(client.server.journal.runs.map(\.text) == ["deploy", "slow"])
    }
  }

  @Test("a prompt with streamingBehavior appears in the queue, but is lost")
  func phantom() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("slow", in: id)
      try await stream.read(through: "tool_output")
      let answers = try await stream.ask(
        Self.message("prompt", "later", turn: "t2", in: id)
          .adding(["streamingBehavior": "followUp"])
      )
      #expect(
        answers.types == ["turn_ack", "turn_ack", "queue_state", "error", "command_result"]
      )
      #expect(answers[2]["queue"]["followUp"].array?.first?["id"] == "t2")
      let queue = try await stream.ask([
        "type": "get_queue", "sessionId": .string(id), "requestId": "q",
      ])
      #expect(queue.types == ["queue_state", "command_result"])
      #expect(queue[1]["data"] == ["version": 2, "steering": [], "followUp": []])
    }
  }
}
