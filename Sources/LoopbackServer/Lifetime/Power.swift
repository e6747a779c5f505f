// SPDX-License-Identifier: MIT

import Synchronization

/// Whether a server can still say anything; may be used on any thread.
final class Power: Sendable {
  private let isOff = Atomic(false)

  var isOn: Bool { !isOff.load(ordering: .sequentiallyConsistent) }

  /// Lets nothing leave the server any more, on any connection.
  func cut() {
    isOff.store(true, ordering: .sequentiallyConsistent)
  }
}
