// SPDX-License-Identifier: MIT

import EventLoop
import HostTestSupport
import OppiText
import OppiTransport
import OppiWire
import TestSupport
import Testing

@testable import OppiHost

@Suite("DeviceAccess", .needs("openssl"))
struct DeviceAccessTests {
  private let kernel = ManualKernel()
  private let access: DeviceAccess
  private let device: TestDevice

  init() throws {
    let loop = EventLoop(on: kernel)
    access = DeviceAccess(DeviceAccess.Rules(), invites: Invites(loop: loop), loop: loop)
    device = try TestDevice()
  }

  private func enrol() -> DeviceAccess.Grant { access.enrol(device.publicKey, name: nil) }

  private func refresh(_ id: String, _ nonce: String) throws -> DeviceAccess.Grant {
    try access.refresh(deviceID: id, nonce: nonce, signature: try device.sign(nonce))
  }

  /// Why a refresh is refused; `nil` if it succeeds.
  private func failure(_ id: String, _ nonce: String) throws -> String? {
    let signature = try device.sign(nonce)
    return refusal { () throws(Refusal) in
      _ = try access.refresh(deviceID: id, nonce: nonce, signature: signature)
    }
  }

  private func refusal(_ body: () throws(Refusal) -> Void) -> String? {
    do throws(Refusal) {
      try body()
      return nil
    } catch {
      return error.text
    }
  }

  /// Why a challenge is refused; `nil` if one is issued.
  private func challengeRefusal(_ id: String) -> String? {
    refusal { () throws(Refusal) in _ = try access.challenge(deviceID: id) }
  }

  private static let unknown = "Unknown or revoked device"
  private static let tooMany = "Too many challenge requests"

  // MARK: - Tokens

  @Test("a token is accepted to the last millisecond of its grace period, and not after it")
  func expiry() {
    let token = enrol().token
    #expect(token.expiresAt == access.loop.timestamp.moved(by: .seconds(600)))
    kernel.advance(by: .milliseconds(629_999))
    #expect(access.use(token.text) != nil)
    kernel.advance(by: .milliseconds(1))
    #expect(access.use(token.text) == nil)
  }

  @Test("the ninth token of a device ends its first, and no token of another device")
  func eviction() throws {
    let other = enrol().token
    var grant = enrol()
    var tokens = [grant.token]
    for _ in 0..<7 {
      let nonce = try #require(grant.challenge?.text)
      grant = try refresh(grant.deviceID, nonce)
      tokens.append(grant.token)
    }
    #expect(tokens.allSatisfy { access.use($0.text) != nil })
    let nonce = try #require(grant.challenge?.text)
    let ninth = try refresh(grant.deviceID, nonce).token
    #expect(access.use(tokens[0].text) == nil)
    #expect((tokens.dropFirst() + [ninth, other]).allSatisfy { access.use($0.text) != nil })
  }

  // MARK: - Challenges

  @Test("four challenges of a device can be unused; that of an enrolment counts")
  func openChallenges() {
    let id = enrol().deviceID
    for _ in 0..<3 { #expect(challengeRefusal(id) == nil) }
    #expect(challengeRefusal(id) == Self.unknown)
    // Those of another device do not count.
    #expect(challengeRefusal(enrol().deviceID) == nil)
    kernel.advance(by: .seconds(90))
    #expect(challengeRefusal(id) == nil)
  }

  @Test("eight requests for challenges are answered in 60 seconds, unknown devices' too")
  func challengeRate() throws {
    for _ in 0..<8 { #expect(challengeRefusal("dev_unknown") == Self.unknown) }
    #expect(challengeRefusal("dev_unknown") == Self.tooMany)
    kernel.advance(by: .milliseconds(59_999))
    #expect(challengeRefusal("dev_unknown") == Self.tooMany)
    kernel.advance(by: .milliseconds(1))
    #expect(challengeRefusal("dev_unknown") == Self.unknown)
  }

  // MARK: - Refreshes

  @Test("a challenge is valid for 90 seconds to the millisecond", arguments: [89_999, 90_000])
  func challengeExpiry(milliseconds: Int) throws {
    let grant = enrol()
    let challenge = try #require(grant.challenge)
    #expect(challenge.expiresAt == access.loop.timestamp.moved(by: .seconds(60)))
    kernel.advance(by: .milliseconds(milliseconds))
    let failure = try failure(grant.deviceID, challenge.text)
    #expect(failure == (milliseconds < 90_000 ? nil : "nonce_expired"))
  }

  @Test(
    "a nonce can be used once, with or without challenges in answers",
    arguments: [true, false]
  )
  func usedNonce(offersChallenges: Bool) throws {
    var rules = DeviceAccess.Rules()
    rules.offersChallenges = offersChallenges
    let access = DeviceAccess(rules, invites: Invites(loop: access.loop), loop: access.loop)
    let grant = access.enrol(device.publicKey, name: nil)
    #expect((grant.challenge != nil) == offersChallenges)
    let nonce = try grant.challenge?.text ?? access.challenge(deviceID: grant.deviceID).text
    let signature = try device.sign(nonce)
    for expected in [nil, "unknown_nonce", "unknown_nonce"] {
      let outcome = refusal { () throws(Refusal) in
        _ = try access.refresh(deviceID: grant.deviceID, nonce: nonce, signature: signature)
      }
      #expect(outcome == expected)
    }
    #expect(access.refreshCount == 1)
  }

  @Test("a wrong signature is refused, and leaves the challenge usable")
  func badSignatures() throws {
    let grant = enrol()
    let (id, nonce) = (grant.deviceID, try #require(grant.challenge?.text))
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
      let reason = refusal { () throws(Refusal) in
        _ = try access.refresh(deviceID: id, nonce: nonce, signature: text)
      }
      #expect(reason == "bad_signature", "\(text)")
    }
    // With padding and the other alphabet, it is the same signature.
    let padded = Base64.encode(signature.concatenated)
    _ = try access.refresh(deviceID: id, nonce: nonce, signature: padded)
  }

  @Test("twelve refreshes of a device succeed in 60 seconds; the next leaves its challenge usable")
  func refreshRate() throws {
    var grant = enrol()
    let id = grant.deviceID
    for _ in 0..<12 {
      grant = try refresh(id, try #require(grant.challenge?.text))
    }
    let nonce = try #require(grant.challenge?.text)
    #expect(try failure(id, nonce) == "rate_limited")
    kernel.advance(by: .milliseconds(59_999))
    #expect(try failure(id, nonce) == "rate_limited")
    kernel.advance(by: .milliseconds(1))
    #expect(try failure(id, nonce) == nil)
    #expect(access.refreshCount == 13)
  }
}

@Suite("Invites")
struct InviteTests {
  @Test("an invite can be used once, until the end of its lifetime or the next one")
  func spending() {
    let kernel = ManualKernel()
    let invites = Invites(loop: EventLoop(on: kernel))
    func isAccepted(_ token: String) -> Bool { (try? invites.spend(token)) != nil }
    let first = invites.make(lifetime: .seconds(90))
    let second = invites.make(lifetime: .seconds(90))
    #expect(!isAccepted(first) && !isAccepted("pt_wrong"))
    #expect(isAccepted(second) && !isAccepted(second))
    let late = invites.make(lifetime: .seconds(90))
    kernel.advance(by: .seconds(90))
    #expect(!isAccepted(late))
  }

  /// The status of a refusal; `nil` if the token is accepted.
  private func refusal(_ token: String?, by invites: Invites) -> Int? {
    do throws(Refusal) {
      try invites.spend(token)
      return nil
    } catch {
      return error.status
    }
  }

  @Test("five failures within a minute, also of malformed keys, block all invites for 2 minutes")
  func block() {
    let kernel = ManualKernel()
    let invites = Invites(loop: EventLoop(on: kernel))
    for token in ["pt_wrong", nil, "pt_wrong", nil] { #expect(refusal(token, by: invites) == 401) }
    kernel.advance(by: .seconds(59))
    #expect(refusal("pt_wrong", by: invites) == 401)
    let token = invites.make(lifetime: .seconds(600))
    #expect(refusal(token, by: invites) == 429)
    kernel.advance(by: .seconds(119))
    #expect(refusal(token, by: invites) == 429)
    kernel.advance(by: .seconds(1))
    #expect(refusal(token, by: invites) == nil)
  }

  @Test("fewer failures in a minute, or a success between them, do not block")
  func noBlock() {
    let kernel = ManualKernel()
    let invites = Invites(loop: EventLoop(on: kernel))
    for _ in 0..<10 {
      kernel.advance(by: .seconds(15))
      #expect(refusal("pt_wrong", by: invites) == 401)
    }
    #expect(refusal(invites.make(), by: invites) == nil)
    for _ in 0..<4 { #expect(refusal("pt_wrong", by: invites) == 401) }
    #expect(refusal(invites.make(), by: invites) == nil)
  }
}
