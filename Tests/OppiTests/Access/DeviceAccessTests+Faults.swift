// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiModel
import Simulation
import TestSupport
import Testing

@testable import Oppi

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
    let trouble = Trouble()
    inWorld {
      $0.interceptor = trouble.interceptor
      $0.offersChallenges = offersChallenges
    } _: { world, server in
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
    "challenges whose answers were lost count as unused, so that a busy server is not a refusal",
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
    }
  }

  @Test("challenges that a server refused are not counted, so that a revoked device is refused")
  func refusedChallenges() {
    let refusals = Array(repeating: Intervention.answer(status: 500, error: "busy"), count: 4)
    Self.run(answering: "/auth/challenge", refusals, offersChallenges: false) { world, server in
      server.expireTokens()
      for _ in refusals { _ = await world.failure() }
      server.revokeDevices()
      #expect(await world.failure()?.reason == .accessRefused(.unknownDevice))
    }
  }

  @Test("tokens whose answers were lost leave challenges that count as unused")
  func lostTokens() {
    let losses = Array(repeating: Intervention.performThenDrop, count: 4)
    Self.run(answering: "/auth/refresh", losses) { world, server in
      server.expireTokens()
      for _ in 0..<4 { _ = await world.failure() }
      let failure = await world.failure()
      #expect(failure?.reason == .accessRefused(.tooManyChallenges), "reported as passing")
      server.revokeDevices()
      #expect(server.requests("/auth/refresh") == 4)
    }
  }

  @Test(
    "a token file that cannot be used costs a refresh",
    arguments: [("nonsense", 0o600), (#"{"tokens":7}"#, 0o600), ("{}", 0o644), ("", 0o600)]
      as [(String, UInt32)]
  )
  func unreadable(text: String, mode: UInt32) {
    inWorld { world, server in
      world.disk.put(text, at: Self.tokenFile, mode: mode)
      try await world.me()
      #expect(server.refreshes == 1)
      // A file that others can read is left alone.
      try await world.me()
      #expect(server.refreshes == (mode == 0o600 ? 1 : 2))
    }
  }

  @Test("a device whose challenges cannot be recorded is not reported as revoked")
  func unrecorded() {
    inWorld { world, _ in
      // A file that others can read is left alone, as is any file on a full disk.
      world.disk.put("{}", at: Self.tokenFile, mode: 0o644)
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
