// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import HTTPCodec
import OppiModel
import OppiSystem
import OppiTransport
import TestSupport
import Testing

@testable import Oppi

/// Requests for tokens that fail or whose answers are lost.
extension DeviceAccessTests {
  @Test("a restarted server has forgotten the stored challenge; another is requested")
  func restart() throws {
    let home = try DeviceHome()
    try home.runPaired { process, server in
      let remains = await home.server.stop()
      let restarted = try FakeServer.start(home.server.configuration, from: remains)
      try await process().me(server)
      restarted.expireTokens()
      try await process().me(server)
      #expect(restarted.refreshes == 1)
      #expect(restarted.journal.requests.count { $0.path == "/auth/challenge" } == 1)
      await restarted.stop()
    }
  }

  static func refusal(_ status: Int, _ error: JSONValue) -> Intervention {
    let body = JSONValue.object(["error": error]).bytes()
    return .answer(HTTPResponse(status: status, reason: "", body: body))
  }

  @Test("a server that rejects a token that it has just issued is not asked a third time")
  func newTokenRejected() throws {
    let rejection = Self.refusal(401, "Unauthorized")
    let home = try DeviceHome(answering: "/me", [.proceed, rejection, rejection])
    try home.runPaired { process, server in
      let error = await #expect(throws: OppiError.self) { try await process().me(server) }
      #expect(error?.reason == .accessRefused(.newTokenRejected))
      #expect(home.server.refreshes == 1)
      try await process().me(server)
    }
  }

  @Test("a server that restarts between challenge and refresh is asked for another challenge")
  func restartBetween() throws {
    let answer = Self.refusal(401, "unknown_nonce")
    let home = try DeviceHome(answering: "/auth/refresh", [answer]) { $0.offersChallenges = false }
    try home.runPaired { process, server in
      home.server.expireTokens()
      try await process().me(server)
      #expect(home.requests("/auth/challenge") == 2)
      #expect(home.server.refreshes == 1)
    }
  }

  @Test("a nonce that is refused twice is not tried a third time")
  func staleTwice() throws {
    let stale = Self.refusal(401, "nonce_expired")
    let home = try DeviceHome(answering: "/auth/refresh", [stale, stale, stale])
    try home.runPaired { process, server in
      home.server.expireTokens()
      #expect(await process().failure(server)?.reason == .accessRefused(.staleChallenge))
      #expect(home.requests("/auth/refresh") == 2)
    }
  }

  @Test("after a lost answer to a refresh, the next command gets a token")
  func lostAnswer() throws {
    let home = try DeviceHome(answering: "/auth/refresh", [.performThenDrop])
    try home.runPaired { process, server in
      home.server.expireTokens()
      guard case .noToken(.transport)? = await process().failure(server)?.reason else {
        Issue.record("no transport error")
        return
      }
      try await process().me(server)
      #expect(home.server.refreshes == 2)
      #expect(home.requests("/auth/challenge") == 1)
      // The challenge whose answer was lost is not sent again.
      #expect(home.requests("/auth/refresh") == 2)
    }
  }

  @Test(
    "challenges whose answers were lost count as unused, so that a busy server is not a refusal",
    arguments: [3, 4]
  )
  func lostChallenges(count: Int) throws {
    let losses = Array(repeating: Intervention.performThenDrop, count: count)
    let home = try DeviceHome(answering: "/auth/challenge", losses) { $0.offersChallenges = false }
    try home.runPaired { process, server in
      home.server.expireTokens()
      for _ in 0..<count { _ = await process().failure(server) }
      let failure = await process().failure(server)
      guard count == 4 else { return #expect(failure == nil) }
      #expect(failure?.reason == .accessRefused(.tooManyChallenges))
    }
  }

  @Test("tokens whose answers were lost leave challenges that count as unused")
  func lostTokens() throws {
    let losses = Array(repeating: Intervention.performThenDrop, count: 4)
    let home = try DeviceHome(answering: "/auth/refresh", losses)
    try home.runPaired { process, server in
      home.server.expireTokens()
      for _ in 0..<4 { _ = await process().failure(server) }
      let failure = await process().failure(server)
      #expect(failure?.reason == .accessRefused(.tooManyChallenges), "reported as passing")
      home.server.revokeDevices()
      #expect(home.requests("/auth/refresh") == 4)
    }
  }

  @Test(
    "a token file that cannot be used costs a refresh",
    arguments: [("nonsense", 0o600), (#"{"tokens":7}"#, 0o600), ("{}", 0o644), ("", 0o600)]
      as [(String, UInt32)]
  )
  func unreadable(text: String, mode: UInt32) throws {
    let home = try DeviceHome()
    try home.runPaired { process, server in
      try home.writeTokens(text, mode: mode)
      try await process().me(server)
      #expect(home.server.refreshes == 1)
      // A file that others can read is left alone.
      try await process().me(server)
      #expect(home.server.refreshes == (mode == 0o600 ? 1 : 2))
    }
  }

  @Test("a device whose challenges cannot be recorded is not reported as revoked")
  func unrecorded() throws {
    let home = try DeviceHome()
    try home.runPaired { process, server in
      // A file that others can read is left alone, as is any file on a full disk.
      try home.writeTokens("{}", mode: 0o644)
      for count in 1...6 {
        let failure = await process().failure(server)
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
