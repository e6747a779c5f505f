// SPDX-License-Identifier: MIT

import Glibc

extension EventLoop {
  /// Events of a file descriptor, which other code may own, such as a library with its own
  /// connection.
  package struct Interest: Sendable {
    package let descriptor: Int32
    package let events: Int16

    package init(descriptor: Int32, events: Int16) {
      self.descriptor = descriptor
      self.events = events
    }

    package static func readable(_ descriptor: Int32) -> Interest {
      Interest(descriptor: descriptor, events: Int16(POLLIN))
    }

    package static func writable(_ descriptor: Int32) -> Interest {
      Interest(descriptor: descriptor, events: Int16(POLLOUT))
    }
  }
}
