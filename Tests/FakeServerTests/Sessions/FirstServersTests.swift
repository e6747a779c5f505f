// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import OppiWire
import Testing

@Suite("The first servers")
struct FirstServersTests {
  @Test("have fewer routes, ignore the prompt of a session, and name no scheme")
  func routes() throws {
    try TestClient.run(.first()) { client in
      for (method, path) in [("GET", "/sessions"), ("POST", "/permissions/x/respond")] {
        let answer = try await client.call(method, path, expecting: 404)
        #expect(answer == ["error": "Not found"])
      }
      let created = try await client.launch(["prompt": "hi"])
      #expect(created["prompted"] == .null)
      #expect(created["session"]["status"] == "starting")
      let invite = try client.server.makeInvite()
      #expect(try JSONValue(parsing: Array(invite.json.utf8))["scheme"] == .null)
      #expect(try Invite(invite.url).endpoint.scheme == .http)
    }
  }

  @Test("cut streams without a close frame when they stop")
  func cut() throws {
    try TestClient.runSession(.first()) { client, stream in
      await client.server.stop()
      try await stream.readUntilCut()
    }
  }

  @Test("show the saved state in REST and in the greeting, and else the current state")
  func lag() throws {
    try TestClient.runSession(.first { $0.restLag = .seconds(3600) }) { client, stream in
      try await stream.prompt("slow", untilFirst: "tool_output")
      let session = try await client.session(stream.id)
      #expect(session["status"] == "ready")
      #expect(session["messageCount"] == 0)
      // The trace is saved without delay.
      #expect(try await !client.trace(stream.id).isEmpty)
      let events = try await client.call("GET", client.sessionPath(stream.id, "/events"))
      #expect(events["session"]["status"] == "busy")
      let other = try await client.connectSession(stream.id)
      #expect(try await other.next()["session"]["status"] == "ready")
      #expect(try await other.next()["session"]["status"] == "busy")
      #expect(try await client.stop(stream.id)["status"] == "stopped")
    }
  }
}
