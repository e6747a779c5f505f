// SPDX-License-Identifier: MIT

package import OppiModel

/// Why something was not done with a prompt of the outbox.
package enum QueueError: Error {
  /// The key belongs to another prompt.
  case keyInUse(OutboxKey)
  /// Another process is delivering the prompt of this key.
  case busy(OutboxKey)
  /// Another process holds the prompt that a person wants to change.
  case locked(OutboxKey)
  /// Whether the prompt ran is unknown; it is not sent again.
  case unknown(QueuedPrompt)
  /// The prompt expired before delivery.
  case expired(QueuedPrompt)
  /// The prompt still waits, or was delivered, so it cannot be sent as a new one.
  case notRetriable(QueuedPrompt)
  /// The outbox has no prompt of this key.
  case noSuchPrompt(OutboxKey)
}
