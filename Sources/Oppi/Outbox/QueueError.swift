// SPDX-License-Identifier: MIT

import OppiModel

/// Why an operation on a prompt of the outbox failed.
enum QueueError: Error {
  case keyInUse(OutboxKey)
  case busy(OutboxKey)
  /// Another process holds the prompt that the user wants to change.
  case locked(OutboxKey)
  /// Whether the prompt ran is unknown; it is not sent again.
  case unknown(QueuedPrompt)
  case expired(QueuedPrompt)
  /// The prompt is still pending or was delivered, so it cannot be sent as a new one.
  case notRetriable(QueuedPrompt)
  case noSuchPrompt(OutboxKey)
}
