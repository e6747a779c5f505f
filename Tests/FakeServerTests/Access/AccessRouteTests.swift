// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import FakeServer

@Suite("Routes of a server with device keys", .needs("openssl"))
struct AccessRouteTests {
  private static let unauthorized = JSONValue.object(["error": "Unauthorized"])

  private static func configuration(
    _ change: (inout FakeServer.Configuration) -> Void = { _ in }
  ) -> FakeServer.Configuration {
    var configuration = FakeServer.Configuration()
    configuration.dialect = .deviceKeys
    configuration.acceptsPlainHTTP = true
    change(&configuration)
    return configuration
  }

  private static func invite(_ client: TestClient) throws -> JSONValue {
    try JSONValue(parsing: Array(client.server.makeInvite().json.utf8))["pairingToken"]
  }

  private static func pair(
    _ client: TestClient,
    _ device: TestDevice,
    name: String = "studio"
  ) async throws -> JSONValue {
    try await client.call(
      "POST",
      "/pair",
      body: .object([
        "pairingToken": try invite(client), "devicePublicKey": device.publicKey.json,
        "deviceName": .string(name),
      ])
    )
  }

  // MARK: - Pairing

  @Test("pairing enrols a key; its token works, and the owner's does not")
  func pairing() throws {
    try TestClient.run(Self.configuration()) { client in
      #expect(try await client.call("GET", "/me", expecting: 401) == Self.unauthorized)
      let answer = try await Self.pair(client, try TestDevice(), name: "  my desk ")
      let token = try #require(answer["accessToken"].string)
      #expect(answer["deviceId"].string?.hasPrefix("dev_") == true)
      #expect(answer["deviceId"].string?.count == 20)
      #expect(token.hasPrefix("at_") && token.count == 27)
      #expect(answer["refreshChallenge"]["audience"] == "oppi:refresh:v1")
      #expect(answer["refreshChallenge"]["nonce"].string?.count == 43)
      var device = client
      device.token = token
      #expect(try await device.call("GET", "/me")["user"] == "owner")
      let list = try await device.call("GET", "/auth/devices")["devices"].array
      #expect(list?.count == 1)
      #expect(list?[0]["name"] == "my desk")
      #expect(list?[0]["keyEnrolled"] == true)
    }
  }

  @Test("answers have the server's time")
  func date() throws {
    try TestClient.run(Self.configuration()) { client in
      for (method, target) in [("POST", "/auth/challenge"), ("GET", "/health"), ("GET", "/me")] {
        let response = try await client.exchange(method, target)
        let date = try #require(response.headers["Date"])
        #expect(Timestamp(httpDate: date) != nil)
      }
    }
  }

  @Test("a request without a key, or with an invalid one, leaves the invite valid")
  func invalidKeys() throws {
    try TestClient.run(Self.configuration()) { client in
      let token = try Self.invite(client)
      func pair(_ members: JSONObject, expecting status: Int) async throws -> JSONValue {
        try await client.call("POST", "/pair", body: .object(members), expecting: status)
      }
      #expect(try await pair([:], expecting: 400)["error"] == "pairingToken required")
      #expect(
        try await pair(["pairingToken": token], expecting: 400)["error"]
          == "devicePublicKey required"
      )
      for key in ["", [:], TestDevice.pointOffCurve] as [JSONValue] {
        let answer = try await pair(
          ["pairingToken": token, "devicePublicKey": key],
          expecting: 401
        )
        #expect(answer["error"] == "Invalid or expired pairing token")
      }
      let key = try TestDevice().publicKey.json
      _ = try await pair(["pairingToken": token, "devicePublicKey": key], expecting: 200)
      _ = try await pair(["pairingToken": token, "devicePublicKey": key], expecting: 401)
    }
  }

  @Test("five failures block pairing")
  func blocked() throws {
    try TestClient.run(Self.configuration()) { client in
      let key = try TestDevice().publicKey.json
      for _ in 0..<5 {
        let body: JSONValue = ["pairingToken": "pt_wrong", "devicePublicKey": key]
        try await client.call("POST", "/pair", body: body, expecting: 401)
      }
      let body: JSONValue = [
        "pairingToken": try Self.invite(client), "devicePublicKey": key,
      ]
      let answer = try await client.call("POST", "/pair", body: body, expecting: 429)
      #expect(answer["error"] == "Too many invalid pairing attempts. Try again later.")
    }
  }

  @Test("a server with bearer tokens ignores the key")
  func bearer() throws {
    try TestClient.run { client in
      let answer = try await Self.pair(client, try TestDevice())
      #expect(answer["deviceToken"].string?.hasPrefix("dt_") == true)
      #expect(answer["accessToken"] == .null)
    }
  }

  // MARK: - Refusals

  static let refusals: [(path: String, body: String, status: Int, error: String)] = [
    ("/pair", "{", 400, "Invalid JSON"),
    ("/auth/challenge", "{", 400, "Invalid JSON"),
    ("/auth/refresh", "nope", 400, "Invalid JSON"),
    ("/auth/challenge", "", 400, "deviceId required"),
    ("/auth/challenge", #"{"deviceId":""}"#, 400, "deviceId required"),
    ("/auth/challenge", #"{"deviceId":"dev_x"}"#, 404, "Unknown or revoked device"),
    ("/auth/refresh", "{}", 400, "deviceId, nonce, and signature required"),
    (
      "/auth/refresh", #"{"deviceId":"dev_x","nonce":"n"}"#, 400,
      "deviceId, nonce, and signature required"
    ),
    ("/auth/refresh", #"{"deviceId":"dev_x","nonce":"n","signature":"s"}"#, 404, "unknown_device"),
    ("/auth/migrate", "{}", 401, "Unauthorized"),
    ("/nowhere", "", 401, "Unauthorized"),
  ]

  @Test("refusals", arguments: refusals)
  func refusal(path: String, body: String, status: Int, error: String) throws {
    try TestClient.run(Self.configuration()) { client in
      let response = try await client.exchange("POST", path, text: body)
      #expect(response.status == status)
      #expect(try JSONValue(parsing: response.body) == ["error": .string(error)])
    }
  }

  @Test("bodies of 16 KiB are read, longer ones are refused", arguments: [16_384, 16_385])
  func bodyLimit(size: Int) throws {
    try TestClient.run(Self.configuration()) { client in
      for path in ["/pair", "/auth/challenge", "/auth/refresh"] {
        let text = "{" + String(repeating: " ", count: size - 2) + "}"
        let response = try await client.exchange("POST", path, text: text)
        #expect(response.status == (size > 16_384 ? 413 : 400))
        if size > 16_384 {
          #expect(try JSONValue(parsing: response.body)["error"] == "Request body too large")
        }
      }
    }
  }

  @Test("over plain http, only the health is reported")
  func plainHTTP() throws {
    try TestClient.run(Self.configuration { $0.acceptsPlainHTTP = false }) { client in
      var device = client
      device.token = try #require(client.server.enrol(try TestDevice().publicKey)).token
      for path in ["/pair", "/auth/challenge", "/auth/refresh"] {
        let answer = try await client.call("POST", path, expecting: 403)
        #expect(answer == ["error": "HTTPS required"])
      }
      for path in ["/me", "/nowhere", "/auth/devices"] {
        #expect(try await device.call("GET", path, expecting: 401) == Self.unauthorized)
      }
      let health = try await client.call("GET", "/health")
      #expect(health == ["ok": true, "protocol": 2])
    }
  }

  @Test("over TLS, tokens are accepted")
  func tls() throws {
    var configuration = Self.configuration { $0.acceptsPlainHTTP = false }
    configuration.tls = try TLSContext.selfSigned()
    configuration.certificatePin = configuration.tls?.certificatePin
    try TestClient.run(configuration) { client in
      let answer = try await Self.pair(client, try TestDevice())
      var device = client
      device.token = answer["accessToken"].string
      try await device.call("GET", "/me")
    }
  }

  @Test("unknown paths and tokens in the query are refused like a missing token")
  func authorization() throws {
    try TestClient.run(Self.configuration()) { client in
      let token = try #require(client.server.enrol(try TestDevice().publicKey)).token
      var stranger = client
      stranger.token = nil
      try await stranger.call("GET", "/me?token=\(token)", expecting: 401)
      try await stranger.call("GET", "/nowhere", expecting: 401)
      try await stranger.call("OPTIONS", "/me", expecting: 401)
      var device = client
      device.token = token
      try await device.call("GET", "/nowhere", expecting: 404)
      // Upgrades, too.
      let path = "/workspaces/qX3dEmo0/sessions/none/stream"
      let refusal = try await client.upgrade(path) { $0.contains("\r\n\r\n") }
      #expect(refusal.hasPrefix("HTTP/1.1 401 "))
    }
  }

  // MARK: - Devices

  @Test("a device can revoke another and itself")
  func devices() throws {
    try TestClient.run(Self.configuration()) { client in
      let first = try #require(client.server.enrol(try TestDevice().publicKey))
      let second = try #require(client.server.enrol(try TestDevice().publicKey))
      var device = client
      device.token = first.token
      #expect(try await device.call("DELETE", "/auth/devices/\(second.deviceID)") == ["ok": true])
      let again = try await device.call(
        "DELETE",
        "/auth/devices/\(second.deviceID)",
        expecting: 404
      )
      #expect(again == ["error": "Unknown or already-revoked device"])
      try await device.call("DELETE", "/auth/devices/dev_none", expecting: 404)
      let list = try await device.call("GET", "/auth/devices")["devices"].array ?? []
      #expect(list.map { $0["revokedAt"] == .null } == [true, false])
      try await device.call("DELETE", "/auth/devices/\(first.deviceID)")
      try await device.call("GET", "/auth/devices", expecting: 401)
    }
  }

  // MARK: - Restarts

  @Test("devices and tokens survive a restart, challenges do not")
  func restart() throws {
    try TestClient.run(Self.configuration()) { client in
      let device = try TestDevice()
      let answer = try await Self.pair(client, device)
      var after = try client.restarted(Self.configuration(), from: await client.server.stop())
      after.token = answer["accessToken"].string
      try await after.call("GET", "/me")
      let nonce = try #require(answer["refreshChallenge"]["nonce"].string)
      func refresh(_ nonce: String, expecting status: Int) async throws -> JSONValue {
        let body: JSONValue = [
          "deviceId": answer["deviceId"], "nonce": .string(nonce),
          "signature": .string(try device.sign(nonce)),
        ]
        return try await after.call("POST", "/auth/refresh", body: body, expecting: status)
      }
      #expect(try await refresh(nonce, expecting: 401)["error"] == "unknown_nonce")
      let challenge = try await after.call(
        "POST",
        "/auth/challenge",
        body: ["deviceId": answer["deviceId"]]
      )
      let fresh = try #require(challenge["nonce"].string)
      #expect(try await refresh(fresh, expecting: 200)["accessToken"].string != nil)
      #expect(after.server.refreshes == 1)
      await after.server.stop()
    }
  }
}
