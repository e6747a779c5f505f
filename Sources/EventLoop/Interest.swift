// SPDX-License-Identifier: MIT

import Glibc

extension EventLoop {
  /// Something that a file descriptor may become; the descriptor may belong to anybody, such as a
  /// library that has its own connection.
  package struct Interest: Sendable {
    package let descriptor: Int32
    /// The `events` of `poll(2)`.
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
