// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import HostTestSupport
import OppiText
import OppiWire
import Testing

@Suite("REST")
struct RESTTests {
  @Test("a response has the headers of the real server")
  func headers() throws {
    try TestClient.run { client in
      let response = try await client.exchange("GET", "/me")
      #expect(response.reason == "OK")
      #expect(
        response.headers.fields.map(\.name) == [
          "X-Oppi-Protocol", "Content-Type", "Date", "Connection", "Keep-Alive",
          "Transfer-Encoding",
        ]
      )
      #expect(response.headers["X-Oppi-Protocol"] == "2")
      #expect(response.headers["Keep-Alive"] == "timeout=5")
      #expect(response.headers["Date"]?.hasSuffix(" GMT") == true)
    }
  }

  @Test(
    "all routes except health and pairing require a token",
    arguments: ["/me", "/workspaces", "/nothing-there", "/pair"]
  )
  func unauthorized(path: String) throws {
    try TestClient.run { client in
      for token in [nil, "wrong"] {
        let answer = try await client.with(token: token).call("GET", path, expecting: 401)
        #expect(answer == ["error": "Unauthorized"])
      }
      let health = try await client.with(token: nil).call("GET", "/health")
      #expect(health == ["ok": true, "protocol": 2])
    }
  }

  @Test("the first servers have fewer routes, ignore the prompt of a session, and name no scheme")
  func first() throws {
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

  @Test(
    "an invalid request is refused with the server's message",
    arguments: [
      ("/pair", "{}", 400, "pairingToken required"),
      ("/pair", #"{"pairingToken":""}"#, 400, "pairingToken required"),
      ("/pair", #"{"pairingToken":5}"#, 400, "pairingToken required"),
      ("/pair", #"{"pairingToken":"pt_wrong"}"#, 401, "Invalid or expired pairing token"),
      ("/workspaces/qX3dEmo0/sessions", "{bad", 500, "Invalid JSON"),
    ]
  )
  func refusals(path: String, body: String, status: Int, text: String) throws {
    try TestClient.run { client in
      let answer = try await client.call("POST", path, text: body, expecting: status)
      #expect(answer == ["error": .string(text)])
    }
  }
}
