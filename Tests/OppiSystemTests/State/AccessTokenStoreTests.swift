// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import TestSupport
import Testing

@testable import OppiSystem

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
      try await store.noteChallenge(of: Self.server, at: Self.start)
      for (seconds, count) in [(0, 1), (89, 1), (90, 0)] {
        let now = Self.start.moved(by: .seconds(seconds))
        #expect(store.openChallenges(of: Self.server, at: now) == count, "\(seconds)")
      }
    }
  }

  @Test("after the clock was set back, earlier challenges are open for their time from then on")
  func clockSetBack() throws {
    try Self.onStore { store in
      for _ in 0..<3 { try await store.noteChallenge(of: Self.server, at: Self.start) }
      let earlier = Self.start.moved(by: .seconds(-3600))
      #expect(store.openChallenges(of: Self.server, at: earlier) == 3)
      try await store.noteChallenge(of: Self.server, at: earlier)
      #expect(store.openChallenges(of: Self.server, at: earlier.moved(by: .seconds(89))) == 4)
      #expect(store.openChallenges(of: Self.server, at: earlier.moved(by: .seconds(90))) == 0)
    }
  }
}
