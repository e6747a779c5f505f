// SPDX-License-Identifier: MIT

import Synchronization

/// Warnings that wait to be told.
final class WarningBacklog: Sendable {
  private let messages = Mutex<[String]>([])

  func add(_ message: String) {
    messages.withLock { $0.append(message) }
  }

  /// Returns them all, and keeps none.
  func take() -> [String] {
    messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
