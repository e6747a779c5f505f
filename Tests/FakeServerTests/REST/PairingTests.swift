// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport
import Testing

@testable import FakeServer

@Suite("POST /pair")
struct PairingTests {
  private static func body(_ token: JSONValue) -> JSONValue { ["pairingToken": token] }

  @Test("both forms of an invite can be redeemed once, for a valid token")
  func pair() throws {
    try TestClient.run { client in
      for form in [\(json: String, url: String).json, \.url] {
        let invite = try Invite(client.server.makeInvite()[keyPath: form])
        #expect(invite.endpoint == client.destination.endpoint)
        #expect(invite.name == "loopback")
        #expect(invite.fingerprint == client.server.fingerprint)
        guard case .pairingToken(let token) = invite.credential else {
          Issue.record("no pairing token")
          return
        }
        var stranger = client
        stranger.token = nil
        let answer = try await stranger.call("POST", "/pair", body: Self.body(.string(token)))
        stranger.token = answer["deviceToken"].string
        try await stranger.call("GET", "/me")
        let again = try await stranger.call(
          "POST",
          "/pair",
          body: Self.body(.string(token)),
          expecting: 401
        )
        #expect(again["error"] == "Invalid or expired pairing token")
      }
    }
  }

  @Test(
    "an invalid pairing token is refused with the server's message",
    arguments: [
      ([:], 400, "pairingToken required"),
      (["pairingToken": ""], 400, "pairingToken required"),
      (["pairingToken": 5], 400, "pairingToken required"),
      (["pairingToken": "pt_wrong"], 401, "Invalid or expired pairing token"),
    ] as [(JSONValue, Int, String)]
  )
  func refusals(body: JSONValue, status: Int, text: String) throws {
    try TestClient.run { client in
      let answer = try await client.call("POST", "/pair", body: body, expecting: status)
      #expect(answer["error"].string == text)
    }
  }

  @Test("the sixth wrong token is refused with 429")
  func tooMany() throws {
    try TestClient.run { client in
      let body = Self.body("pt_wrong")
      for _ in 0..<5 { try await client.call("POST", "/pair", body: body, expecting: 401) }
      let answer = try await client.call("POST", "/pair", body: body, expecting: 429)
      #expect(answer["error"] == "Too many invalid pairing attempts. Try again later.")
    }
  }

  @Test("an older server's invite has no scheme")
  func olderInvite() throws {
    var configuration = FakeServer.Configuration()
    configuration.dialect = .perSession
    try TestClient.run(configuration) { client in
      let invite = try JSONValue(parsing: Array(client.server.makeInvite().json.utf8))
      #expect(invite["scheme"] == .null)
      #expect(try Invite(client.server.makeInvite().url).endpoint.scheme == .http)
    }
  }
}
