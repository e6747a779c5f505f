// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import Testing

@testable import OppiHost

@Suite("Turns")
struct TurnTests {
  @Test("an opened socket has the events of the start, and then those of a turn in order")
  func socket() throws {
    try TestClient.run(.sockets()) { client in
      let id = try await client.createSession()
      #expect(id.utf8.count == 36)
      let stream = try await client.connectSession(id)
      let opening = try await stream.read(through: "state")
      #expect(opening.types == ["stream_connected", "connected", "state"])
      #expect(opening[0]["sessionId"] == .null)
      #expect(opening[0]["serverDictationAvailable"] == false)
      #expect(opening[1]["currentSeq"] == 0)
      #expect(opening[1]["session"]["status"] == "ready")
      try await stream.prompt("hello there")
      let events = try await stream.readRun()
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
      #expect(events.all("tool_update").last?["args"] == ["command": "echo hi"])
    }
  }

  @Test("another payload of a turn is a conflict")
  func conflict() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      try await stream.prompt("empty", untilFirst: "agent_settled")
      let events = try await stream.submit("empty")
      #expect(events.types == ["turn_ack", "command_result"])
      #expect(events[0]["duplicate"] == true)
      #expect(try await stream.submit("other").errors == ["clientTurnId conflict: t1"])
      #expect(client.server.journal.runs.count == 1)
    }
  }

  @Test("on today's servers a refused prompt fails, and its turn can be used again")
  func refused() throws {
    try TestClient.runSession(.sockets()) { client, stream in
      for _ in 0..<2 {
        let events = try await stream.submit("refuse")
        #expect(events.types == ["command_result"])
        #expect(events[0]["success"] == false)
        #expect(events[0]["error"].string?.hasPrefix("No API key") == true)
      }
      #expect(try await client.session(stream.id)["messageCount"] == 0)
      let events = try await stream.submit("hello")
      #expect(events.types == ["turn_ack", "turn_ack", "command_result"])
      #expect(events.map { $0["duplicate"] } == [.null, .null, .null])
    }
  }

  // MARK: - Queues and stops

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

@Suite struct ClientTurnsTests {
  @Test("the turns that were used last are remembered, and no more than 256")
  func limit() {
    var turns = ClientTurns()
    for number in 0..<256 { turns["\(number)"] = ClientTurn(command: "prompt", payload: .null) }
    turns["0"]?.stage = .started
    turns["new"] = ClientTurn(command: "prompt", payload: .null)
    #expect(turns["1"] == nil, "the least recently used one")
    #expect(turns["0"]?.stage == .started && turns["2"] != nil && turns["new"] != nil)
  }
}

@Suite("Scripts")
struct ScriptTests {
  @Test("no word selects two scripts")
  func uniqueWords() {
    let words = Script.table.flatMap(\.words)
    #expect(Set(words).count == words.count)
    for script in Script.table {
      for word in script.words {
        #expect(Script.matching(word).words == script.words)
      }
    }
  }
}
