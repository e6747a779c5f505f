// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import Testing

@Suite("Queues and stops")
struct QueueTests {
  @Test("today a prompt to a busy agent fails, or is queued if it says how")
  func queued() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      try await stream.prompt("slow", untilFirst: "tool_output")
      let refused = try await stream.submit("hello", turn: "t2")
      #expect(refused.types == ["command_result"])
      let text = "Prompt requires an idle session; use steer or follow_up while a turn is streaming"
      #expect(refused.errors == [text])
      let events = try await stream.submit(
        "empty",
        turn: "t2",
        ["streamingBehavior": "followUp"]
      )
      #expect(events.all("turn_ack").map { $0["stage"] } == ["accepted", "dispatched"])
      #expect(events.all("turn_ack").allSatisfy { $0["command"] == "prompt" })
      #expect(events.all("queue_state")[0]["queue"]["followUp"].array?.count == 1)
      try await stream.readRun()
      #expect(client.server.journal.runs.map(\.clientTurnID) == ["t1", "t2"])
    }
  }

  @Test("today a stop ends the turn with its report, and a second is not confirmed as idle")
  func today() throws {
    try TestClient.runSession(.sockets()) { _, stream in
      try await stream.prompt("slow", untilFirst: "tool_output")
      try await stream.send(
        ["type": "stop", "requestId": "1"],
        ["type": "stop", "requestId": "2"]
      )
      let events = try await stream.readRun()
      #expect(events.all("stop_confirmed").map { $0["reason"] } == [.null])
      #expect(
        events.all("session_summary").map { $0["summary"]["status"] } == ["stopping", "ready"]
      )
    }
  }
}
