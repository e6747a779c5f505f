// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import HTTPCodec
import OppiModel
import OppiSystem
import OppiTransport
import Synchronization
import TestSupport
import Testing

@testable import Oppi

@Suite("Access by a device key", .needs("openssl"))
struct DeviceAccessTests {
  @Test("pairing enrols a key, and its token serves other processes")
  func pairing() throws {
    let home = try DeviceHome()
    try home.runPaired { process, server in
      try await process().me(server)
      #expect(home.server.refreshes == 0)
      guard case .device(let device) = try await process().credentials.credential(for: server)
      else {
        Issue.record("no device")
        return
      }
      #expect(device.deviceID?.hasPrefix("dev_") == true)
    }
  }

  @Test("pairing works over TLS")
  func tls() throws {
    let home = try DeviceHome { configuration in
      configuration.acceptsPlainHTTP = false
      configuration.tls = try? TLSContext.selfSigned()
      configuration.certificatePin = configuration.tls?.certificatePin
    }
    try home.runPaired { process, server in
      home.server.expireTokens()
      try await process().me(server)
      #expect(home.server.refreshes == 1)
    }
  }

  @Test("pairing over plain http is refused with its reason")
  func plainHTTP() throws {
    let home = try DeviceHome { $0.acceptsPlainHTTP = false }
    try home.run { process in
      await #expect {
        _ = try await process().pair(with: home.server)
      } throws: { error in
        (error as? OppiError)?.reason == .accessRefused(.httpsRequired)
      }
    }
  }

  @Test("an expired token is replaced by one refresh, without a request for a challenge")
  func refresh() throws {
    let home = try DeviceHome()
    try home.runPaired { process, server in
      home.server.expireTokens()
      try await process().me(server)
      try await process().me(server)
      #expect(home.server.refreshes == 1)
      #expect(home.requests("/auth/challenge") == 0)
    }
  }

  @Test("neither the token of another device in the file nor its challenge is used")
  func otherDevice() throws {
    let home = try DeviceHome()
    try home.runPaired { process, server in
      var token = try #require(try process().tokens.token(of: server.id))
      token.deviceID = "dev_other"
      try await process().tokens.store(token, of: server.id)
      try await process().me(server)
      #expect(home.server.refreshes == 1)
      #expect(home.requests("/auth/challenge") == 1)
    }
  }

  @Test("without a stored challenge, one is requested")
  func challenge() throws {
    let home = try DeviceHome { $0.offersChallenges = false }
    try home.runPaired { process, server in
      for count in 1...3 {
        home.server.expireTokens()
        try await process().me(server)
        #expect(home.server.refreshes == count)
        #expect(home.requests("/auth/challenge") == count)
      }
    }
  }

  @Test("neither the token nor the challenge of an earlier device is used")
  func earlierDevice() throws {
    let home = try DeviceHome()
    try home.run { process in
      _ = try await process().pair(with: home.server)
      let earlier = try #require(home.tokens)
      let server = try await process().pair(with: home.server)
      // As if another process had written it late.
      try home.writeTokens(earlier)
      try await process().me(server)
      #expect(home.requests("/auth/challenge") == 1 && home.requests("/auth/refresh") == 1)
      #expect(
        try process().tokens.token(of: server.id)?.deviceID
          == process().credentials.device(of: server.id)?.deviceID
      )
    }
  }

  @Test("a token whose time is over is replaced before the request")
  func expiry() throws {
    // The header with the server's time omits fractions of a second. The server still accepts it.
    let home = try DeviceHome { $0.limits.accessTokenLifetime = .seconds(-2) }
    try home.runPaired { process, server in
      let before = home.server.refreshes
      let rejected = home.server.journal.requests.count { $0.status == 401 }
      try await process().me(server)
      #expect(home.server.refreshes == before + 1)
      #expect(home.server.journal.requests.count { $0.status == 401 } == rejected)
    }
  }

  @Test("a token counts as a second shorter, because the server's time omits fractions")
  func roundedTime() throws {
    let home = try DeviceHome { configuration in
      configuration.interceptor = { step in
        guard case .request(let request, _) = step else { return .proceed }
        switch request.target {
        case "/me": return .answer(json: [:])
        case "/auth/refresh":
          // The token is valid for 100 s.
          let body: JSONValue = ["accessToken": "at_new", "expiresAt": 784_111_877_000]
          let headers = HTTPHeaders([("Date", "Sun, 06 Nov 1994 08:49:37 GMT")])
          return .answer(HTTPResponse(status: 200, headers: headers, body: body.bytes()))
        default: return .proceed
        }
      }
    }
    try home.runPaired { process, server in
      try await process().tokens.store(nil, of: server.id)
      try await process().me(server)
      let token = try #require(try process().tokens.token(of: server.id))
      #expect(token.text == "at_new")
      #expect(token.expiresAt.milliseconds - token.issuedAt.milliseconds == 99_000)
    }
  }

  @Test("fifty processes with an expired token make one refresh")
  func crowd() throws {
    let home = try DeviceHome()
    try home.runPaired { process, server in
      home.server.expireTokens()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<50 {
          let own = process()
          group.addTask { try await own.me(server) }
        }
        try await group.waitForAll()
      }
      #expect(home.server.refreshes == 1)
      #expect(home.requests("/auth/refresh") == 1)
    }
  }

  @Test("a process that is stopped while it requests a token does not block others")
  func stopped() throws {
    let home = try DeviceHome()
    try home.runPaired { process, server in
      home.server.expireTokens()
      let failure = try await process().tokens.withLock(of: server.id, lockTimeout: .zero) {
        await process().failure(server)
      }
      #expect(failure == nil)
      #expect(home.server.refreshes == 1)
      #expect(home.stateFiles.filter { $0.hasPrefix(".access-sha") }.isEmpty)
    }
  }

  @Test("a client that stays open replaces its token again and again")
  func longLived() throws {
    let home = try DeviceHome()
    try home.runPaired { process, server in
      let client = try await process().connections.client(for: server)
      for _ in 0..<3 {
        home.server.expireTokens()
        try await client.until(.farOff).me()
      }
      #expect(home.server.refreshes == 3)
    }
  }

  @Test("a revoked device is refused", arguments: [true, false])
  func revoked(offersChallenges: Bool) throws {
    let home = try DeviceHome { $0.offersChallenges = offersChallenges }
    try home.runPaired { process, server in
      home.server.revokeDevices()
      let expected = offersChallenges ? AccessRefusal.revoked : .unknownDevice
      for _ in 0..<2 {
        guard case .accessRefused(let refusal)? = await process().failure(server)?.reason else {
          Issue.record("not refused")
          return
        }
        #expect(refusal == expected || refusal == .unknownDevice)
        #expect(refusal.isFinal)
      }
    }
  }

  @Test("a revoked device is refused for the same reason, however often it asks")
  func revokedOften() throws {
    let home = try DeviceHome()
    try home.runPaired { process, server in
      home.server.revokeDevices()
      for _ in 0..<20 {
        guard case .accessRefused(let refusal)? = await process().failure(server)?.reason else {
          Issue.record("not refused")
          return
        }
        #expect(refusal == .unknownDevice || refusal == .revoked)
      }
      // Paired again, it is another device.
      _ = try await process().pair(with: home.server)
      try await process().me(server)
    }
  }

  // MARK: - Secrets

  @Test(
    "errors contain no secret, even if the server repeats what it was sent",
    arguments: ["/pair", "/auth/challenge", "/auth/refresh", "/me"]
  )
  func secrets(path: String) throws {
    let isArmed = Atomic(path == "/pair")
    let sent = Mutex<[String]>([])
    let home = try DeviceHome { configuration in
      configuration.offersChallenges = false
      configuration.interceptor = { step in
        guard case .request(let request, _) = step else { return .proceed }
        let body = (try? JSONValue(parsing: request.body)) ?? .null
        var secrets = ["pairingToken", "nonce", "signature"].compactMap { body[$0].string }
        let key = body["devicePublicKey"]
        secrets += ["x", "y"].compactMap { key[$0].string }
        if let value = request.headers["Authorization"] {
          secrets.append(String(value.dropFirst(7)))
        }
        sent.withLock { $0 += secrets }
        guard request.target == path, isArmed.load(ordering: .relaxed) else { return .proceed }
        return Self.refusal(500, .string("bad: \(secrets.joined(separator: " and "))"))
      }
    }
    try home.run { process in
      var failure: OppiError?
      do throws(any Error) {
        let server = try await process().pair(with: home.server)
        isArmed.store(true, ordering: .relaxed)
        if path != "/me" { home.server.expireTokens() }
        failure = await process().failure(server)
      } catch {
        failure = error as? OppiError
      }
      let text = "\(try #require(failure)) \(String(reflecting: failure))"
      #expect(text.contains("bad"))
      for secret in sent.withLock(\.self) { #expect(!text.contains(secret)) }
      #expect(sent.withLock(\.self).isEmpty == false)
    }
  }
}
