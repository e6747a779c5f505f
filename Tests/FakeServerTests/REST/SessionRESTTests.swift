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
    try TestClient.run(
      .with {
        $0.startFailures[$0.workspaces[0].id] = "no agent here"
      }
    ) { client in
      let path = client.sessionsPath
      let answer = try await client.call("POST", path, body: ["prompt": "hi"], expecting: 201)
      #expect(answer["prompted"] == false)
      let id = answer["session"]["id"].string ?? ""
      let kept = try await client.call("GET", client.sessionPath(id))["session"]
      #expect(kept["status"] == "starting")
    }
  }

  @Test("older servers ignore the prompt of a new session")
  func olderCreate() throws {
    try TestClient.run(.with { $0.dialect = .perSession }) { client in
      let path = client.sessionsPath
      let answer = try await client.call("POST", path, body: ["prompt": "hi"], expecting: 201)
      #expect(answer["prompted"] == .null)
      #expect(answer["session"]["status"] == "starting")
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
