// SPDX-License-Identifier: MIT

package import EventLoop
package import HTTPCodec
package import OppiText
import Synchronization
import WebSocketCodec

/// Decides which requests a host answers; may be used on any thread.
package protocol HostAccess: Sendable {
  /// Answers the routes that give access; `nil` for all other routes.
  ///
  /// - Throws: Also if the request has no valid credential.
  func answer(to request: HTTPRequest) throws(Refusal) -> JSONValue?
  /// Whether the upgrade to a WebSocket has a valid credential.
  func accepts(_ request: HTTPRequest) -> Bool
  /// The right of a WebSocket to stay open; `nil` if it has no end.
  func lease(for request: HTTPRequest) -> SocketLease?
}

/// The right of a WebSocket to stay open: that of the token of its upgrade.
package struct SocketLease: Sendable {
  struct End {
    let code: CloseCode
    let reason: String

    static let expired = End(code: .authorizationExpired, reason: "auth_expired")
    static let revoked = End(code: .policyViolation, reason: "Device revoked")
  }

  /// The end of the token, unless an earlier one is reported.
  let deadline: EventLoop.Instant
  let end: Promise<End>
  /// Called when the WebSocket has ended.
  let release: @Sendable () -> Void
}

/// The invites of a host; one can be used at a time, and once.
package final class Invites: Sendable {
  static let refusal = Refusal(401, "Invalid or expired pairing token")
  /// The number of failures within the window that start a block.
  private static let failureLimit = 5
  private static let window = Duration.seconds(60)
  private static let block = Duration.seconds(120)

  private struct State {
    var invite: (token: String, expiry: EventLoop.Instant)?
    var failures: [EventLoop.Instant] = []
    var blockEnd: EventLoop.Instant?
  }

  private let loop: EventLoop
  private let state = Mutex(State())

  package init(loop: EventLoop) {
    self.loop = loop
  }

  /// Creates a single-use pairing token and invalidates the previous one.
  package func make(lifetime: Duration = .seconds(90)) -> String {
    let token = "pt_\(loop.makeID(.token))"
    state.withLock { $0.invite = (token, loop.now + lifetime) }
    return token
  }

  /// Uses up a pairing token; `nil` only counts as a failure.
  ///
  /// - Throws: If the token is not valid. After too many failures, even a valid one is refused for a
  ///   while.
  package func spend(_ token: String?) throws(Refusal) {
    let now = loop.now
    try state.withLock { state throws(Refusal) in
      if let end = state.blockEnd, now < end {
        throw Refusal(429, "Too many invalid pairing attempts. Try again later.")
      }
      if let invite = state.invite, invite.token == token, now < invite.expiry {
        state = State()
        return
      }
      state.failures = state.failures.filter { now < $0 + Self.window } + [now]
      if state.failures.count >= Self.failureLimit {
        (state.blockEnd, state.failures) = (now + Self.block, [])
      }
      throw Self.refusal
    }
  }
}
