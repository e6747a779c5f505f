// SPDX-License-Identifier: MIT

import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Sockets of devices", .needs("openssl"))
struct AccessSocketTests {
  private static func configuration(
    lifetime: Duration = .seconds(600)
  ) -> FakeServer.Configuration {
    var configuration = FakeServer.Configuration()
    configuration.dialect = .deviceKeys
    configuration.acceptsPlainHTTP = true
    configuration.limits.accessTokenLifetime = lifetime
    configuration.limits.accessTokenGrace = .zero
    return configuration
  }

  /// Opens the socket of a new session, and returns how the server closes it.
  private static func close(
    _ client: TestClient,
    after action: @Sendable (TestClient, _ deviceID: String) async throws -> Void
  ) async throws -> TestStream.Closed? {
    let (deviceID, token) = try #require(client.server.enrol(try TestDevice().publicKey))
    var device = client
    device.token = token
    let id = try await device.createSession()
    let stream = try await device.connect(device.sessionPath(id, "/stream"))
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
    try TestClient.run(Self.configuration(lifetime: .milliseconds(700))) { client in
      #expect(try await Self.close(client) { _, _ in } == Self.expired)
      // The client's answer was received.
      try await client.wait { $0.closeCodes == [4001] }
    }
  }

  @Test("are closed when their device is revoked, by a request or by a test")
  func revocation() throws {
    try TestClient.run(Self.configuration()) { client in
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
