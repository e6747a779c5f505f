// SPDX-License-Identifier: MIT

import FakeServer
import HostTestSupport
import OppiText
import OppiWire
import TestSupport
import Testing

@Suite("Routes of a server with device keys", .needs("openssl"))
struct AccessRouteTests {
  private static let unauthorized = JSONValue.object(["error": "Unauthorized"])

  private static func invite(_ client: TestClient) throws -> JSONValue {
    try JSONValue(parsing: Array(client.server.makeInvite().json.utf8))["pairingToken"]
  }

  // MARK: - Pairing

  @Test("a request without a key, or with an invalid one, leaves the invite valid")
  func invalidKeys() throws {
    try TestClient.run(.devices()) { client in
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
    try TestClient.run(.devices()) { client in
      let answer = try await client.call("POST", path, text: body, expecting: status)
      #expect(answer == ["error": .string(error)])
    }
  }

  @Test("bodies of 16 KiB are read, longer ones are refused", arguments: [16_384, 16_385])
  func bodyLimit(size: Int) throws {
    try TestClient.run(.devices()) { client in
      for path in ["/pair", "/auth/challenge", "/auth/refresh"] {
        let text = "{" + String(repeating: " ", count: size - 2) + "}"
        let isTooLarge = size > 16_384
        let status = isTooLarge ? 413 : 400
        let answer = try await client.call("POST", path, text: text, expecting: status)
        #expect(isTooLarge == (answer["error"] == "Request body too large"))
      }
    }
  }

  @Test("over plain http, only the health is reported")
  func plainHTTP() throws {
    try TestClient.run(.devices { $0.acceptsPlainHTTP = false }) { client in
      let enrolled = try #require(client.server.enrol(try TestDevice().publicKey))
      let device = client.with(token: enrolled.token)
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
    try TestClient.run(.devices()) { client in
      let token = try #require(client.server.enrol(try TestDevice().publicKey)).token
      let stranger = client.with(token: nil)
      try await stranger.call("GET", "/me?token=\(token)", expecting: 401)
      try await stranger.call("GET", "/nowhere", expecting: 401)
      try await stranger.call("OPTIONS", "/me", expecting: 401)
      try await client.with(token: token).call("GET", "/nowhere", expecting: 404)
      // Upgrades, too.
      let path = "/workspaces/qX3dEmo0/sessions/none/stream"
      let refusal = try await client.upgrade(path) { $0.contains("\r\n\r\n") }
      #expect(refusal.hasPrefix("HTTP/1.1 401 "))
    }
  }

  // MARK: - Devices

  @Test("a device can revoke another and itself")
  func devices() throws {
    try TestClient.run(.devices()) { client in
      let first = try #require(client.server.enrol(try TestDevice().publicKey))
      let second = try #require(client.server.enrol(try TestDevice().publicKey))
      let device = client.with(token: first.token)
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

@Suite("Sockets of devices", .needs("openssl"))
struct AccessSocketTests {
  /// Opens the socket of a new session, and returns how the server closes it.
  private static func close(
    _ client: TestClient,
    after action: @Sendable (TestClient, _ deviceID: String) async throws -> Void
  ) async throws -> TestStream.Closed? {
    let (deviceID, token) = try #require(client.server.enrol(try TestDevice().publicKey))
    let device = client.with(token: token)
    let stream = try await device.connectSession(device.createSession())
    _ = try await stream.next()
    try await action(device, deviceID)
    do {
      while true { _ = try await stream.next() }
    } catch let closed as TestStream.Closed {
      return closed
    }
  }

  private static let expired = TestStream.Closed(code: 4001, reason: "auth_expired")
  private static let revoked = TestStream.Closed(code: 1008, reason: "Device revoked")

  @Test("are closed when the token of their upgrade ends")
  func expiry() throws {
    let configuration = FakeServer.Configuration.devices {
      $0.limits.accessTokenLifetime = .milliseconds(700)
      $0.limits.accessTokenGrace = .zero
    }
    try TestClient.run(configuration) { client in
      #expect(try await Self.close(client) { _, _ in } == Self.expired)
      // The client's answer was received.
      try await client.wait { $0.closeCodes == [4001] }
    }
  }

  @Test("are closed when their device is revoked, by a request or by a test")
  func revocation() throws {
    try TestClient.run(.devices()) { client in
      let first = try await Self.close(client) { client, id in
        try await client.call("DELETE", "/auth/devices/\(id)")
      }
      #expect(first == Self.revoked)
      let second = try await Self.close(client) { client, _ in client.server.revokeDevices() }
      #expect(second == Self.revoked)
      let third = try await Self.close(client) { client, id in
        #expect(client.server.revokeDevice(id))
        #expect(!client.server.revokeDevice(id))
      }
      #expect(third == Self.revoked)
    }
  }
}
