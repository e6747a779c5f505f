// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import OppiWire
import TestSupport
import Testing

@Suite("Migration of tokens to device keys", .needs("openssl"))
struct MigrationTests {
  private static let configuration = FakeServer.Configuration.devices {
    $0.migrates = true
    $0.legacyTokens = ["dt_old", "dt_older"]
  }

  private static func migrate(
    _ client: TestClient,
    _ token: String?,
    _ key: JSONValue?,
    expecting status: Int = 200
  ) async throws -> JSONValue {
    try await client.with(token: token).call(
      "POST",
      "/auth/migrate",
      body: .object(["devicePublicKey": key]),
      expecting: status
    )
  }

  @Test("can be repeated with the same key until the new token is used")
  func repeated() throws {
    try TestClient.run(Self.configuration) { client in
      let key = try TestDevice().publicKey.json
      let first = try await Self.migrate(client, "dt_old", key)
      let second = try await Self.migrate(client, "dt_old", key)
      #expect(first["deviceId"] == second["deviceId"])
      #expect(first["accessToken"] != second["accessToken"])
      let other = try TestDevice().publicKey.json
      let refusal = try await Self.migrate(client, "dt_old", other, expecting: 401)
      #expect(refusal == ["error": "Invalid or unsupported legacy device token"])
      try await client.with(token: first["accessToken"].string).call("GET", "/me")
      _ = try await Self.migrate(client, "dt_old", key, expecting: 401)
      _ = try await Self.migrate(client, "dt_older", other)
    }
  }

  @Test("is refused without an old token or a valid key")
  func refusals() throws {
    try TestClient.run(Self.configuration) { client in
      let key = try TestDevice().publicKey.json
      for token in [nil, "sk_x", "at_x"] {
        let answer = try await Self.migrate(client, token, key, expecting: 400)
        #expect(answer["error"] == "legacy device token required")
      }
      let keyless = try await Self.migrate(client, "dt_old", nil, expecting: 400)
      #expect(keyless["error"] == "devicePublicKey required")
      _ = try await Self.migrate(client, "dt_unknown", key, expecting: 401)
      _ = try await Self.migrate(client, "dt_old", TestDevice.pointOffCurve, expecting: 401)
      _ = try await Self.migrate(client, "dt_old", key)
    }
  }
}
