// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import Synchronization

/// Enrols device keys, and issues the access tokens of their devices; may be used on any thread.
final class AccessRoutes: Sendable {
  /// The rules of a server for its tokens.
  struct Rules: Sendable {
    var tokenLifetime = Duration.seconds(600)
    /// How long a token is accepted after its announced end.
    var tokenGrace = Duration.seconds(30)
    /// The number of successful refreshes of a device in a minute.
    var refreshLimit = 12
    /// Whether credentials are accepted: over TLS only, except behind a proxy.
    var isSecure = true
    /// Whether tokens of older servers can be exchanged.
    var migrates = false
    /// Whether answers with a token contain the challenge for the next one.
    var offersChallenges = true
  }

  struct Token: Sendable {
    var text: String
    var deviceID: String
    /// The announced end.
    var expiresAt: Timestamp
  }

  struct Challenge: Sendable, Equatable {
    var nonce: String
    var deviceID: String
    /// The announced end.
    var expiresAt: Timestamp
    var isUsed = false
  }

  /// What survives a restart.
  struct Records: Sendable {
    var devices: [EnrolledDevice] = []
    /// Oldest first.
    var tokens: [Token] = []
    /// The tokens of older servers that were not replaced yet.
    var legacyTokens: Set<String> = []
  }

  /// A token, and the challenge for the next one.
  struct Grant: Sendable {
    var token: Token
    var challenge: Challenge?
  }

  struct State: Sendable {
    var records: Records
    /// By nonce.
    var challenges: [String: Challenge] = [:]
    var challengeRequests: [EventLoop.Instant] = []
    /// The successful refreshes of each device within the window.
    var refreshes: [String: [EventLoop.Instant]] = [:]
    /// The number of all successful refreshes.
    var refreshCount = 0
    var sockets: [Int: SocketLease] = [:]
    var lastSocket = 0
  }

  /// The number of tokens of a device; another one makes the oldest invalid.
  static let tokenLimit = 8

  let rules: Rules
  let loop: EventLoop
  let state: Mutex<State>

  init(_ rules: Rules, records: Records = Records(), loop: EventLoop) {
    self.rules = rules
    self.loop = loop
    state = Mutex(State(records: records))
  }

  var records: Records { state.withLock(\.records) }
  var refreshCount: Int { state.withLock(\.refreshCount) }

  /// Enrols a key; every enrolment is a device of its own.
  func enrol(_ key: DevicePublicKey, name: String?, replacing legacyToken: String? = nil) -> Grant {
    let device = EnrolledDevice(
      id: "dev_\(loop.makeID(.device))",
      name: name ?? EnrolledDevice.defaultName,
      key: key,
      createdAt: loop.timestamp,
      legacyToken: legacyToken
    )
    return state.withLock { state in
      state.records.devices.append(device)
      return issue(to: device.id, &state)
    }
  }

  /// Issues a token and the next challenge.
  func issue(to deviceID: String, _ state: inout State) -> Grant {
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
  func use(_ text: String) -> Token? {
    let now = loop.timestamp
    guard rules.isSecure else { return nil }
    return state.withLock { state in
      guard let token = state.records.tokens.first(where: { $0.text == text }),
        now < end(of: token),
        let index = state.records.devices.firstIndex(where: { $0.id == token.deviceID })
      else { return nil }
      state.records.devices[index].lastUsedAt = now
      if let legacyToken = state.records.devices[index].legacyToken {
        state.records.devices[index].legacyToken = nil
        state.records.legacyTokens.remove(legacyToken)
      }
      return token
    }
  }

  // MARK: - Migration

  /// Enrols a key in place of a token of an older server; `nil` if the token is not valid, or was
  /// used with another key.
  func migrate(_ legacyToken: String, to key: DevicePublicKey, name: String?) -> Grant? {
    let (isKnown, earlier) = state.withLock { state in
      (
        state.records.legacyTokens.contains(legacyToken),
        state.records.devices.first { $0.legacyToken == legacyToken }
      )
    }
    guard rules.migrates, isKnown else { return nil }
    guard let earlier else { return enrol(key, name: name, replacing: legacyToken) }
    guard earlier.key == key, earlier.revokedAt == nil else { return nil }
    return state.withLock { issue(to: earlier.id, &$0) }
  }
}
