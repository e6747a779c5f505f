// SPDX-License-Identifier: MIT

import OppiSystem
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiText
@testable import OppiWire

/// The tokens that processes share, and what servers answered instead.
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

  private static func token(_ deviceID: String) -> AccessToken {
    AccessToken(
      deviceID: deviceID,
      text: "at_1",
      issuedAt: start,
      expiresAt: start.moved(by: .seconds(600)),
      challenge: .init(nonce: "n", expiresAt: start.moved(by: .seconds(60)))
    )
  }

  private static func refuse(_ deviceID: String, in store: AccessTokenStore) async {
    await store.note(of: deviceID, on: server) { $0.refuse(.revoked, "revoked") }
  }

  @Test("a refusal is of one device on one server, and ends with the next token")
  func refusals() throws {
    try Self.onStore { store in
      let other = Fingerprint(digest: Array(repeating: 2, count: 32))
      func isRefused(_ device: String, on server: Fingerprint = Self.server) -> Bool {
        store.standing(of: device, on: server).refusal == .revoked
      }
      try await store.store(Self.token("dev_1"), of: Self.server)
      await Self.refuse("dev_1", in: store)
      #expect(try store.token(of: Self.server) == nil)
      #expect(isRefused("dev_1") && !isRefused("dev_2") && !isRefused("dev_1", on: other))
      try await store.store(Self.token("dev_1"), of: other)
      #expect(isRefused("dev_1"))
      try await store.store(Self.token("dev_1"), of: Self.server)
      #expect(!isRefused("dev_1"))
    }
  }

  @Test("a refusal of an earlier device leaves the token of the present one")
  func earlierDevice() throws {
    try Self.onStore { store in
      try await store.store(Self.token("dev_2"), of: Self.server)
      await Self.refuse("dev_1", in: store)
      #expect(try store.token(of: Self.server) == Self.token("dev_2"))
      #expect(store.standing(of: "dev_2", on: Self.server) == DeviceStanding(of: "dev_2"))
    }
  }

  @Test(
    "a token that could not be shared counts until the next one is stored, also of another device"
  )
  func unshared() throws {
    let scratch = try Scratch()
    try onLoop { [paths = scratch.paths] loop in
      let unshared = UnsharedTokens()
      let files = FileStore(loop: loop)
      let store = AccessTokenStore(paths: paths, files: files, unshared: unshared)
      unshared.keep(Self.token("dev_1"), of: Self.server)
      #expect(store.usableToken(of: Self.server) == Self.token("dev_1"))
      try await store.store(Self.token("dev_2"), of: Self.server)
      #expect(store.usableToken(of: Self.server) == Self.token("dev_2"))
      // As another process would store it.
      try await AccessTokenStore(paths: paths, files: files)
        .store(Self.token("dev_3"), of: Self.server)
      #expect(store.usableToken(of: Self.server) == Self.token("dev_3"))
    }
  }

  @Test("the challenge of a token that is not shared is taken once, unless it was not used up")
  func unsharedChallenge() throws {
    let scratch = try Scratch()
    try onLoop { [paths = scratch.paths] loop in
      let (files, unshared) = (FileStore(loop: loop), UnsharedTokens())
      let store = AccessTokenStore(paths: paths, files: files, unshared: unshared)
      // Another process has shared its token since.
      let shared = AccessTokenStore(paths: paths, files: files)
      try await shared.store(Self.token("dev_1"), of: Self.server)
      unshared.keep(Self.token("dev_1"), of: Self.server)
      let unused = AccessToken.Challenge(nonce: "m", expiresAt: Self.start)
      await store.keep(unused, of: "dev_2", on: Self.server)
      #expect(store.usableToken(of: Self.server) == Self.token("dev_1"))
      #expect(await store.takeChallenge(of: Self.server))
      #expect(store.usableToken(of: Self.server)?.challenge == nil)
      #expect(await !store.takeChallenge(of: Self.server))
      await store.keep(unused, of: "dev_1", on: Self.server)
      #expect(store.usableToken(of: Self.server)?.challenge == unused)
      #expect(await store.takeChallenge(of: Self.server))
      #expect(try store.token(of: Self.server) == Self.token("dev_1"))
    }
  }

  @Test("a challenge is taken out of the file before it is sent, and the token stays")
  func takenChallenge() throws {
    try Self.onStore { store in
      try await store.store(Self.token("dev_1"), of: Self.server)
      #expect(await store.takeChallenge(of: Self.server))
      var bare = Self.token("dev_1")
      bare.challenge = nil
      #expect(try store.token(of: Self.server) == bare)
    }
  }

  @Test("a challenge that was not used up is kept for its own device only")
  func keptChallenge() throws {
    try Self.onStore { store in
      try await store.store(Self.token("dev_1"), of: Self.server)
      let unused = AccessToken.Challenge(nonce: "m", expiresAt: Self.start)
      await store.keep(unused, of: "dev_2", on: Self.server)
      #expect(try store.token(of: Self.server) == Self.token("dev_1"))
      await store.keep(unused, of: "dev_1", on: Self.server)
      #expect(try store.token(of: Self.server)?.challenge == unused)
    }
  }
}
