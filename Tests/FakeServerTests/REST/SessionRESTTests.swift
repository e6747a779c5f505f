// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Sessions over REST")
struct SessionRESTTests {
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

  @Test("an unreadable body is a server error")
  func unreadable() throws {
    try TestClient.run { client in
      let response = try await client.exchange("POST", client.sessionsPath, text: "{bad")
      #expect(response.status == 500)
      #expect(try JSONValue(parsing: response.body) == ["error": "Invalid JSON"])
    }
  }
}
