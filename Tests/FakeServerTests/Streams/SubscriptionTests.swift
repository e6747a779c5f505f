// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Subscriptions")
struct SubscriptionTests {
  @Test("missed events are replayed unless they were dropped")
  func catchUp() throws {
    try TestClient.run(.with { $0.limits.eventRing = 4 }) { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      try await stream.readRun()
      let other = try await client.openStream()
      let replay = try await other.subscribe(to: id, ["sinceSeq": 9])
      #expect(
        replay.types == ["connected", "state", "message_end", "agent_end", "command_result"]
      )
      #expect(replay.compactMap { $0["seq"].int } == [10, 11])
      #expect(replay.last?["data"]["catchUpComplete"] == true)
      let gone = try await other.subscribe(to: id, ["sinceSeq": 2])
      #expect(gone.types == ["connected", "state", "command_result"])
      #expect(gone.last?["data"]["catchUpComplete"] == false)
      let ahead = try await other.subscribe(to: id, ["sinceSeq": 99_999])
      #expect(ahead.last?["data"]["catchUpComplete"] == true)
      #expect(ahead.last?["data"]["currentSeq"] == 11)
    }
  }

  @Test("a repeated subscribe does nothing, and hides that the session ended")
  func repeated() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      let again = try await stream.subscribe(to: id)
      #expect(again.types == ["command_result"])
      #expect(again[0]["data"]["deduplicated"] == true)
      try await client.call("POST", client.sessionPath(id, "/stop"))
      #expect(try await stream.read(through: "session_ended").last?["reason"] == "stopped")
      #expect(try await stream.subscribe(to: id)[0]["data"]["deduplicated"] == true)
      try await stream.prompt("hello", in: id)
      let refused = try await stream.next()
      #expect(refused["error"].string == "Session not active: \(id)")
      let gone = try await stream.ask(["type": "unsubscribe", "sessionId": .string(id)])
      #expect(gone.last?["data"] == ["sessionId": .string(id)])
      #expect(try await stream.subscribe(to: id).types.first == "connected")
    }
  }

  @Test("a notification subscriber gets only the start, the states and the end of a run")
  func notifications() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      let watcher = try await client.openStream()
      let opening = try await watcher.subscribe(to: id, ["level": "notifications"])
      #expect(opening.types == ["state", "command_result"])
      try await stream.prompt("hello", in: id)
      let events = try await watcher.readRun()
      #expect(Set(events.types) == ["agent_start", "state", "agent_end"])
    }
  }

  @Test("an unloaded session sends its subscribers nothing, even after it is loaded")
  func unloaded() throws {
    try TestClient.run { client in
      let id = try await client.createSession()
      let watcher = try await client.openStream()
      try await watcher.subscribe(to: id, ["level": "notifications"])
      let stream = try await client.openStream()
      try await stream.subscribe(to: id)
      try await stream.prompt("hello", in: id)
      try await stream.readRun()
      let answer = try await watcher.ask(["type": "unsubscribe", "sessionId": .string(id)])
      #expect(answer.types == ["command_result"])
    }
  }

  @Test("the thirty-first subscribe within five seconds is refused")
  func rateLimit() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      for _ in 2...30 {
        #expect(try await stream.subscribe(to: id).last?["success"] == true)
      }
      let answer = try await stream.subscribe(to: id)
      #expect(answer[0]["error"] == "Subscribe rate limit exceeded — try again later")
    }
  }

  @Test("an older server reports a failed start and closes without a code")
  func olderFailingStart() throws {
    try TestClient.run(
      .with {
        $0.dialect = .perSession
        $0.startFailures[$0.workspaces[0].id] = "no agent here"
      }
    ) { client in
      let id = try await client.createSession()
      let stream = try await client.connect(client.sessionPath(id, "/stream"))
      #expect(try await stream.next()["type"] == "connected")
      #expect(try await stream.next() == ["type": "error", "error": "no agent here"])
      await #expect(throws: TestStream.Closed(code: nil, reason: "")) { try await stream.next() }
    }
  }
}
