// SPDX-License-Identifier: MIT

import Glibc

/// Identifies the temporary files of one running process.
package struct ProcessIdentity: Sendable {
  package let id: Int32
  package let isAlive: @Sendable (Int32) -> Bool

  package init(id: Int32, isAlive: @escaping @Sendable (Int32) -> Bool) {
    self.id = id
    self.isAlive = isAlive
  }

  package static var current: ProcessIdentity {
    ProcessIdentity(id: getpid()) { kill($0, 0) == 0 || errno == EPERM }
  }
}
