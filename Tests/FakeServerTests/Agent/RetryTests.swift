// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Retries")
struct RetryTests {
  /// Opens a session whose agent is in the pause before a retry.
  private static func openPause(_ client: TestClient) async throws
    -> (stream: TestStream, sessionID: String)
  {
    let (stream, id) = try await client.openSubscribed()
    try await stream.prompt("retry", in: id)
    let events = try await stream.read(through: "retry_start")
    #expect(events.types.suffix(3) == ["agent_end", "state", "retry_start"])
    return (stream, id)
  }

  private static func configuration(_ delay: Duration) -> FakeServer.Configuration {
    var configuration = FakeServer.Configuration()
    configuration.retryDelay = delay
    return configuration
  }

  @Test("a stop during the pause reports an idle session, and the retry continues")
  func stop() throws {
    try TestClient.run(Self.configuration(.milliseconds(300))) { client in
      let (stream, id) = try await Self.openPause(client)
      let answer = try await stream.ask([
        "type": "stop", "sessionId": .string(id), "requestId": "st",
      ])
      #expect(answer.types == ["stop_confirmed", "command_result"])
      #expect(answer[0]["reason"] == "Session already idle")
      let rest = try await stream.readRun()
      #expect(rest.types.prefix(2) == ["agent_start", "state"])
      #expect(rest.all("retry_end").map { $0["success"] } == [true])
    }
  }

  @Test("an aborted retry ends the run")
  func abort() throws {
    try TestClient.run(Self.configuration(.seconds(3600))) { client in
      let (stream, id) = try await Self.openPause(client)
      let answer = try await stream.ask([
        "type": "abort_retry", "sessionId": .string(id), "requestId": "ar",
      ])
      #expect(answer.types == ["retry_end", "command_result"])
      #expect(answer[0]["success"] == false)
      #expect(answer[0]["finalError"] == "Retry cancelled")
      #expect(answer[1]["data"] == ["success": true])
      try await stream.prompt("empty", in: id, turn: "t2")
      try await stream.readRun()
    }
  }

  @Test("a run fails after the last retry")
  func failure() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("retry fails", in: id)
      let events = try await stream.read(through: "retry_end")
      #expect(events.all("agent_start").count == 4)
      #expect(events.all("retry_start").compactMap { $0["attempt"].int } == [1, 2, 3])
      #expect(events.types.suffix(3) == ["agent_end", "state", "retry_end"])
      #expect(events.last?["success"] == false)
      #expect(events.last?["attempt"] == 3)
      #expect(events.last?["finalError"] != .null)
      #expect(events.filter { !RecordedShapes.fits($0) } == [])
    }
  }
}
