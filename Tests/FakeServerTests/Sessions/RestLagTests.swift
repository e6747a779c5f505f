// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("REST lag of older servers")
struct RestLagTests {
  @Test("REST and the greeting show the saved state, other messages the current state")
  func lag() throws {
    try TestClient.run(
      .with {
        $0.dialect = .perSession
        $0.restLag = .seconds(3600)
      }
    ) { client in
      let (stream, id) = try await client.openSession()
      try await stream.prompt("slow", in: nil)
      try await stream.read(through: "tool_output")
      let detail = try await client.call("GET", client.sessionPath(id))
      #expect(detail["session"]["status"] == "ready")
      #expect(detail["session"]["messageCount"] == 0)
      // The trace is saved without delay.
      #expect(detail["trace"].array?.isEmpty == false)
      let events = try await client.call("GET", client.sessionPath(id, "/events"))
      #expect(events["session"]["status"] == "busy")
      let other = try await client.connect(client.sessionPath(id, "/stream"))
      #expect(try await other.next()["session"]["status"] == "ready")
      #expect(try await other.next()["session"]["status"] == "busy")
      let stopped = try await client.call("POST", client.sessionPath(id, "/stop"))
      #expect(stopped["session"]["status"] == "stopped")
    }
  }
}
