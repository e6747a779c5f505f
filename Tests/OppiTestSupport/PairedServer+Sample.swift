// SPDX-License-Identifier: MIT

import OppiWire
import Testing

extension Endpoint {
  /// A server of this machine without TLS.
  static func loopback(_ port: Int) throws -> Endpoint {
    try #require(Endpoint(scheme: .http, host: "127.0.0.1", port: port))
  }
}

extension PairedServer {
  /// Creates a server whose identity, name and port are derived from a number.
  static func sample(_ number: UInt8, tokenCommand: [String] = []) throws -> PairedServer {
    PairedServer(
      id: Fingerprint(digest: Array(repeating: number, count: 32)),
      name: "Server \(number)",
      endpoint: try #require(Endpoint(scheme: .https, host: "127.0.0.1", port: 7000 + Int(number))),
      addedAt: 1_700_000_000,
      tokenCommand: tokenCommand
    )
  }
}
