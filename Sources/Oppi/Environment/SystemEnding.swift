// SPDX-License-Identifier: MIT

import Synchronization

/// Whether the system asked the program to exit, as at shutdown or logout; Ctrl-C does not count.
final class SystemEnding: Sendable {
  private let flag = Mutex(false)

  init() {}

  var isAsked: Bool { flag.withLock { $0 } }

  func ask() { flag.withLock { $0 = true } }
}
