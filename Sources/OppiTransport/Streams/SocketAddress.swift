// SPDX-License-Identifier: MIT

import Glibc

package struct SocketAddress: Sendable, Equatable {
  /// The bytes of a `sockaddr` of any family.
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  package var family: Int32 {
    bytes.withUnsafeBytes { Int32($0.loadUnaligned(as: sockaddr.self).sa_family) }
  }

  func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    bytes.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: sockaddr.self) { pointer in
        guard let base = pointer.baseAddress else {
          preconditionFailure("a socket address has bytes")
        }
        return body(base, socklen_t(raw.count))
      }
    }
  }
}
