// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiHost
import OppiText
import OppiWire
import Synchronization

/// The access of servers without device keys: tokens without an end.
final class BearerAccess: HostAccess {
  private let invites: Invites
  private let loop: EventLoop
  private let accepted: Mutex<Set<String>>

  init(tokens: Set<String>, invites: Invites, loop: EventLoop) {
    self.invites = invites
    self.loop = loop
    accepted = Mutex(tokens)
  }

  var tokens: Set<String> { accepted.withLock { $0 } }

  func answer(to request: HTTPRequest) throws(Refusal) -> JSONValue? {
    if request.method == "POST", request.path == "/pair" {
      return ["deviceToken": .string(try pair(Call(request: request).body))]
    }
    guard accepts(request) else { throw Refusal(401, "Unauthorized") }
    return nil
  }

  func accepts(_ request: HTTPRequest) -> Bool { request.bearer.map(tokens.contains) == true }

  func lease(for request: HTTPRequest) -> SocketLease? { nil }

  private func pair(_ body: JSONValue) throws(Refusal) -> String {
    guard let invite = body["pairingToken"].string, !invite.isEmpty else {
      throw Refusal(400, "pairingToken required")
    }
    try invites.spend(invite)
    let token = "dt_\(loop.makeID(.token))"
    accepted.withLock { _ = $0.insert(token) }
    return token
  }
}

/// The access of servers with device keys, which may also exchange the tokens of older servers.
final class MigratingAccess: HostAccess {
  private struct Legacy {
    /// The tokens that were not replaced yet.
    var tokens: Set<String>
    /// The devices that replace them with the first use of their own tokens, by ID.
    var replacements: [String: String] = [:]
  }

  let devices: DeviceAccess
  private let migrates: Bool
  private let legacy: Mutex<Legacy>

  init(
    _ configuration: FakeServer.Configuration,
    invites: Invites,
    from remains: FakeServer.Remains?,
    loop: EventLoop
  ) {
    migrates = configuration.migrates
    let older = remains?.tokens.filter { $0.hasPrefix("dt_") } ?? configuration.legacyTokens
    legacy = Mutex(Legacy(tokens: older))
    var rules = DeviceAccess.Rules()
    rules.tokenLifetime = configuration.limits.accessTokenLifetime
    rules.tokenGrace = configuration.limits.accessTokenGrace
    rules.refreshLimit = configuration.limits.refreshesPerMinute
    rules.isSecure = configuration.tls != nil || configuration.acceptsPlainHTTP
    rules.offersChallenges = configuration.offersChallenges
    devices = DeviceAccess(
      rules,
      invites: invites,
      devices: remains?.devices ?? [],
      loop: loop
    )
  }

  var legacyTokens: Set<String> { legacy.withLock(\.tokens) }

  func answer(to request: HTTPRequest) throws(Refusal) -> JSONValue? {
    if migrates, request.method == "POST", request.path == "/auth/migrate" {
      return try migrate(request, devices.openBody(of: request))
    }
    let answer = try devices.answer(to: request)
    noteUse(by: request)
    return answer
  }

  func accepts(_ request: HTTPRequest) -> Bool {
    noteUse(by: request)
    return devices.accepts(request)
  }

  func lease(for request: HTTPRequest) -> SocketLease? { devices.lease(for: request) }

  /// Ends the old token of a device that uses its own.
  private func noteUse(by request: HTTPRequest) {
    guard let id = request.bearer.flatMap(devices.use) else { return }
    legacy.withLock { legacy in
      let old = legacy.replacements.first { $0.value == id }?.key
      guard let old else { return }
      legacy.replacements[old] = nil
      legacy.tokens.remove(old)
    }
  }

  private func migrate(_ request: HTTPRequest, _ body: JSONValue) throws(Refusal) -> JSONValue {
    guard let token = request.bearer, token.hasPrefix("dt_") else {
      throw Refusal(400, "legacy device token required")
    }
    guard let key = try DeviceAccess.key(in: body),
      let grant = grant(for: token, to: key, name: body.deviceName)
    else { throw Refusal(401, "Invalid or unsupported legacy device token") }
    return grant.enrolment
  }

  /// Enrols a key in place of a token; `nil` if the token is not valid, or was used with another key.
  private func grant(
    for token: String,
    to key: DevicePublicKey,
    name: String?
  ) -> DeviceAccess.Grant? {
    let (isKnown, id) = legacy.withLock { ($0.tokens.contains(token), $0.replacements[token]) }
    guard isKnown else { return nil }
    guard let id else {
      let grant = devices.enrol(key, name: name)
      legacy.withLock { $0.replacements[token] = grant.deviceID }
      return grant
    }
    let device = devices.devices.first { $0.id == id }
    guard let device, device.key == key, device.revokedAt == nil else { return nil }
    return devices.issue(to: id)
  }
}
