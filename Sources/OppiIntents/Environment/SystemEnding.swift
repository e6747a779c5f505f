// SPDX-License-Identifier: MIT

import Synchronization

/// Whether the system asked the program to exit, as at shutdown or logout; Ctrl-C does not count.
package final class SystemEnding: Sendable {
  private let flag = Mutex(false)

  package init() {}

  package var isAsked: Bool { flag.withLock { $0 } }

  package func ask() { flag.withLock { $0 = true } }
}
