// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import TestSupport
import Testing

@testable import Oppi
@testable import OppiModel

/// The record of challenges, which tells a busy server from one that has revoked the device.
@Suite("AccessTokenStore")
struct AccessTokenStoreTests {
  private static let server = Fingerprint(digest: Array(repeating: 1, count: 32))
  private static let start = Timestamp(seconds: 1_790_000_000)

  private static func onStore(
    _ body: @escaping @Sendable (AccessTokenStore) async throws -> Void
  ) throws {
    let scratch = try Scratch()
    try onLoop { [paths = scratch.paths] loop in
      try await body(AccessTokenStore(paths: paths, files: FileStore(loop: loop)))
    }
  }

  @Test("a challenge is open until its time is over")
  func lifetime() throws {
    try Self.onStore { store in
      #expect(await store.noteChallenge(of: Self.server, at: Self.start))
      for (seconds, count) in [(0, 1), (89, 1), (90, 0)] {
        let now = Self.start.moved(by: .seconds(seconds))
        #expect(store.openChallenges(of: Self.server, at: now) == count, "\(seconds)")
      }
    }
  }

  private static func token(_ deviceID: String) -> AccessToken {
    AccessToken(
      deviceID: deviceID,
      text: "at_1",
      issuedAt: start,
      expiresAt: start.moved(by: .seconds(600)),
      challenge: .init(nonce: "n", expiresAt: start.moved(by: .seconds(60)))
    )
  }

  @Test("a refusal is of one device on one server, and ends with the next token")
  func refusals() throws {
    try Self.onStore { store in
      let other = Fingerprint(digest: Array(repeating: 2, count: 32))
      try await store.store(Self.token("dev_1"), of: Self.server)
      try await store.refuse("dev_1", of: Self.server)
      #expect(try store.token(of: Self.server) == nil)
      #expect(store.isRefused("dev_1", of: Self.server))
      #expect(!store.isRefused("dev_2", of: Self.server))
      #expect(!store.isRefused("dev_1", of: other))
      try await store.store(Self.token("dev_1"), of: other)
      #expect(store.isRefused("dev_1", of: Self.server))
      try await store.store(Self.token("dev_1"), of: Self.server)
      #expect(!store.isRefused("dev_1", of: Self.server))
    }
  }

  @Test("a challenge is taken out of the file before it is sent, and the token stays")
  func takenChallenge() throws {
    try Self.onStore { store in
      try await store.store(Self.token("dev_1"), of: Self.server)
      #expect(await store.takeChallenge(of: Self.server, at: Self.start))
      var bare = Self.token("dev_1")
      bare.challenge = nil
      #expect(try store.token(of: Self.server) == bare)
      #expect(store.openChallenges(of: Self.server, at: Self.start) == 1)
    }
  }

  @Test("after the clock was set back, earlier challenges are open for their time from then on")
  func clockSetBack() throws {
    try Self.onStore { store in
      for _ in 0..<3 { _ = await store.noteChallenge(of: Self.server, at: Self.start) }
      let earlier = Self.start.moved(by: .seconds(-3600))
      #expect(store.openChallenges(of: Self.server, at: earlier) == 3)
      _ = await store.noteChallenge(of: Self.server, at: earlier)
      #expect(store.openChallenges(of: Self.server, at: earlier.moved(by: .seconds(89))) == 4)
      #expect(store.openChallenges(of: Self.server, at: earlier.moved(by: .seconds(90))) == 0)
    }
  }
}
