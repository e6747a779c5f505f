// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import Synchronization

/// Challenges, and tokens for their signatures.
extension AccessRoutes {
  static let challengeLifetime = Duration.seconds(60)
  /// How long a challenge is accepted after its announced end.
  static let challengeGrace = Duration.seconds(30)
  /// The number of challenges of a device that may be unused.
  static let challengeLimit = 4
  /// The limits below apply to each window of this length.
  static let window = Duration.seconds(60)
  static let challengeRequestLimit = 8

  enum ChallengeOutcome: Equatable {
    case issued(Challenge)
    /// The device is unknown or revoked, or has too many unused challenges.
    case refused
    case tooMany
  }

  /// All clients have the same address, so one counter is both that of the address and of the
  /// device.
  func challenge(deviceID: String) -> ChallengeOutcome {
    let now = loop.now
    return state.withLock { state in
      state.challengeRequests.removeAll { $0 + Self.window <= now }
      guard state.challengeRequests.count < Self.challengeRequestLimit else { return .tooMany }
      state.challengeRequests.append(now)
      let device = state.records.devices.first { $0.id == deviceID }
      guard let device, device.revokedAt == nil else { return .refused }
      return makeChallenge(for: deviceID, &state).map(ChallengeOutcome.issued) ?? .refused
    }
  }

  /// Makes a challenge, and forgets those that were used or have expired; `nil` if the device has
  /// too many.
  func makeChallenge(for deviceID: String, _ state: inout State) -> Challenge? {
    let now = loop.timestamp
    state.challenges = state.challenges.filter { !$0.value.isUsed && now < end(of: $0.value) }
    let own = state.challenges.values.filter { $0.deviceID == deviceID }
    guard own.count < Self.challengeLimit else { return nil }
    let challenge = Challenge(
      nonce: loop.makeID(.nonce),
      deviceID: deviceID,
      expiresAt: now.moved(by: Self.challengeLifetime)
    )
    state.challenges[challenge.nonce] = challenge
    return challenge
  }

  private func end(of challenge: Challenge) -> Timestamp {
    challenge.expiresAt.moved(by: Self.challengeGrace)
  }

  enum RefreshFailure: String, Error {
    case unknownDevice = "unknown_device"
    case revoked
    case unknownNonce = "unknown_nonce"
    case reusedNonce = "nonce_reused"
    case expiredNonce = "nonce_expired"
    case badSignature = "bad_signature"
    case rateLimited = "rate_limited"

    var status: Int {
      switch self {
      case .unknownDevice: 404
      case .revoked: 403
      case .unknownNonce, .reusedNonce, .expiredNonce, .badSignature: 401
      case .rateLimited: 429
      }
    }
  }

  /// Issues a token for the signature of a challenge, which is used up only by success.
  func refresh(
    deviceID: String,
    nonce: String,
    signature: String
  ) -> Result<Grant, RefreshFailure> {
    let now = (instant: loop.now, time: loop.timestamp)
    return state.withLock { state -> Result<Grant, RefreshFailure> in
      guard let device = state.records.devices.first(where: { $0.id == deviceID }) else {
        return .failure(.unknownDevice)
      }
      guard device.revokedAt == nil else { return .failure(.revoked) }
      guard let challenge = state.challenges[nonce], challenge.deviceID == deviceID else {
        return .failure(.unknownNonce)
      }
      guard !challenge.isUsed else { return .failure(.reusedNonce) }
      guard now.time < end(of: challenge) else { return .failure(.expiredNonce) }
      let message = Array("\(AccessGrant.audience).\(nonce)".utf8)
      guard device.verifies(signature, of: message) else { return .failure(.badSignature) }
      let recent = (state.refreshes[deviceID] ?? []).filter { now.instant < $0 + Self.window }
      guard recent.count < rules.refreshLimit else { return .failure(.rateLimited) }
      state.refreshes[deviceID] = recent + [now.instant]
      state.refreshCount += 1
      state.challenges[nonce]?.isUsed = true
      return .success(issue(to: deviceID, &state))
    }
  }
}

extension AccessRoutes.Challenge {
  var json: JSONValue {
    [
      "nonce": .string(nonce), "audience": .string(AccessGrant.audience),
      "expiresAt": expiresAt.json,
    ]
  }
}

extension AccessRoutes.Grant {
  var json: JSONValue {
    .object([
      "accessToken": .string(token.text),
      "expiresAt": token.expiresAt.json,
      "refreshChallenge": challenge?.json,
    ])
  }

  /// The answer to the enrolment of a device.
  var enrolment: JSONValue { json.adding(["deviceId": .string(token.deviceID)]) }
}
