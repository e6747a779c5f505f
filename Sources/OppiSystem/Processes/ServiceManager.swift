// SPDX-License-Identifier: MIT

import Glibc

/// Tells systemd how a service does, by sd_notify(3)'s protocol: datagrams to a socket that the
/// environment names.
package struct ServiceManager: Sendable {
  private let path: String?
  /// How often a sign of life is due, which is half the time after which the service is given up;
  /// `nil` where none is.
  package let watchdogInterval: Duration?

  /// Finds the socket; without one nothing is told.
  package init(environment: [String: String]) {
    path = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    let limit = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
    watchdogInterval = limit > 0 ? .microseconds(limit / 2) : nil
  }

  /// The service has started.
  package func ready() { tell("READY=1") }

  /// The service is alive.
  package func alive() { tell("WATCHDOG=1") }

  /// The service is about to end.
  package func stopping() { tell("STOPPING=1") }

  /// A manager that is gone is nobody to tell.
  private func tell(_ state: String) {
    guard let path else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    // An abstract address begins with a zero byte, which is written as `@`.
    guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
      bytes.count < MemoryLayout.size(ofValue: address.sun_path)
    else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      buffer.copyBytes(from: bytes)
      if first == UInt8(ascii: "@") { buffer[0] = 0 }
    }
    let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return }
    defer { close(socket) }
    let length = MemoryLayout<sa_family_t>.size + bytes.count
    let message = Array(state.utf8)
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        sendto(
          socket,
          message,
          message.count,
          Int32(MSG_NOSIGNAL | MSG_DONTWAIT),
          address,
          socklen_t(length)
        )
      }
    }
  }
}
