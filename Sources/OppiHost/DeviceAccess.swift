// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
package import OppiText
import OppiTransport
package import OppiWire
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

  /// A token or the nonce of a challenge, and its announced end.
  package struct Issued: Sendable {
    package let text: String
    let expiresAt: Timestamp
  }

  /// A token, and the challenge for the next one.
  package struct Grant: Sendable {
    package let deviceID: String
    package let token: Issued
    let challenge: Issued?

    var json: JSONValue {
      .object([
        "accessToken": .string(token.text),
        "expiresAt": token.expiresAt.json,
        "refreshChallenge": challenge.map(DeviceAccess.json),
      ])
    }

    /// The answer to the enrolment of a device.
    package var enrolment: JSONValue { json.adding(["deviceId": .string(deviceID)]) }
  }

  private struct State: Sendable {
    /// In the order of their enrolment.
    var devices: [EnrolledDevice]
    var challengeRequests: [EventLoop.Instant] = []
    /// The number of all successful refreshes.
    var refreshCount = 0
    var sockets: [Int: (deviceID: String?, end: Promise<SocketLease.End>)] = [:]
    var lastSocket = 0

    func index(of deviceID: String) -> Int? { devices.firstIndex { $0.id == deviceID } }

    /// The device of a token, and the token.
    func holder(of text: String?) -> (index: Int, token: Issued)? {
      for (index, device) in devices.enumerated() {
        if let token = device.tokens.first(where: { $0.text == text }) { return (index, token) }
      }
      return nil
    }
  }

  /// The number of tokens of a device; another one makes the oldest invalid.
  private static let tokenLimit = 8
  private static let challengeLifetime = Duration.seconds(60)
  /// How long a challenge is accepted after its announced end.
  private static let challengeGrace = Duration.seconds(30)
  /// The number of challenges of a device that may be unused.
  private static let challengeLimit = 4
  /// The number of requests for challenges, and that of refreshes, is limited in each such window.
  private static let window = Duration.seconds(60)
  private static let challengeRequestLimit = 8

  let rules: Rules
  let invites: Invites
  let loop: EventLoop
  private let state: Mutex<State>

  /// Knows the devices of an earlier server, if any.
  package init(
    _ rules: Rules,
    invites: Invites,
    devices: [EnrolledDevice] = [],
    loop: EventLoop
  ) {
    self.rules = rules
    self.invites = invites
    self.loop = loop
    state = Mutex(State(devices: devices.map(\.reopened)))
  }

  package var devices: [EnrolledDevice] { state.withLock(\.devices) }
  package var refreshCount: Int { state.withLock(\.refreshCount) }

  /// Enrols a key; every enrolment is a device of its own.
  package func enrol(_ key: DevicePublicKey, name: String?) -> Grant {
    let device = EnrolledDevice(
      id: "dev_\(loop.makeID(.device))",
      name: name ?? "Device",
      key: key,
      createdAt: loop.timestamp
    )
    return state.withLock { state in
      state.devices.append(device)
      return issue(to: &state.devices[state.devices.count - 1])
    }
  }

  /// Issues a token and the next challenge to an enrolled device; `nil` for any other.
  package func issue(to deviceID: String) -> Grant? {
    state.withLock { state in state.index(of: deviceID).map { issue(to: &state.devices[$0]) } }
  }

  private func issue(to device: inout EnrolledDevice) -> Grant {
    let token = Issued(
      text: "at_\(loop.makeID(.token))",
      expiresAt: loop.timestamp.moved(by: rules.tokenLifetime)
    )
    device.tokens.removeAll { end(of: $0) <= loop.timestamp }
    device.tokens = (device.tokens + [token]).suffix(Self.tokenLimit)
    let challenge = rules.offersChallenges ? makeChallenge(for: &device) : nil
    return Grant(deviceID: device.id, token: token, challenge: challenge)
  }

  /// When a token is no longer accepted.
  private func end(of token: Issued) -> Timestamp { token.expiresAt.moved(by: rules.tokenGrace) }

  /// Returns the device of a valid token, and notes its use; `nil` for any other text.
  package func use(_ text: String) -> String? {
    guard rules.isSecure else { return nil }
    return state.withLock { state in
      guard let (index, token) = state.holder(of: text), loop.timestamp < end(of: token) else {
        return nil
      }
      state.devices[index].lastUsedAt = loop.timestamp
      return state.devices[index].id
    }
  }
}

// MARK: - Challenges, and tokens for their signatures

extension DeviceAccess {
  static func json(_ challenge: Issued) -> JSONValue {
    [
      "nonce": .string(challenge.text), "audience": .string(AccessToken.Challenge.audience),
      "expiresAt": challenge.expiresAt.json,
    ]
  }

  /// All clients have the same address, so one counter is both that of the address and of the
  /// device.
  ///
  /// - Throws: If there were too many requests, or if the device is unknown or revoked, or has too
  ///   many unused challenges.
  func challenge(deviceID: String) throws(Refusal) -> Issued {
    let now = loop.now
    return try state.withLock { state throws(Refusal) in
      state.challengeRequests.removeAll { $0 + Self.window <= now }
      guard state.challengeRequests.count < Self.challengeRequestLimit else {
        throw Refusal(429, "Too many challenge requests")
      }
      state.challengeRequests.append(now)
      guard let index = state.index(of: deviceID), state.devices[index].revokedAt == nil,
        let challenge = makeChallenge(for: &state.devices[index])
      else { throw Refusal(404, "Unknown or revoked device") }
      return challenge
    }
  }

  /// Makes a challenge, and forgets those that have expired; `nil` if the device has too many.
  private func makeChallenge(for device: inout EnrolledDevice) -> Issued? {
    device.challenges.removeAll { isOver($0) }
    guard device.challenges.count < Self.challengeLimit else { return nil }
    let challenge = Issued(
      text: loop.makeID(.nonce),
      expiresAt: loop.timestamp.moved(by: Self.challengeLifetime)
    )
    device.challenges.append(challenge)
    return challenge
  }

  private func isOver(_ challenge: Issued) -> Bool {
    challenge.expiresAt.moved(by: Self.challengeGrace) <= loop.timestamp
  }

  /// Issues a token for the signature of a challenge, which is used up only by success.
  func refresh(
    deviceID: String,
    nonce: String,
    signature: String
  ) throws(Refusal) -> Grant {
    let now = loop.now
    return try state.withLock { state throws(Refusal) in
      guard let index = state.index(of: deviceID) else { throw Refusal(404, "unknown_device") }
      let device = state.devices[index]
      guard device.revokedAt == nil else { throw Refusal(403, "revoked") }
      guard let challenge = device.challenges.first(where: { $0.text == nonce }) else {
        throw Refusal(401, "unknown_nonce")
      }
      guard !isOver(challenge) else { throw Refusal(401, "nonce_expired") }
      let message = Array("\(AccessToken.Challenge.audience).\(nonce)".utf8)
      guard device.verifies(signature, of: message) else { throw Refusal(401, "bad_signature") }
      let recent = device.refreshes.filter { now < $0 + Self.window }
      guard recent.count < rules.refreshLimit else { throw Refusal(429, "rate_limited") }
      state.devices[index].refreshes = recent + [now]
      state.devices[index].challenges.removeAll { $0.text == nonce }
      state.refreshCount += 1
      return issue(to: &state.devices[index])
    }
  }
}

// MARK: - Revocation, expiry, and the sockets that they close

extension DeviceAccess {
  /// Revokes a device and its tokens; returns whether that was still possible.
  package func revoke(_ deviceID: String) -> Bool {
    let ends = state.withLock { state -> [Promise<SocketLease.End>]? in
      guard let index = state.index(of: deviceID), state.devices[index].revokedAt == nil else {
        return nil
      }
      state.devices[index].revokedAt = loop.timestamp
      state.devices[index].tokens = []
      return state.sockets.values.filter { $0.deviceID == deviceID }.map(\.end)
    }
    for end in ends ?? [] { end.keep(.revoked) }
    return ends != nil
  }

  /// Ends all tokens as if their time were over.
  package func expireAll() {
    let sockets = state.withLock { state in
      for index in state.devices.indices { state.devices[index].tokens = [] }
      return state.sockets.sorted { $0.key < $1.key }
    }
    for (_, socket) in sockets { socket.end.keep(.expired) }
  }

  /// Starts the lease of a socket, which has ended at once if the token is not valid any more.
  package func lease(for request: HTTPRequest) -> SocketLease? {
    let (now, time, end) = (loop.now, loop.timestamp, Promise<SocketLease.End>())
    let (id, rest) = state.withLock { state -> (Int, Int) in
      let holder = state.holder(of: request.bearer)
      state.lastSocket += 1
      state.sockets[state.lastSocket] = (holder.map { state.devices[$0.index].id }, end)
      let rest = holder.map { self.end(of: $0.token).milliseconds - time.milliseconds } ?? 0
      return (state.lastSocket, rest)
    }
    return SocketLease(deadline: now + .milliseconds(rest), end: end) { [self] in
      state.withLock { $0.sockets[id] = nil }
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
  /// Oldest first.
  var tokens: [DeviceAccess.Issued] = []
  /// The unused ones.
  var challenges: [DeviceAccess.Issued] = []
  /// The successful refreshes within the window.
  var refreshes: [EventLoop.Instant] = []

  /// What survives a restart.
  var reopened: EnrolledDevice {
    var device = self
    (device.challenges, device.refreshes) = ([], [])
    return device
  }

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
  fileprivate func verifies(_ signature: String, of message: [UInt8]) -> Bool {
    guard let bytes = Base64.decode(signature),
      let signature = ECDSASignature(concatenated: bytes),
      let key = try? CryptoKey.p256(key, using: LibCrypto())
    else { return false }
    return key.verifiesP256(signature, of: message)
  }
}
