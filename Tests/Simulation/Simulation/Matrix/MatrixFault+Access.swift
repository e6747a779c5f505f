// SPDX-License-Identifier: MIT

import FakeServer

extension MatrixFault {
  /// Faults of servers with device keys.
  static let access: [MatrixFault] = [
    .server("launch in progress", at: [.launch], .answer(status: 409, error: "launch_in_progress")),
    .server("stale nonce", at: [.access], .answer(status: 401, error: "unknown_nonce")),
    .server(
      "unknown device",
      at: [.access],
      .answer(status: 404, error: "Unknown or revoked device")
    ),
    .server("rate limit", at: [.access], .answer(status: 429, error: "rate_limited")),
    .world("tokens end", at: .anywhere, .harmless) { $0.endTokens() },
    .world("revoked", at: .anywhere) { $0.revokeDevices() },
    .world("agents restart", at: .spoken, .fatal) { $0.restartAgents() },
  ]
}
