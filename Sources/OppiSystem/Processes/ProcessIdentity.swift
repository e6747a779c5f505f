// SPDX-License-Identifier: MIT

import Glibc

/// What tells the files of one running program from those of another.
package struct ProcessIdentity: Sendable {
  /// The number of the process.
  package let id: Int32
  /// Whether the process with a number still runs.
  package let isAlive: @Sendable (Int32) -> Bool

  package init(id: Int32, isAlive: @escaping @Sendable (Int32) -> Bool) {
    self.id = id
    self.isAlive = isAlive
  }

  /// This process.
  package static var current: ProcessIdentity {
    ProcessIdentity(id: getpid()) { kill($0, 0) == 0 || errno == EPERM }
  }
}
