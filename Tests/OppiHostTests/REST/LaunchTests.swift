// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import Testing

@testable import OppiHost

@Suite("Creating sessions with keys")
struct LaunchTests {
  @Test("a repeat leads to the same session, and its prompt is not sent again")
  func delivered() throws {
    try TestClient.run(.sockets()) { client in
      let body: JSONValue = ["prompt": "empty", "idempotencyKey": " k1 "]
      let first = try await client.launch(body)
      #expect(first["prompted"] == true)
      #expect(first["session"]["launch"]["promptDispatch"] == "delivered")
      let repeated: JSONValue = ["prompt": "other", "idempotencyKey": "k1"]
      let again = try await client.launch(repeated, expecting: 200)
      #expect(again["session"]["id"] == first["session"]["id"])
      #expect(again["launch"] == ["existing": true])
      #expect(again["prompted"] == true)
      // Keys are of the whole server.
      let elsewhere = try await client.launch(body, expecting: 200, in: 1)
      #expect(elsewhere["session"]["id"] == first["session"]["id"])
      try await client.wait { $0.runs.count == 1 }
      #expect(client.server.journal.runs.map(\.text) == ["empty"])
    }
  }

  @Test("a session without a prompt never gets the prompt of a repeat")
  func withoutPrompt() throws {
    try TestClient.run(.sockets()) { client in
      let first = try await client.launch(["idempotencyKey": "k", "prompt": "  "])
      #expect(first["prompted"] == .null)
      #expect(first["session"]["status"] == "ready")
      #expect(first["session"]["launch"]["status"] == "accepted")
      #expect(first["session"]["launch"]["promptDispatch"] == "not_sent")
      let again = try await client.launch(
        ["idempotencyKey": "k", "prompt": "hello"],
        expecting: 200
      )
      #expect(again["prompted"] == false)
      #expect(client.server.journal.runs.isEmpty)
      let plain = try await client.launch(["name": "plain"])
      #expect(plain["session"]["status"] == "starting")
    }
  }

  @Test("a failed prompt is tried again by a repeat")
  func failed() throws {
    try TestClient.run(.sockets()) { client in
      let first = try await client.launch(["prompt": "refuse", "idempotencyKey": "k"])
      #expect(first["prompted"] == false)
      #expect(first["session"]["launch"]["status"] == "failed")
      #expect(
        first["session"]["launch"]["promptError"].string?.hasPrefix("No API key found") == true
      )
      let body: JSONValue = ["prompt": "empty", "idempotencyKey": "k"]
      // In another workspace, the session stays as it is.
      #expect(try await client.launch(body, expecting: 200, in: 1)["prompted"] == false)
      let again = try await client.launch(body, expecting: 200)
      #expect(again["prompted"] == true)
      #expect(again["session"]["id"] == first["session"]["id"])
      let journal = try await client.wait { $0.runs.count == 1 }
      #expect(journal.runs.map(\.text) == ["empty"])
    }
  }

  @Test("a repeat during the start is refused for now")
  func inProgress() throws {
    try TestClient.run(.sockets { $0.agentStartDelay = .milliseconds(100) }) { client in
      let body: JSONValue = ["prompt": "empty", "idempotencyKey": "k"]
      async let first = client.launch(body)
      try await client.wait { $0.requests.count == 1 }
      let refused = try await client.launch(body, expecting: 409)
      #expect(refused == ["error": "launch_in_progress", "retryable": true])
      #expect(try await first["prompted"] == true)
      #expect(try await client.launch(body, expecting: 200)["prompted"] == true)
      try await client.wait { $0.runs.count == 1 }
    }
  }

  @Test(
    "a question for trust is listed while a session starts, and asked until it is decided",
    arguments: [("Trust this session", true), ("Don't trust (remember)", false)]
  )
  func trust(choice: String, isAskedAgain: Bool) throws {
    try TestClient.run(.sockets { $0.asksForTrust = true }) { client in
      let answer: JSONValue = ["type": "extension_ui_response", "value": .string(choice)]
      for start in 1...2 {
        let key = JSONValue.string("k\(start)")
        async let launch = client.launch(["prompt": "empty", "idempotencyKey": key])
        if start == 1 || isAskedAgain {
          let session = try await client.startingSession
          let path = "/sessions/\(session)"
          let dialogs = try await client.call("GET", "\(path)/dialogs")["dialogs"].array ?? []
          try #require(dialogs.count == 1)
          #expect(dialogs[0]["timeout"] == 15_000 && dialogs[0]["method"] == "select")
          let id = ["id": dialogs[0]["id"]] as JSONObject
          _ = try await client.call("POST", "\(path)/command", body: answer.adding(id))
        }
        #expect(try await launch["prompted"] == true)
      }
    }
  }

  @Test("an unavailable model is refused with the session, for ever")
  func model() throws {
    try TestClient.run(.sockets()) { client in
      let body: JSONValue = ["prompt": "hello", "model": "absent/model", "idempotencyKey": "k"]
      let refused = try await client.launch(body, expecting: 409)
      #expect(
        refused["error"].string?
          .hasPrefix("Model \"absent/model\" is not available. Available models: openai-")
          == true
      )
      let id = try #require(refused["sessionId"].string)
      let session = try await client.call("GET", "/sessions/\(id)")["session"]
      #expect(session["status"] == "error")
      let valid: JSONValue = ["prompt": "hello", "idempotencyKey": "k"]
      #expect(try await client.launch(valid, expecting: 409)["sessionId"].string == id)
    }
  }

  @Test("without a prompt, an unavailable model is refused by the first start and can be replaced")
  func modelAtStart() throws {
    try TestClient.run(.sockets()) { client in
      let created = try await client.launch(["model": "absent/model"])
      let id = try #require(created["session"]["id"].string)
      let stream = try await client.connectSession(id)
      let error = try await stream.read(through: "error").last
      #expect(error?["error"].string?.contains("is not available") == true)
      await #expect(throws: TestStream.Closed.self) { try await stream.next() }
      let change: JSONValue = [
        "type": "set_model", "model": "anthropic/claude-opus-4-6", "requestId": "m",
      ]
      #expect(try await client.command(change, in: id).map { $0["success"] } == [true])
      _ = try await client.openSession(id)
      let started = try await client.call("GET", "/sessions/\(id)")["session"]
      #expect(started["model"] == "anthropic/claude-opus-4-6")
    }
  }

  @Test("keys survive a crash, and an interrupted start is leased for two minutes")
  func restart() throws {
    let settings = FakeServer.Configuration.sockets { $0.agentStartDelay = .seconds(60) }
    try TestClient.run(settings) { client in
      let finished: JSONValue = ["idempotencyKey": "done"]
      let id = try await client.launch(finished)["session"]["id"]
      let body: JSONValue = ["prompt": "x", "idempotencyKey": "k"]
      async let interrupted = try? client.launch(body)
      while try await client.call("GET", "/sessions")["sessions"].array?.contains(where: {
        $0["launch"]["status"] == "launching"
      }) != true {}
      let next = try client.restarted(settings, from: await client.server.crash())
      _ = await interrupted
      let again = try await next.launch(finished, expecting: 200)
      #expect(again["session"]["id"] == id)
      let leased = try await next.launch(body, expecting: 409)
      #expect(leased["retryable"] == true)
      await next.server.stop()
    }
  }

  @Test("a server killed before it records a launch runs the prompt of a repeat after the lease")
  func unrecorded() throws {
    let settings = FakeServer.Configuration.sockets {
      $0.limits.launchLease = .zero
      $0.interceptor = { if case .handedOver = $0 { .hang } else { .proceed } }
    }
    try TestClient.run(settings) { client in
      let body: JSONValue = ["prompt": "x", "idempotencyKey": "k"]
      async let interrupted = try? client.launch(body)
      try await client.wait { $0.runs.count == 1 }
      let sessions = try await client.call("GET", "/sessions")["sessions"].array
      let launching = sessions?.first?["launch"] ?? .null
      #expect(launching["status"] == "launching" && launching["promptDispatch"] == .null)
      #expect(launching["lease"]["expiresAt"].int != nil)
      let next = try client.restarted(.sockets { _ in }, from: await client.server.crash())
      _ = await interrupted
      #expect(try await next.launch(body, expecting: 200)["prompted"] == true)
      try await next.wait { $0.runs.count == 1 }
      await next.server.stop()
    }
  }
}

extension TestClient {
  /// The session whose start asks for trust.
  fileprivate var startingSession: String {
    get async throws {
      while true {
        let recent = try await call("GET", "/sessions/recent")["sessions"].array ?? []
        if let id = recent.first(where: { $0["pendingAskCount"] == 1 })?["id"].string { return id }
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }
}
