// SPDX-License-Identifier: MIT

import OppiModel

extension OppiError {
  static func promptBusy(_ key: OutboxKey) -> OppiError {
    OppiError(
      .locked,
      "another process is delivering prompt \(key)",
      hints: ["show its state with: oppi outbox show \(key)"]
    )
  }

  /// Whether the prompt ran is unknown; it is not sent again.
  static func promptUnknown(_ prompt: QueuedPrompt) -> OppiError {
    let why = prompt.reason?.message ?? "delivery unknown, not resent"
    return OppiError(.deliveryUnknown, "\(prompt.key): \(why)").naming(prompt)
  }

  static func promptExpired(_ prompt: QueuedPrompt) -> OppiError {
    OppiError(.expired, "prompt \(prompt.key) expired before delivery")
  }

  /// The error with the prompt's key, and a hint about how to look it up.
  func naming(_ prompt: QueuedPrompt) -> OppiError {
    var error = self
    error.details["key"] = .string(prompt.key.text)
    switch prompt.state {
    case .waiting:
      error.hints.append("the prompt is still in the outbox: oppi outbox show \(prompt.key)")
    case .departed, .launched:
      error.hints.append("check the delivery with: oppi outbox flush \(prompt.key)")
    case .unknown:
      error.hints.append("the prompt is kept in the outbox: oppi outbox show \(prompt.key)")
    case .delivered, .failed, .expired: break
    }
    return error
  }
}
