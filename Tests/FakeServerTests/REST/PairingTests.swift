// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("POST /pair")
struct PairingTests {
  private static func body(_ token: JSONValue) -> JSONValue { ["pairingToken": token] }

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

  @Test("an older server's invite has no scheme")
  func olderInvite() throws {
    try TestClient.run(.with { $0.dialect = .perSession }) { client in
      let invite = try JSONValue(parsing: Array(client.server.makeInvite().json.utf8))
      #expect(invite["scheme"] == .null)
      #expect(try Invite(client.server.makeInvite().url).endpoint.scheme == .http)
    }
  }
}
