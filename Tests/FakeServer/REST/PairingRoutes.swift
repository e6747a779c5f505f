// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiTransport
import Synchronization

final class PairingRoutes: Sendable {
  enum Outcome: Equatable {
    case paired(deviceToken: String)
    case refused
    /// Too many failures; even a valid token is rejected for a while.
    case blocked
  }

  /// The number of failures within the window that start a block.
  fileprivate static let failureLimit = 5
  fileprivate static let window = Duration.seconds(60)
  fileprivate static let block = Duration.seconds(120)

  fileprivate struct State {
    var invite: (token: String, expiry: EventLoop.Instant)?
    var accepted: Set<String>
    var failures: [EventLoop.Instant] = []
    var blockedUntil: EventLoop.Instant?
  }

  private let loop: EventLoop
  private let state: Mutex<State>

  init(tokens: Set<String>, loop: EventLoop) {
    self.loop = loop
    state = Mutex(State(accepted: tokens))
  }

  var tokens: Set<String> { state.withLock(\.accepted) }

  /// Creates a single-use pairing token and invalidates the previous one.
  func makeInvite(lifetime: Duration) -> String {
    let token = "pt_\(loop.makeID(.token))"
    state.withLock { $0.invite = (token, loop.now + lifetime) }
    return token
  }

  func redeem(_ token: String) -> Outcome {
    switch spend(token) {
    case .refused: return .refused
    case .blocked: return .blocked
    case .spent:
      let deviceToken = "dt_\(loop.makeID(.token))"
      state.withLock { _ = $0.accepted.insert(deviceToken) }
      return .paired(deviceToken: deviceToken)
    }
  }

  enum Spending {
    case spent
    case refused
    case blocked
  }

  /// Uses up a pairing token; an invalid request only counts as a failure.
  func spend(_ token: String, isRequestValid: Bool = true) -> Spending {
    let now = loop.now
    return state.withLock { state in
      if let end = state.blockedUntil, now < end { return .blocked }
      guard isRequestValid, let invite = state.invite, invite.token == token, now < invite.expiry
      else {
        return state.refuse(now: now)
      }
      state.invite = nil
      state.failures = []
      return .spent
    }
  }

  func accepts(_ token: some StringProtocol) -> Bool {
    state.withLock { $0.accepted.contains(String(token)) }
  }
}

extension PairingRoutes.State {
  fileprivate mutating func refuse(now: EventLoop.Instant) -> PairingRoutes.Spending {
    failures.removeAll { $0 + PairingRoutes.window <= now }
    failures.append(now)
    if failures.count >= PairingRoutes.failureLimit {
      blockedUntil = now + PairingRoutes.block
      failures = []
    }
    return .refused
  }
}

extension PairingRoutes {
  /// Whether the request has a valid bearer token; `Bearer` is case-sensitive.
  func accepts(bearerOf request: HTTPRequest) -> Bool {
    let value = request.headers["Authorization"] ?? ""
    return value.hasPrefix("Bearer ") && accepts(value.dropFirst("Bearer ".count))
  }
}
