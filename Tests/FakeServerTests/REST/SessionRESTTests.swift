// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel
import Testing

@testable import FakeServer

@Suite("Sessions over REST")
struct SessionRESTTests {
  @Test("a new session is listed as starting")
  func create() throws {
    var configuration = FakeServer.Configuration()
    configuration.sessionIDPrefix = "-"
    try TestClient.run(configuration) { client in
      let workspaces = client.server.configuration.workspaces
      let id = try await client.createSession(name: "first run", in: workspaces[1].id)
      #expect(id.count == 8 && id.hasPrefix("-"))
      let list = try await client.call("GET", "/workspaces/\(workspaces[1].id)/sessions")
      #expect(list["totalCount"] == 1)
      #expect(list["workspace"]["id"].string == workspaces[1].id)
      let session = try #require(list["sessions"].array?.first)
      #expect(session["status"] == "starting")
      #expect(session["name"] == "first run")
      #expect(session["model"] == "anthropic/claude-opus-4-6")
      #expect(session["thinkingLevel"] == .null)
      #expect(try await client.call("GET", "/sessions")["sessions"].array == [session])
      let other = try await client.call("GET", "/workspaces/\(workspaces[0].id)/sessions")
      #expect(other["totalCount"] == 0)
      let detail = try await client.call("GET", client.sessionPath(id))
      #expect(detail == ["session": session, "trace": []])
    }
  }

  @Test("a session is created with a prompt in one call")
  func createWithPrompt() throws {
    try TestClient.run { client in
      let answer = try await client.call(
        "POST",
        client.sessionsPath,
        body: ["prompt": "  slow  ", "thinking": "low"],
        expecting: 201
      )
      #expect(answer["prompted"] == true)
      #expect(answer["session"]["firstMessage"] == "slow")
      #expect(answer["session"]["thinkingLevel"] == "low")
      #expect(answer["session"]["status"] == "ready")
      let id = try #require(answer["session"]["id"].string)
      let journal = try await client.wait { !$0.runs.isEmpty }
      #expect(journal.runs == [.init(sessionID: id, text: "slow")])
    }
  }

  @Test("an undelivered prompt is reported, and the session is kept")
  func failingStart() throws {
    var configuration = FakeServer.Configuration()
    configuration.startFailures[configuration.workspaces[0].id] = "no agent here"
    try TestClient.run(configuration) { client in
      let path = client.sessionsPath
      let answer = try await client.call("POST", path, body: ["prompt": "hi"], expecting: 201)
      #expect(answer["prompted"] == false)
      #expect(answer["session"]["status"] == "starting")
      let id = try #require(answer["session"]["id"].string)
      let error = try await client.call("POST", client.sessionPath(id, "/resume"), expecting: 500)
      #expect(error == ["error": "no agent here"])
    }
  }

  @Test("older servers ignore the prompt of a new session")
  func olderCreate() throws {
    var configuration = FakeServer.Configuration()
    configuration.dialect = .perSession
    try TestClient.run(configuration) { client in
      let path = client.sessionsPath
      let answer = try await client.call("POST", path, body: ["prompt": "hi"], expecting: 201)
      #expect(answer["prompted"] == .null)
      #expect(answer["session"]["status"] == "starting")
    }
  }

  @Test("stop, resume, events and delete work")
  func lifecycle() throws {
    try TestClient.run { client in
      let id = try await client.createSession()
      let events = client.sessionPath(id, "/events")
      let inactive = try await client.call("GET", events, expecting: 404)
      #expect(inactive == ["error": "Session not active"])
      let resumed = try await client.call("POST", client.sessionPath(id, "/resume"))
      #expect(resumed["session"]["status"] == "ready")
      #expect(resumed["session"]["thinkingLevel"] == "medium")
      #expect(try await client.call("GET", "\(events)?since=0")["currentSeq"] == 0)
      for _ in 0..<2 {
        let stopped = try await client.call("POST", client.sessionPath(id, "/stop"))
        #expect(stopped["ok"] == true)
        #expect(stopped["session"]["status"] == "stopped")
      }
      #expect(try await client.call("DELETE", client.sessionPath(id)) == ["ok": true])
      let gone = try await client.call("DELETE", client.sessionPath(id), expecting: 404)
      #expect(gone == ["error": "Session not found"])
    }
  }

  @Test("a session cannot be resumed in another workspace")
  func foreignResume() throws {
    try TestClient.run { client in
      let id = try await client.createSession()
      let other = client.server.configuration.workspaces[1].id
      let path = "/workspaces/\(other)/sessions/\(id)/resume"
      let answer = try await client.call("POST", path, expecting: 400)
      #expect(answer == ["error": "Session does not belong to this workspace"])
    }
  }

  @Test("events are replayed over REST without the session's id")
  func events() throws {
    try TestClient.run { client in
      let (stream, id) = try await client.openSubscribed()
      try await stream.prompt("hello", in: id)
      try await stream.readRun()
      let answer = try await client.call("GET", client.sessionPath(id, "/events?since=9"))
      #expect(answer["currentSeq"] == 11)
      #expect(answer["catchUpComplete"] == true)
      #expect(answer["events"].array?.types == ["message_end", "agent_end"])
      #expect(answer["events"].array?.allSatisfy { $0["sessionId"] == .null } == true)
    }
  }

  @Test("a workspace limits its loaded sessions")
  func limits() throws {
    var configuration = FakeServer.Configuration()
    configuration.limits.loadedSessionsPerWorkspace = 1
    try TestClient.run(configuration) { client in
      let (stream, first) = try await client.openSubscribed()
      let second = try await client.createSession()
      let answer = try await client.call(
        "POST",
        client.sessionPath(second, "/resume"),
        expecting: 500
      )
      #expect(answer == ["error": "Workspace session limit reached (1)"])
      let refused = try await stream.subscribe(to: second)
      #expect(refused.last?["error"] == "Workspace session limit reached (1)")
      try await client.call("POST", client.sessionPath(first, "/stop"))
      try await client.call("POST", client.sessionPath(second, "/resume"))
    }
  }

  @Test("an unreadable body is a server error")
  func unreadable() throws {
    try TestClient.run { client in
      let response = try await client.exchange("POST", client.sessionsPath, text: "{bad")
      #expect(response.status == 500)
      #expect(try JSONValue(parsing: response.body) == ["error": "Invalid JSON"])
    }
  }
}
