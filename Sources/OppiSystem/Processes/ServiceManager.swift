// SPDX-License-Identifier: MIT

import Glibc

/// Notifies systemd of a service's state by the protocol of sd_notify(3).
package struct ServiceManager: Sendable {
  private let path: String?
  /// How often the watchdog must be notified: half of its timeout; `nil` without a watchdog.
  package let watchdogInterval: Duration?

  /// Without a socket in the environment, nothing is sent.
  package init(environment: [String: String]) {
    path = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
    let limit = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
    watchdogInterval = limit > 0 ? .microseconds(limit / 2) : nil
  }

  package func ready() { tell("READY=1") }

  package func alive() { tell("WATCHDOG=1") }

  package func stopping() { tell("STOPPING=1") }

  /// Errors are ignored: there is no manager to notify.
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
