// SPDX-License-Identifier: MIT

import Glibc

/// The name by which servers list this machine's devices.
package enum MachineName {
  /// The host name without its domain, and the program: `studio (oppi)`; at most 64 characters.
  package static var current: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return program }
    let name = bytes.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: ".")) }
      .map { UInt8(bitPattern: $0) }
    let host = String(decoding: name.prefix(48), as: UTF8.self)
    return host.isEmpty ? program : "\(host) (\(program))"
  }

  private static let program = "oppi"
}
