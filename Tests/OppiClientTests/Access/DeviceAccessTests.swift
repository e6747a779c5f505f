// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Simulation
import Synchronization
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

extension World {
  /// The stored credential of the paired server.
  func credential() async throws -> CredentialStore.Credential {
    try await services.credentials.credential(for: paired)
  }

  /// Calls `GET /me` in a new process of the user.
  func me() async throws {
    let process = services
    try await process.connections.client(for: paired).within(.timeout).me()
  }

  /// Calls `GET /me` in the same way, and returns the error.
  func failure() async -> OppiError? {
    do {
      try await me()
      return nil
    } catch {
      return OppiError(error)
    }
  }

  /// Calls `GET /me` in fifty processes at once.
  func crowd() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 { group.addTask { try await self.me() } }
      try await group.waitForAll()
    }
  }
}

extension VirtualServer {
  func requests(_ path: String) -> Int { requests.count { $0.path == path } }
}

@Suite("Access by a device key", .needs("openssl"))
struct DeviceAccessTests {
  @Test("pairing enrols a key, and its token serves other processes")
  func pairing() {
    inWorld { world, server in
      try await world.me()
      #expect(server.refreshes == 0)
      guard case .device(let device) = try await world.credential() else {
        Issue.record("no device")
        return
      }
      #expect(device.deviceID?.hasPrefix("dev_") == true)
    }
  }

  @Test("pairing over plain http is refused with its reason")
  func plainHTTP() {
    let refusal = Intervention.answer(status: 403, error: "HTTPS required")
    let interceptor: Interceptor = { $0.isRequest("/pair") ? refusal : .proceed }
    inWorld(isPaired: false, where: \.interceptor, is: interceptor) { world, server in
      let invite = try #require(server.inviteText())
      await world.oppi("pair", invite, exits: 77, saying: "studio requires https")
    }
  }

  @Test("an expired token is replaced by one refresh, without a request for a challenge")
  func refresh() {
    inWorld { world, server in
      server.expireTokens()
      try await world.me()
      try await world.me()
      #expect(server.refreshes == 1)
      #expect(server.requests("/auth/challenge") == 0)
    }
  }

  @Test("neither the token of another device in the file nor its challenge is used")
  func otherDevice() {
    inWorld { world, server in
      let (tokens, id) = (world.services.accessTokens, try world.paired.id)
      var token = try #require(try tokens.token(of: id))
      token.deviceID = "dev_other"
      try await tokens.store(token, of: id)
      try await world.me()
      #expect(server.refreshes == 1)
      #expect(server.requests("/auth/challenge") == 1)
    }
  }

  @Test("without a stored challenge, one is requested")
  func challenge() {
    inWorld(where: \.offersChallenges, is: false) { world, server in
      for count in 1...3 {
        server.expireTokens()
        try await world.me()
        #expect(server.refreshes == count)
        #expect(server.requests("/auth/challenge") == count)
      }
    }
  }

  @Test("neither the token nor the challenge of an earlier device is used")
  func earlierDevice() {
    inWorld { world, server in
      let earlier = world.disk.text(at: World.tokenFile)
      await world.oppi("pair", try #require(server.inviteText()), exits: 0)
      // As if another process had written it late.
      world.disk.put(earlier, at: World.tokenFile)
      try await world.me()
      #expect(server.requests("/auth/challenge") == 1 && server.requests("/auth/refresh") == 1)
      let (process, id) = (world.services, try world.paired.id)
      #expect(
        try process.accessTokens.token(of: id)?.deviceID
          == process.credentials.device(of: id)?.deviceID
      )
    }
  }

  @Test("a token whose time is over is replaced before the request")
  func expiry() {
    // The header with the server's time omits fractions of a second. The server still accepts it.
    inWorld(where: \.limits.accessTokenLifetime, is: .seconds(-2)) { world, server in
      let before = server.refreshes
      let rejected = server.requests.count { $0.status == 401 }
      try await world.me()
      #expect(server.refreshes == before + 1)
      #expect(server.requests.count { $0.status == 401 } == rejected)
    }
  }

  @Test("a token counts as a second shorter, because the server's time omits fractions")
  func roundedTime() {
    inTroubledWorld { world, _, trouble in
      trouble.begin { step in
        guard step.isRequest("/auth/refresh") else {
          return step.isRequest("/me") ? .answer(json: [:]) : .proceed
        }
        // The token is valid for 100 s.
        let body: JSONValue = ["accessToken": "at_new", "expiresAt": 784_111_877_000]
        let headers = HTTPHeaders([("Date", "Sun, 06 Nov 1994 08:49:37 GMT")])
        return .answer(HTTPResponse(status: 200, headers: headers, body: body.bytes()))
      }
      let (tokens, id) = (world.services.accessTokens, try world.paired.id)
      try await tokens.store(nil, of: id)
      try await world.me()
      let token = try #require(try tokens.token(of: id))
      #expect(token.text == "at_new")
      #expect(token.expiresAt.milliseconds - token.issuedAt.milliseconds == 99_000)
    }
  }

  @Test("fifty processes with an expired token make one refresh")
  func crowd() {
    inWorld { world, server in
      server.expireTokens()
      try await world.crowd()
      #expect(server.refreshes == 1)
      #expect(server.requests("/auth/refresh") == 1)
    }
  }

  @Test("a process that is stopped while it requests a token does not block others")
  func stopped() {
    inWorld { world, server in
      server.expireTokens()
      let (tokens, id) = (world.services.accessTokens, try world.paired.id)
      let failure = try await tokens.withLock(of: id, lockTimeout: .zero) { await world.failure() }
      #expect(failure == nil)
      #expect(server.refreshes == 1)
      #expect(!world.disk.paths.contains { $0.contains("/.access-sha") })
    }
  }

  @Test("a client that stays open replaces its token again and again")
  func longLived() {
    inWorld { world, server in
      let client = try await world.services.connections.client(for: world.paired)
      for _ in 0..<3 {
        server.expireTokens()
        try await client.within(.timeout).me()
      }
      #expect(server.refreshes == 3)
    }
  }

  @Test(
    "a revoked device is refused at once if the server says so, else if it says so for 90 s",
    arguments: [true, false]
  )
  func revoked(offersChallenges: Bool) {
    inWorld(where: \.offersChallenges, is: offersChallenges) { world, server in
      server.revokeDevices()
      if !offersChallenges {
        for _ in 0..<2 {
          let failure = await world.failure()
          #expect(failure?.reason == .accessRefused(.tooManyChallenges), "\(failure as Any)")
          #expect(failure?.code.status == .tryAgain && failure?.isPassing == true)
        }
        // The server's limit counts the requests of all devices behind an address.
        #expect(server.requests("/auth/challenge") == 1)
        try await world.pass(.seconds(90))
      }
      let failure = await world.failure()
      let expected = offersChallenges ? AccessRefusal.revoked : .unknownDevice
      #expect(failure?.reason == .accessRefused(expected), "\(failure as Any)")
      let words = offersChallenges ? "revoked" : "Unknown or revoked device"
      #expect(failure?.message == "studio has revoked this device: \(words)")
      // Also while the server is not asked for a time.
      await world.oppi("servers", "test", exits: 77, saying: "studio has revoked this device")
    }
  }

  @Test("a server that has revoked the device is asked only by commands that test it")
  func revokedOften() {
    inWorld { world, server in
      server.revokeDevices()
      await world.oppi("sessions", exits: 77)
      let count = server.requests.count
      let lines = ["sessions", "ask -w demo hello", "workspaces", "approvals", "status"]
      for words in lines.map(\.wordsOfRow) {
        let outcome = await world.oppi(words, exits: words == ["status"] ? nil : 77)
        #expect("\(outcome)".contains("studio has revoked this device: revoked"), "\(outcome)")
        #expect(words == ["status"] || outcome.errors.contains("oppi pair -"), "\(outcome)")
      }
      let shown = await world.oppi("servers", "show", "studio", exits: 0)
      #expect(shown.lines.contains("token\trefused: studio has revoked this device: revoked"))
      #expect(server.requests.count == count)
      for words in [["servers", "test"], ["doctor"]] {
        let before = server.requests("/auth/challenge")
        _ = await world.oppi(words, saying: words == ["doctor"] ? nil : "has revoked this device")
        #expect(server.requests("/auth/challenge") > before, "\(words)")
      }
      // Paired again, it is another device.
      await world.oppi("pair", try #require(server.inviteText()), exits: 0)
      await world.oppi("sessions", exits: 0)
    }
  }

  @Test("a test that succeeds lets all commands ask again")
  func acceptedAgain() {
    inTroubledWorld { world, server, trouble in
      trouble.at("/auth/refresh", Self.refusal(403, "revoked"))
      server.expireTokens()
      await world.oppi("sessions", exits: 77)
      trouble.end()
      await world.oppi("sessions", exits: 77)
      await world.oppi("servers", "test", exits: 0)
      await world.oppi("sessions", exits: 0)
    }
  }

  @Test("a device that a server has refused stays refused while the server limits requests")
  func limitedRefusal() {
    inTroubledWorld { world, server, trouble in
      server.revokeDevices()
      await world.oppi("sessions", exits: 77)
      trouble.at("/auth/challenge", Self.refusal(429, "Too many challenge requests"))
      for _ in 1...2 {
        await world.oppi("servers", "test", exits: 77, saying: "studio has revoked this device")
      }
      #expect(server.requests("/auth/challenge") == 1)
    }
  }

  @Test("a stream that ends because the device was revoked tells all commands")
  func revokedStream() {
    inWorld { world, server in
      let follower = world.begin("follow", try await world.session(asking: "silent"))
      try await world.pass()
      server.revokeDevices()
      let outcome = await follower.value
      #expect(outcome.status == 77, "\(outcome)")
      let count = server.requests.count
      await world.oppi("sessions", exits: 77, saying: "has revoked this device: Device revoked")
      #expect(server.requests.count == count)
    }
  }

  @Test("a 403 of a proxy is no refusal for good")
  func proxy() {
    inTroubledWorld { world, server, trouble in
      trouble.at("/auth/refresh", Self.refusal(403, "Forbidden"))
      server.expireTokens()
      await world.oppi("sessions", exits: 77, saying: "studio denied access (403): Forbidden")
      trouble.end()
      await world.oppi("sessions", exits: 0)
    }
  }

  @Test("workspaces of a server that has revoked the device are listed with status 77")
  func workspaces() {
    inWorld { world, server in
      await world.oppi("workspaces", exits: 0)
      server.revokeDevices()
      for _ in 1...2 {
        let outcome = await world.oppi("workspaces", exits: 77, saying: "has revoked this device")
        #expect(outcome.lines.count == 2 && outcome.output.contains("stale"), "\(outcome)")
        // A young list is not asked for.
        let young = await world.oppi("workspaces", "--max-age", "1h", exits: 77)
        #expect(young.output == outcome.output && young.errors == outcome.errors, "\(young)")
      }
      _ = try await world.addServer(named: "attic")
      for age in ["0s", "1h"] {
        let words = ["workspaces", "--max-age", age]
        let mixed = await world.oppi(words, exits: 0)
        let warnings = mixed.errorLines.count { $0.contains("warning: studio has revoked") }
        #expect(warnings == 1, "\(mixed)")
      }
    }
  }

  // MARK: - Secrets

  @Test(
    "errors contain no secret, even if the server repeats what it was sent",
    arguments: ["/pair", "/auth/challenge", "/auth/refresh", "/me"]
  )
  func secrets(path: String) {
    let isArmed = Atomic(path == "/pair")
    let sent = Mutex<[String]>([])
    inWorld(isPaired: false) { configuration in
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
    } _: { world, server in
      let process = world.services
      let pairing = Pairing(
        network: process.network,
        servers: process.serverStore,
        credentials: process.credentials,
        tokens: process.accessTokens
      )
      var failure: OppiError?
      do {
        let invite = try Invite(try #require(server.inviteText()))
        _ = try await pairing.pair(with: invite, name: nil, until: world.loop.now + .timeout)
        isArmed.store(true, ordering: .relaxed)
        if path != "/me" { server.expireTokens() }
        failure = await world.failure()
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
