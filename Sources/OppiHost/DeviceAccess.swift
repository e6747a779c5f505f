// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
package import OppiModel
import OppiTransport
import Synchronization

/// Enrols device keys, and issues the access tokens of their devices; may be used on any thread.
package final class DeviceAccess: Sendable {
  /// The rules of a server for its tokens.
  package struct Rules: Sendable {
    package var tokenLifetime = Duration.seconds(600)
    /// How long a token is accepted after its announced end.
    package var tokenGrace = Duration.seconds(30)
    /// The number of successful refreshes of a device in a minute.
    package var refreshLimit = 12
    /// Whether credentials are accepted: over TLS only, except behind a proxy.
    package var isSecure = true
    /// Whether answers with a token contain the challenge for the next one.
    package var offersChallenges = true

    package init() {}
  }

  package struct Token: Sendable {
    package var text: String
    package var deviceID: String
    /// The announced end.
    var expiresAt: Timestamp
  }

  struct Challenge: Sendable {
    var nonce: String
    var deviceID: String
    /// The announced end.
    var expiresAt: Timestamp
    var isUsed = false

    var json: JSONValue {
      [
        "nonce": .string(nonce), "audience": .string(AccessToken.Challenge.audience),
        "expiresAt": expiresAt.json,
      ]
    }
  }

  /// What survives a restart.
  package struct Records: Sendable {
    package fileprivate(set) var devices: [EnrolledDevice] = []
    /// Oldest first.
    fileprivate var tokens: [Token] = []

    package init() {}
  }

  /// A token, and the challenge for the next one.
  package struct Grant: Sendable {
    package var token: Token
    var challenge: Challenge?

    var json: JSONValue {
      .object([
        "accessToken": .string(token.text),
        "expiresAt": token.expiresAt.json,
        "refreshChallenge": challenge?.json,
      ])
    }

    /// The answer to the enrolment of a device.
    package var enrolment: JSONValue { json.adding(["deviceId": .string(token.deviceID)]) }
  }

  private struct State: Sendable {
    var records: Records
    /// By nonce.
    var challenges: [String: Challenge] = [:]
    var challengeRequests: [EventLoop.Instant] = []
    /// The successful refreshes of each device within the window.
    var refreshes: [String: [EventLoop.Instant]] = [:]
    /// The number of all successful refreshes.
    var refreshCount = 0
    var sockets: [Int: Socket] = [:]
    var lastSocket = 0
  }

  private typealias Socket = (deviceID: String?, end: Promise<SocketLease.End>)

  /// The number of tokens of a device; another one makes the oldest invalid.
  static let tokenLimit = 8

  let rules: Rules
  let invites: Invites
  let loop: EventLoop
  private let state: Mutex<State>

  package init(
    _ rules: Rules,
    invites: Invites,
    records: Records = Records(),
    loop: EventLoop
  ) {
    self.rules = rules
    self.invites = invites
    self.loop = loop
    state = Mutex(State(records: records))
  }

  package var records: Records { state.withLock(\.records) }
  package var refreshCount: Int { state.withLock(\.refreshCount) }

  /// Enrols a key; every enrolment is a device of its own.
  package func enrol(_ key: DevicePublicKey, name: String?) -> Grant {
    let device = EnrolledDevice(
      id: "dev_\(loop.makeID(.device))",
      name: name ?? EnrolledDevice.defaultName,
      key: key,
      createdAt: loop.timestamp
    )
    return state.withLock { state in
      state.records.devices.append(device)
      return issue(to: device.id, &state)
    }
  }

  /// Issues a token and the next challenge to an enrolled device.
  package func issue(to deviceID: String) -> Grant { state.withLock { issue(to: deviceID, &$0) } }

  private func issue(to deviceID: String, _ state: inout State) -> Grant {
    let token = Token(
      text: "at_\(loop.makeID(.token))",
      deviceID: deviceID,
      expiresAt: loop.timestamp.moved(by: rules.tokenLifetime)
    )
    state.records.tokens.removeAll { end(of: $0) <= loop.timestamp }
    state.records.tokens.append(token)
    let own = state.records.tokens.filter { $0.deviceID == deviceID }
    let evicted = Set(own.dropLast(Self.tokenLimit).map(\.text))
    state.records.tokens.removeAll { evicted.contains($0.text) }
    let challenge = rules.offersChallenges ? makeChallenge(for: deviceID, &state) : nil
    return Grant(token: token, challenge: challenge)
  }

  /// When a token is no longer accepted.
  func end(of token: Token) -> Timestamp { token.expiresAt.moved(by: rules.tokenGrace) }

  // MARK: - Requests

  /// Returns a valid token, and notes its use; `nil` for any other text.
  package func use(_ text: String) -> Token? {
    let now = loop.timestamp
    guard rules.isSecure else { return nil }
    return state.withLock { state in
      guard let token = state.records.tokens.first(where: { $0.text == text }),
        now < end(of: token),
        let index = state.records.devices.firstIndex(where: { $0.id == token.deviceID })
      else { return nil }
      state.records.devices[index].lastUsedAt = now
      return token
    }
  }
}

/// A device whose key a server knows.
package struct EnrolledDevice: Sendable {
  package let id: String
  let name: String
  package let key: DevicePublicKey
  let createdAt: Timestamp
  var lastUsedAt: Timestamp?
  package internal(set) var revokedAt: Timestamp?

  static let defaultName = "Device"

  /// The entry in the list of devices.
  var json: JSONValue {
    .object([
      "id": .string(id),
      "name": .string(name),
      "scope": "device",
      "createdAt": createdAt.json,
      "lastUsedAt": lastUsedAt?.json,
      "revokedAt": revokedAt?.json,
      "keyEnrolled": true,
    ])
  }

  /// Whether a key is a point of the curve.
  static func accepts(_ key: DevicePublicKey) -> Bool {
    (try? CryptoKey.p256(key, using: LibCrypto())) != nil
  }

  /// Whether a signature of 64 bytes in base64 is by the device's key.
  func verifies(_ signature: String, of message: [UInt8]) -> Bool {
    guard let bytes = Base64.decode(signature),
      let signature = ECDSASignature(concatenated: bytes),
      let key = try? CryptoKey.p256(key, using: LibCrypto())
    else { return false }
    return key.verifiesP256(signature, of: message)
  }
}

/// Challenges, and tokens for their signatures.
extension DeviceAccess {
  static let challengeLifetime = Duration.seconds(60)
  /// How long a challenge is accepted after its announced end.
  static let challengeGrace = Duration.seconds(30)
  /// The number of challenges of a device that may be unused.
  static let challengeLimit = 4
  /// The limits below apply to each window of this length.
  static let window = Duration.seconds(60)
  static let challengeRequestLimit = 8

  /// All clients have the same address, so one counter is both that of the address and of the
  /// device.
  ///
  /// - Throws: If there were too many requests, or if the device is unknown or revoked, or has too
  ///   many unused challenges.
  func challenge(deviceID: String) throws(Refusal) -> Challenge {
    let now = loop.now
    return try state.withLock { state throws(Refusal) in
      state.challengeRequests.removeAll { $0 + Self.window <= now }
      guard state.challengeRequests.count < Self.challengeRequestLimit else {
        throw Refusal(429, "Too many challenge requests")
      }
      state.challengeRequests.append(now)
      let device = state.records.devices.first { $0.id == deviceID }
      guard let device, device.revokedAt == nil,
        let challenge = makeChallenge(for: deviceID, &state)
      else { throw Refusal(404, "Unknown or revoked device") }
      return challenge
    }
  }

  /// Makes a challenge, and forgets those that were used or have expired; `nil` if the device has
  /// too many.
  private func makeChallenge(for deviceID: String, _ state: inout State) -> Challenge? {
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

  /// Issues a token for the signature of a challenge, which is used up only by success.
  func refresh(
    deviceID: String,
    nonce: String,
    signature: String
  ) throws(Refusal) -> Grant {
    let now = (instant: loop.now, time: loop.timestamp)
    return try state.withLock { state throws(Refusal) in
      guard let device = state.records.devices.first(where: { $0.id == deviceID }) else {
        throw Refusal(404, "unknown_device")
      }
      guard device.revokedAt == nil else { throw Refusal(403, "revoked") }
      guard let challenge = state.challenges[nonce], challenge.deviceID == deviceID else {
        throw Refusal(401, "unknown_nonce")
      }
      guard !challenge.isUsed else { throw Refusal(401, "nonce_reused") }
      guard now.time < end(of: challenge) else { throw Refusal(401, "nonce_expired") }
      let message = Array("\(AccessToken.Challenge.audience).\(nonce)".utf8)
      guard device.verifies(signature, of: message) else { throw Refusal(401, "bad_signature") }
      let recent = (state.refreshes[deviceID] ?? []).filter { now.instant < $0 + Self.window }
      guard recent.count < rules.refreshLimit else { throw Refusal(429, "rate_limited") }
      state.refreshes[deviceID] = recent + [now.instant]
      state.refreshCount += 1
      state.challenges[nonce]?.isUsed = true
      return issue(to: deviceID, &state)
    }
  }
}

/// Revocation, expiry, and the sockets that they close.
extension DeviceAccess {
  /// Revokes a device and its tokens; returns whether that was still possible.
  package func revoke(_ deviceID: String) -> Bool {
    let now = loop.timestamp
    let sockets = state.withLock { state -> [Socket]? in
      let index = state.records.devices.firstIndex { $0.id == deviceID && $0.revokedAt == nil }
      guard let index else { return nil }
      state.records.devices[index].revokedAt = now
      state.records.tokens.removeAll { $0.deviceID == deviceID }
      return state.sockets.values.filter { $0.deviceID == deviceID }
    }
    for socket in sockets ?? [] { socket.end.keep(.revoked) }
    return sockets != nil
  }

  /// Ends all tokens as if their time were over.
  package func expireAll() {
    let sockets = state.withLock { state in
      state.records.tokens = []
      return state.sockets.sorted { $0.key < $1.key }
    }
    for (_, socket) in sockets { socket.end.keep(.expired) }
  }

  /// Starts the lease of a socket, which has ended at once if the token is not valid any more.
  package func lease(for request: HTTPRequest) -> SocketLease? {
    let (now, time, end) = (loop.now, loop.timestamp, Promise<SocketLease.End>())
    let (id, rest) = state.withLock { state -> (Int, Int) in
      let token = state.records.tokens.first { $0.text == request.bearer }
      state.lastSocket += 1
      state.sockets[state.lastSocket] = (token?.deviceID, end)
      let rest = token.map { self.end(of: $0).milliseconds - time.milliseconds } ?? 0
      return (state.lastSocket, rest)
    }
    return SocketLease(deadline: now + .milliseconds(rest), end: end) { [self] in
      state.withLock { $0.sockets[id] = nil }
    }
  }
}
