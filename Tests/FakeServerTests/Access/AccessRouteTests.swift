// SPDX-License-Identifier: MIT

import HTTPCodec
import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import FakeServer
@testable import OppiHost

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
}
