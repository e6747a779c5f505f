// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import Testing

@Suite("Scripts on older servers")
struct OlderScriptTests {
  @Test("a failing model sends an error, an empty message and the end of the run")
  func fail() throws {
    try TestClient.runSession { _, stream in
      try await stream.prompt("please fail")
      let events = try await stream.readRun()
      #expect(events.types.suffix(5) == ["error", "message_end", "state", "agent_end", "state"])
      #expect(events.all("error")[0]["seq"] == 3)
    }
  }

  @Test("big output arrives as tails that replace each other")
  func big() throws {
    try TestClient.runSession { _, stream in
      try await stream.prompt("big")
      let outputs = try await stream.readRun().all("tool_output")
      #expect(outputs.count == 2)
      #expect(outputs.allSatisfy { $0["mode"] == "replace" && $0["truncated"] == true })
      #expect(outputs.last?["totalBytes"].int ?? 0 > 280_000)
      #expect(outputs.last?["output"].string?.utf8.count ?? 0 < 16_384)
    }
  }

  @Test("a child's state has the parent's session id in its envelope")
  func child() throws {
    try TestClient.runSession { _, stream in
      try await stream.prompt("child")
      let events = try await stream.readRun()
      let foreign = events.all("state").filter { $0["session"]["id"] != $0["sessionId"] }
      #expect(foreign.count == 2)
      #expect(foreign.allSatisfy { $0["session"]["parentSessionId"].string == stream.id })
      #expect(events.unknown == [])
    }
  }

  // MARK: - Retries

  @Test("a retry ends the run and starts another one")
  func retry() throws {
    try TestClient.runSession { _, stream in
      try await stream.prompt("retry")
      let events = try await stream.readRun() + stream.readRun()
      let landmarks = events.types.filter {
        ["error", "agent_start", "agent_end", "retry_start", "retry_end"].contains($0)
      }
      #expect(
        landmarks == [
          "agent_start", "error", "agent_end", "retry_start", "agent_start", "retry_end",
          "agent_end",
        ]
      )
      #expect(events.unknown == [])
    }
  }

  @Test("a stop during the pause reports an idle session, and the retry continues")
  func stoppedPause() throws {
    try TestClient.runSession(.spring { $0.retryDelay = .milliseconds(300) }) { _, stream in
      try await stream.prompt("retry")
      let events = try await stream.read(through: "retry_start")
      #expect(events.types.suffix(3) == ["agent_end", "state", "retry_start"])
      let answer = try await stream.ask(["type": "stop", "requestId": "st"])
      #expect(answer.types == ["stop_confirmed", "command_result"])
      #expect(answer[0]["reason"] == "Session already idle")
      let rest = try await stream.readRun()
      #expect(rest.types.prefix(2) == ["agent_start", "state"])
      #expect(rest.all("retry_end").map { $0["success"] } == [true])
    }
  }

  @Test("an aborted retry ends the run")
  func abortedRetry() throws {
    try TestClient.runSession(.spring { $0.retryDelay = .seconds(3600) }) { _, stream in
      try await stream.prompt("retry", untilFirst: "retry_start")
      let answer = try await stream.ask(["type": "abort_retry", "requestId": "ar"])
      #expect(answer.types == ["retry_end", "command_result"])
      #expect(answer[0]["success"] == false)
      #expect(answer[0]["finalError"] == "Retry cancelled")
      #expect(answer[1]["data"] == ["success": true])
      try await stream.prompt("empty", turn: "t2")
      try await stream.readRun()
    }
  }

  @Test("a run fails after the last retry")
  func lastRetry() throws {
    try TestClient.runSession { _, stream in
      try await stream.prompt("retry fails")
      let events = try await stream.read(through: "retry_end")
      #expect(events.all("agent_start").count == 4)
      #expect(events.all("retry_start").compactMap { $0["attempt"].int } == [1, 2, 3])
      #expect(events.types.suffix(3) == ["agent_end", "state", "retry_end"])
      #expect(events.last?["success"] == false)
      #expect(events.last?["attempt"] == 3)
      #expect(events.last?["finalError"] != .null)
      #expect(events.unknown == [])
    }
  }
}
