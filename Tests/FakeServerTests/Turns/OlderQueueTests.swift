// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import Testing

@Suite("Queues of older servers")
struct OlderQueueTests {
  @Test("on older servers a prompt to a busy agent is acknowledged and lost")
  func lost() throws {
    try TestClient.runSession { _, stream in
      try await stream.prompt("slow", untilFirst: "tool_output")
      let answers = try await stream.submit("another", turn: "t2")
      #expect(answers.types == ["turn_ack", "turn_ack", "error", "command_result"])
      #expect(
        answers.errors[2]
          == """
          Agent is already processing. Specify streamingBehavior ('steer' or 'followUp') to queue \
          the message.
          """
      )
      #expect(answers[3]["success"] == true)
      // One with streamingBehavior appears in the queue, but is lost, too.
      let phantom = try await stream.submit(
        "later",
        turn: "t3",
        ["streamingBehavior": "followUp"]
      )
      #expect(
        phantom.types == ["turn_ack", "turn_ack", "queue_state", "error", "command_result"]
      )
      #expect(phantom[2]["queue"]["followUp"].array?.first?["id"] == "t3")
      let queue = try await stream.ask(["type": "get_queue", "requestId": "q"])
      #expect(queue.types == ["queue_state", "command_result"])
      #expect(queue[1]["data"] == ["version": 2, "steering": [], "followUp": []])
    }
  }

  @Test("one run processes all queued messages, in order and with their ids")
  func order() throws {
    try TestClient.runSession { client, stream in
      try await stream.prompt("slow", untilFirst: "tool_output")
      // The tool ends at the first message, so both must be queued while it prints.
      try await stream.send(
        TestStream.message("slow", turn: "t2", as: "follow_up"),
        TestStream.message("empty", turn: "t3", as: "follow_up")
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
      #expect(events.unknown == [])
      let runs = client.server.journal.runs
      #expect(runs.map(\.text) == ["slow", "slow", "empty"])
      #expect(runs.map(\.clientTurnID) == ["t1", "t2", "t3"])
      // Later runs are acknowledged under the ids of queued messages.
      try await stream.prompt("empty", turn: "t4")
      let acks = try await stream.readRun().all("turn_ack").filter { $0["stage"] == "started" }
      #expect(acks.map { $0["clientTurnId"] } == ["t2"])
      #expect(acks.map { $0["command"] } == ["follow_up"])
    }
  }

  @Test("a stop drops queued messages, and their ids stay used")
  func dropped() throws {
    try TestClient.runSession { client, stream in
      let request = try await stream.prompt("deploy", untilFirst: "permission_request")
      try await stream.submit("later", turn: "t2", as: "follow_up")
      try await stream.send(["type": "stop"])
      let queue = try await stream.read(through: "queue_state").last?["queue"]
      #expect(queue == ["version": 2, "steering": [], "followUp": []])
      try await stream.send([
        "type": "permission_response", "id": request["id"], "action": "deny",
      ])
      try await stream.read(through: "stop_confirmed")
      try await stream.prompt("slow", turn: "t3")
      try await stream.read(through: "tool_output")
      let again = try await stream.submit("later", turn: "t2", as: "follow_up")
      #expect(again.types == ["turn_ack", "command_result"])
      #expect(again[0]["duplicate"] == true)
      #expect(again[1]["success"] == true)
      let other = try await stream.submit("later", turn: "t2")
      #expect(other.last?["error"] == "clientTurnId conflict: t2")
      #expect(client.server.journal.runs.map(\.text) == ["deploy", "slow"])
    }
  }
}

@Suite("Stopping on older servers")
struct OlderStopTests {
  @Test("a stop aborts the running tool, and the session is ready again")
  func stop() throws {
    try TestClient.runSession { _, stream in
      try await stream.prompt("slow", untilFirst: "tool_output")
      try await stream.send(["type": "stop", "requestId": "st"])
      let events = try await stream.read { $0["session"]["status"] == "ready" }
      #expect(
        events.types == [
          "stop_requested", "state", "queue_state", "command_result", "tool_output", "tool_end",
          "state", "message_end", "state", "agent_end", "stop_confirmed", "state",
        ]
      )
      #expect(events[4]["output"] == "\n\nCommand aborted")
      #expect(events[5]["isError"] == true)
      #expect(events.unknown == [])
      try await stream.prompt("hello", turn: "t2")
      try await stream.readRun()
    }
  }

  @Test("on older servers a second stop reports an idle session and changes nothing")
  func twice() throws {
    try TestClient.runSession { client, stream in
      let request = try await stream.prompt("deploy", untilFirst: "permission_request")
      try await stream.ask(["type": "stop", "requestId": "1"])
      let second = try await stream.ask(["type": "stop", "requestId": "2"])
      #expect(second.types == ["stop_confirmed", "command_result"])
      #expect(second[0]["reason"] == "Session already idle")
      #expect(try await client.session(stream.id)["status"] == "stopping")
      // The decision completes the first stop.
      try await stream.send([
        "type": "permission_response", "id": request["id"], "action": "deny",
      ])
      let end = try await stream.read { $0["session"]["status"] == "ready" }
      #expect(end.all("tool_output").map { $0["output"] } == ["Denied by user"])
      #expect(end.types.suffix(3) == ["agent_end", "stop_confirmed", "state"])
      #expect(end.all("stop_confirmed")[0]["reason"] == .null)
    }
  }
}
