// SPDX-License-Identifier: MIT

import Glibc

/// The socket at which a service manager gets the messages of a service.
package final class ManagerSocket: Sendable {
  /// The path for the environment; that of an abstract socket begins with `@`.
  package let path: String
  private let scratch: Scratch
  private let descriptor: Int32

  struct NotBound: Error {}

  package init(isAbstract: Bool = false) throws {
    scratch = try Scratch()
    path = (isAbstract ? "@" : "") + scratch.path("notify")
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      buffer.copyBytes(from: path.utf8.map { $0 == UInt8(ascii: "@") ? 0 : $0 })
    }
    let length = MemoryLayout<sa_family_t>.size + path.utf8.count
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, socklen_t(length))
      }
    }
    guard status == 0 else { throw NotBound() }
  }

  deinit { close(descriptor) }

  /// Takes the next message; empty if there is none.
  package func next() -> String {
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
