// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import FakeServer

@Suite("AccessRoutes", .needs("openssl"))
struct AccessRoutesTests {
  private let kernel = ManualKernel()
  private let desk: AccessRoutes
  private let device: TestDevice

  init() throws {
    desk = AccessRoutes(AccessRoutes.Rules(), loop: EventLoop(on: kernel))
    device = try TestDevice()
  }

  private func enrol() -> AccessRoutes.Grant { desk.enrol(device.publicKey, name: nil) }

  private func refresh(_ id: String, _ nonce: String) throws -> Result<
    AccessRoutes.Grant, AccessRoutes.RefreshFailure
  > {
    desk.refresh(deviceID: id, nonce: nonce, signature: try device.sign(nonce))
  }

  private func failure(_ id: String, _ nonce: String) throws -> AccessRoutes.RefreshFailure? {
    if case .failure(let failure) = try refresh(id, nonce) { failure } else { nil }
  }

  // MARK: - Tokens

  @Test("a token is accepted to the last millisecond of its grace period, and not after it")
  func expiry() {
    let token = enrol().token
    #expect(token.expiresAt == desk.loop.timestamp.moved(by: .seconds(600)))
    kernel.advance(by: .milliseconds(629_999))
    #expect(desk.use(token.text) != nil)
    kernel.advance(by: .milliseconds(1))
    #expect(desk.use(token.text) == nil)
  }

  @Test("the ninth token of a device ends its first, and no token of another device")
  func eviction() throws {
    let other = enrol().token
    var grant = enrol()
    var tokens = [grant.token]
    for _ in 0..<7 {
      let nonce = try #require(grant.challenge?.nonce)
      grant = try refresh(grant.token.deviceID, nonce).get()
      tokens.append(grant.token)
    }
    #expect(tokens.allSatisfy { desk.use($0.text) != nil })
    let nonce = try #require(grant.challenge?.nonce)
    let ninth = try refresh(grant.token.deviceID, nonce).get().token
    #expect(desk.use(tokens[0].text) == nil)
    #expect((tokens.dropFirst() + [ninth, other]).allSatisfy { desk.use($0.text) != nil })
  }

  @Test("a revoked device's tokens end, another device's remain")
  func revocation() {
    let (first, second) = (enrol().token, enrol().token)
    #expect(desk.revoke(first.deviceID))
    #expect(!desk.revoke(first.deviceID))
    #expect(desk.use(first.text) == nil)
    #expect(desk.use(second.text) != nil)
  }

  @Test("the first use of a token is noted")
  func lastUse() {
    let token = enrol().token
    #expect(desk.devices[0]["lastUsedAt"] == .null)
    kernel.advance(by: .seconds(5))
    _ = desk.use(token.text)
    #expect(desk.devices[0]["lastUsedAt"] == desk.loop.timestamp.json)
    #expect(desk.devices[0]["name"] == "Device")
  }

  // MARK: - Challenges

  @Test("four challenges of a device can be unused; that of an enrolment counts")
  func openChallenges() {
    let id = enrol().token.deviceID
    for _ in 0..<3 { #expect(desk.challenge(deviceID: id).nonce != nil) }
    #expect(desk.challenge(deviceID: id) == .refused)
    // Those of another device do not count.
    #expect(desk.challenge(deviceID: enrol().token.deviceID).nonce != nil)
    kernel.advance(by: .seconds(90))
    #expect(desk.challenge(deviceID: id).nonce != nil)
  }

  @Test("eight requests for challenges are answered in 60 seconds, unknown devices' too")
  func challengeRate() throws {
    for _ in 0..<8 { #expect(desk.challenge(deviceID: "dev_unknown") == .refused) }
    #expect(desk.challenge(deviceID: "dev_unknown") == .tooMany)
    kernel.advance(by: .milliseconds(59_999))
    #expect(desk.challenge(deviceID: "dev_unknown") == .tooMany)
    kernel.advance(by: .milliseconds(1))
    #expect(desk.challenge(deviceID: "dev_unknown") == .refused)
  }

  @Test("a revoked device gets no challenge and no token")
  func revoked() throws {
    let grant = enrol()
    let id = grant.token.deviceID
    _ = desk.revoke(id)
    #expect(desk.challenge(deviceID: id) == .refused)
    #expect(try failure(id, try #require(grant.challenge?.nonce)) == .revoked)
  }

  // MARK: - Refreshes

  @Test("a challenge is valid for 90 seconds to the millisecond", arguments: [89_999, 90_000])
  func challengeExpiry(milliseconds: Int) throws {
    let grant = enrol()
    let challenge = try #require(grant.challenge)
    #expect(challenge.expiresAt == desk.loop.timestamp.moved(by: .seconds(60)))
    kernel.advance(by: .milliseconds(milliseconds))
    let failure = try failure(grant.token.deviceID, challenge.nonce)
    #expect(failure == (milliseconds < 90_000 ? nil : .expiredNonce))
  }

  @Test("a used nonce is forgotten with the next challenge, which a refresh makes")
  func usedNonce() throws {
    let grant = enrol()
    let (id, nonce) = (grant.token.deviceID, try #require(grant.challenge?.nonce))
    #expect(try failure(id, nonce) == nil)
    #expect(try failure(id, nonce) == .unknownNonce)
    #expect(desk.refreshCount == 1)
  }

  @Test("without challenges in answers, a used nonce is known until the next challenge")
  func reusedNonce() throws {
    let desk = AccessRoutes(AccessRoutes.Rules(offersChallenges: false), loop: desk.loop)
    let id = desk.enrol(device.publicKey, name: nil).token.deviceID
    let nonce = try #require(desk.challenge(deviceID: id).nonce)
    let signature = try device.sign(nonce)
    func outcome() -> AccessRoutes.RefreshFailure? {
      switch desk.refresh(deviceID: id, nonce: nonce, signature: signature) {
      case .success(let grant):
        #expect(grant.challenge == nil)
        return nil
      case .failure(let failure): return failure
      }
    }
    #expect(outcome() == nil)
    #expect(outcome() == .reusedNonce)
    _ = desk.challenge(deviceID: id)
    #expect(outcome() == .unknownNonce)
  }

  @Test("a challenge is only for the device that it was made for")
  func foreignNonce() throws {
    let (first, second) = (enrol(), enrol())
    let nonce = try #require(first.challenge?.nonce)
    #expect(try failure(second.token.deviceID, nonce) == .unknownNonce)
    #expect(try failure("dev_unknown", nonce) == .unknownDevice)
  }

  @Test("a wrong signature is refused, and leaves the challenge usable")
  func badSignatures() throws {
    let grant = enrol()
    let (id, nonce) = (grant.token.deviceID, try #require(grant.challenge?.nonce))
    let signature = try device.signature(of: nonce)
    let wrong = [
      Base64.encodeURL(signature.der),
      Base64.encodeURL(signature.concatenated.dropLast() + [signature.concatenated[63] ^ 1]),
      Base64.encodeURL(Array(signature.concatenated.dropLast())),
      Base64.encodeURL(try device.signature(of: nonce, audience: "other").concatenated),
      try TestDevice().sign(nonce),
      "!",
    ]
    for text in wrong {
      guard case .failure(.badSignature) = desk.refresh(deviceID: id, nonce: nonce, signature: text)
      else {
        Issue.record("accepted: \(text)")
        continue
      }
    }
    // With padding and the other alphabet, it is the same signature.
    let padded = Base64.encode(signature.concatenated)
    _ = try desk.refresh(deviceID: id, nonce: nonce, signature: padded).get()
  }

  @Test("twelve refreshes of a device succeed in 60 seconds; the next leaves its challenge usable")
  func refreshRate() throws {
    var grant = enrol()
    let id = grant.token.deviceID
    for _ in 0..<12 {
      grant = try refresh(id, try #require(grant.challenge?.nonce)).get()
    }
    let nonce = try #require(grant.challenge?.nonce)
    #expect(try failure(id, nonce) == .rateLimited)
    kernel.advance(by: .milliseconds(59_999))
    #expect(try failure(id, nonce) == .rateLimited)
    kernel.advance(by: .milliseconds(1))
    #expect(try failure(id, nonce) == nil)
    #expect(desk.refreshCount == 13)
  }
}

extension AccessRoutes.ChallengeOutcome {
  fileprivate var nonce: String? {
    if case .issued(let challenge) = self { challenge.nonce } else { nil }
  }
}
