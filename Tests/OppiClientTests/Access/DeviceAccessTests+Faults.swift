// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// Requests for tokens that fail or whose answers are lost.
extension DeviceAccessTests {
  @Test("a restarted server has forgotten the stored challenge; another is requested")
  func restart() {
    inWorld { world, server in
      await server.end(.inOrder)
      try server.start()
      try await world.me()
      server.expireTokens()
      try await world.me()
      #expect(server.refreshes == 1)
      #expect(server.requests("/auth/challenge") == 1)
    }
  }

  static func refusal(_ status: Int, _ error: JSONValue) -> Intervention {
    let body = JSONValue.object(["error": error]).bytes()
    return .answer(HTTPResponse(status: status, reason: "", body: body))
  }

  /// Runs a test in which the first requests for a path after the pairing have interventions.
  private static func run(
    answering path: String,
    _ interventions: [Intervention],
    offersChallenges: Bool = true,
    _ body: @escaping @Sendable (World, VirtualServer) async throws -> Void
  ) {
    inTroubledWorld {
      $0.offersChallenges = offersChallenges
    } _: { world, server, trouble in
      trouble.first(interventions, at: path)
      try await body(world, server)
    }
  }

  @Test("a server that rejects a token that it has just issued is not asked a third time")
  func newTokenRejected() {
    let rejection = Self.refusal(401, "Unauthorized")
    Self.run(answering: "/me", [rejection, rejection]) { world, server in
      #expect(await world.failure()?.reason == .accessRefused(.newTokenRejected))
      #expect(server.refreshes == 1)
      try await world.me()
    }
  }

  @Test("a server that restarts between challenge and refresh is asked for another challenge")
  func restartBetween() {
    let answer = Self.refusal(401, "unknown_nonce")
    Self.run(answering: "/auth/refresh", [answer], offersChallenges: false) { world, server in
      server.expireTokens()
      try await world.me()
      #expect(server.requests("/auth/challenge") == 2)
      #expect(server.refreshes == 1)
    }
  }

  @Test("a nonce that is refused twice is not tried a third time")
  func staleTwice() {
    let stale = Self.refusal(401, "nonce_expired")
    Self.run(answering: "/auth/refresh", [stale, stale, stale]) { world, server in
      server.expireTokens()
      #expect(await world.failure()?.reason == .accessRefused(.staleChallenge))
      #expect(server.requests("/auth/refresh") == 2)
    }
  }

  @Test("after a lost answer to a refresh, the next command gets a token")
  func lostAnswer() {
    Self.run(answering: "/auth/refresh", [.performThenDrop]) { world, server in
      server.expireTokens()
      guard case .noToken(.transport)? = await world.failure()?.reason else {
        Issue.record("no transport error")
        return
      }
      try await world.me()
      #expect(server.refreshes == 2)
      #expect(server.requests("/auth/challenge") == 1)
      // The challenge whose answer was lost is not sent again.
      #expect(server.requests("/auth/refresh") == 2)
    }
  }

  @Test(
    "challenges whose answers were lost make a device unknown, which is not called revoked",
    arguments: [3, 4]
  )
  func lostChallenges(count: Int) {
    let losses = Array(repeating: Intervention.performThenDrop, count: count)
    Self.run(answering: "/auth/challenge", losses, offersChallenges: false) { world, server in
      server.expireTokens()
      for _ in 0..<count { _ = await world.failure() }
      let failure = await world.failure()
      guard count == 4 else { return #expect(failure == nil) }
      #expect(failure?.reason == .accessRefused(.tooManyChallenges))
      try await world.pass(.seconds(90))
      try await world.me()
    }
  }

  @Test("a lost answer after a doubt starts the 90 s again")
  func lostInDoubt() {
    inTroubledWorld {
      $0.offersChallenges = false
    } _: { world, server, trouble in
      server.expireTokens()
      let unknown = Self.refusal(404, "Unknown or revoked device")
      let answers = [unknown, .performThenDrop, unknown, unknown]
      trouble.first(answers, at: "/auth/challenge")
      let refusals: [(pause: Int, AccessRefusal?)] = [
        (0, .tooManyChallenges), (50, nil), (50, .tooManyChallenges), (90, .unknownDevice),
      ]
      for (pause, refusal) in refusals {
        try await world.pass(.seconds(pause))
        let reason = await world.failure()?.reason
        if let refusal { #expect(reason == .accessRefused(refusal), "\(pause)") }
      }
    }
  }

  @Test("tokens whose answers were lost make a device unknown for a time")
  func lostTokens() {
    let losses = Array(repeating: Intervention.performThenDrop, count: 4)
    Self.run(answering: "/auth/refresh", losses) { world, server in
      server.expireTokens()
      for _ in 0..<4 { _ = await world.failure() }
      let failure = await world.failure()
      #expect(failure?.reason == .accessRefused(.tooManyChallenges), "reported as passing")
      #expect(server.requests("/auth/refresh") == 4)
    }
  }

  @Test(
    "three changes of the clock in 90 s do not revoke a device",
    arguments: [[3600, 3600, 3600, 3600], [-3600, -60, -60, -60], [4000, -4000, 4000, -4000]]
  )
  func clockChanges(jumps: [Int]) {
    inWorld { world, _ in
      for jump in jumps + jumps {
        world.kernel.jumpDay(by: .seconds(jump))
        let failure = await world.failure()
        #expect(failure == nil, "\(jump): \(failure as Any)")
        try await world.pass(.seconds(10))
      }
    }
  }

  @Test("a challenge that the clock calls over is signed if the server makes no other")
  func oldChallenge() {
    let unknown = Self.refusal(404, "Unknown or revoked device")
    Self.run(answering: "/auth/challenge", [unknown]) { world, server in
      world.kernel.jumpDay(by: .seconds(-60))
      try await world.me()
      #expect(server.refreshes == 1 && server.requests("/auth/challenge") == 1)
    }
  }

  @Test("a prompt is kept while a server may not know the device, and delivered after 90 s")
  func queued() {
    let unknown = Self.refusal(404, "Unknown or revoked device")
    Self.run(answering: "/auth/challenge", [unknown], offersChallenges: false) { world, server in
      _ = await world.oppi("workspaces")
      server.expireTokens()
      await world.oppi("ask", "-w", "demo", "hello", exits: 75)
      await world.oppi("ask", "--queue", "-w", "demo", "hello", exits: 0)
      try await world.pass(.seconds(100))
      await world.oppi("outbox", "flush", exits: 0)
      try await world.pass()
      #expect(server.heard == ["hello"])
    }
  }

  @Test("a server that limits requests is left alone for a minute, by all processes")
  func limited() {
    let limit = Self.refusal(429, "Too many challenge requests")
    Self.run(answering: "/auth/challenge", [limit], offersChallenges: false) { world, server in
      server.expireTokens()
      await world.oppi("sessions", exits: 75, saying: "Too many challenge requests")
      try await world.pass(.seconds(50))
      await world.oppi("sessions", exits: 75, saying: "retry in")
      // A clock that was set forward does not end the time.
      world.kernel.jumpDay(by: .seconds(600))
      await world.oppi("sessions", exits: 75, saying: "Too many challenge requests")
      #expect(server.requests("/auth/challenge") == 1)
      try await world.pass(.seconds(10))
      await world.oppi("sessions", exits: 0)
    }
  }

  @Test("a challenge is kept if the server limits tokens, and used again after a minute")
  func limitedTokens() {
    let limit = Self.refusal(429, "rate_limited")
    Self.run(answering: "/auth/refresh", [limit], offersChallenges: false) { world, server in
      server.expireTokens()
      await world.oppi("sessions", exits: 75, saying: "studio received too many requests")
      await world.oppi("sessions", exits: 75)
      #expect(server.requests("/auth/refresh") == 1)
      try await world.pass(.seconds(60))
      await world.oppi("sessions", exits: 0)
      #expect(server.requests("/auth/challenge") == 1 && server.requests("/auth/refresh") == 2)
    }
  }

  @Test(
    "a token file that cannot be used costs a refresh",
    arguments: [("nonsense", 0o600), (#"{"tokens":7}"#, 0o600), ("{}", 0o644), ("", 0o600)]
      as [(String, UInt32)]
  )
  func unreadable(text: String, mode: UInt32) {
    inWorld { world, server in
      world.disk.put(text, at: World.tokenFile, mode: mode)
      try await world.me()
      #expect(server.refreshes == 1)
      // It was replaced.
      try await world.me()
      #expect(server.refreshes == 1)
    }
  }

  @Test("a device whose challenges cannot be recorded is not reported as revoked")
  func unrecorded() {
    inWorld { world, server in
      server.expireTokens()
      world.disk.breakDown()
      defer { world.disk.set(Faults()) }
      for count in 1...6 {
        let failure = await world.failure()
        // Each refresh leaves a challenge, beside the one of the pairing.
        guard count > 3 else {
          #expect(failure == nil)
          continue
        }
        #expect(failure?.reason == .accessRefused(.tooManyChallenges), "\(count)")
      }
    }
  }
}
