// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import Synchronization
import WebSocketCodec

/// The right of a WebSocket to stay open: that of the token of its upgrade.
struct SocketLease: Sendable {
  enum End {
    case expired
    case revoked

    var code: CloseCode {
      switch self {
      case .expired: .authorizationExpired
      case .revoked: .policyViolation
      }
    }

    var reason: String {
      switch self {
      case .expired: "auth_expired"
      case .revoked: "Device revoked"
      }
    }
  }

  let id: Int
  let deviceID: String?
  /// The end of the token, unless an earlier one is reported.
  let deadline: EventLoop.Instant
  let end: Promise<End>
}

/// Revocation, expiry, and the sockets that they close.
extension AccessRoutes {
  /// The devices as listed, also revoked ones.
  var devices: [JSONValue] { records.devices.map(\.json) }

  /// Revokes a device and its tokens; returns whether that was still possible.
  func revoke(_ deviceID: String) -> Bool {
    let now = loop.timestamp
    let leases = state.withLock { state -> [SocketLease]? in
      let index = state.records.devices.firstIndex { $0.id == deviceID && $0.revokedAt == nil }
      guard let index else { return nil }
      state.records.devices[index].revokedAt = now
      state.records.tokens.removeAll { $0.deviceID == deviceID }
      return state.sockets.values.filter { $0.deviceID == deviceID }
    }
    for lease in leases ?? [] { lease.end.keep(.revoked) }
    return leases != nil
  }

  func revokeAll() {
    for device in records.devices { _ = revoke(device.id) }
  }

  /// Ends all tokens as if their time were over.
  func expireAll() {
    let leases = state.withLock { state in
      state.records.tokens = []
      return state.sockets.values.sorted { $0.id < $1.id }
    }
    for lease in leases { lease.end.keep(.expired) }
  }

  // MARK: - Sockets

  /// Starts the lease of a socket, which has ended at once if the token is not valid any more.
  func lease(for token: String) -> SocketLease {
    let (now, time) = (loop.now, loop.timestamp)
    return state.withLock { state in
      let token = state.records.tokens.first { $0.text == token }
      let rest = token.map { end(of: $0).milliseconds - time.milliseconds } ?? 0
      state.lastSocket += 1
      let lease = SocketLease(
        id: state.lastSocket,
        deviceID: token?.deviceID,
        deadline: now + .milliseconds(rest),
        end: Promise()
      )
      state.sockets[lease.id] = lease
      return lease
    }
  }

  func release(_ lease: SocketLease) {
    state.withLock { $0.sockets[lease.id] = nil }
  }
}
