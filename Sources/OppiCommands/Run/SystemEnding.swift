// SPDX-License-Identifier: MIT

import Synchronization

/// Whether the system has asked the program to end, as it does when it shuts down or the user's
/// login ends, and not a person with Ctrl-C.
final class SystemEnding: Sendable {
  private let flag = Mutex(false)

  var isAsked: Bool { flag.withLock { $0 } }

  func ask() { flag.withLock { $0 = true } }
}
