// SPDX-License-Identifier: MIT

import OppiModel

extension OppiError {
  static func keyInUse(_ key: OutboxKey) -> OppiError {
    OppiError(
      .badInput,
      "the key \(key) is already used for another prompt",
      hints: ["show it with: oppi outbox show \(key)"]
    )
  }

  static func promptBusy(_ key: OutboxKey) -> OppiError {
    OppiError(
      .locked,
      "another process is delivering prompt \(key)",
      hints: ["show its state with: oppi outbox show \(key)"]
    )
  }

  /// Another process holds the prompt that the user wants to change.
  static func promptLocked(_ key: OutboxKey) -> OppiError {
    OppiError(.locked, "another process is delivering prompt \(key)", hints: ["retry"])
  }

  /// Whether the prompt ran is unknown; it is not sent again.
  static func promptUnknown(_ prompt: QueuedPrompt) -> OppiError {
    let why = prompt.reason?.message ?? "delivery unknown, not resent"
    return OppiError(.deliveryUnknown, "\(prompt.key): \(why)").naming(prompt)
  }

  static func promptExpired(_ prompt: QueuedPrompt) -> OppiError {
    OppiError(.expired, "prompt \(prompt.key) expired before delivery")
  }

  /// The prompt is still pending or was delivered, so it cannot be sent as a new one.
  static func notRetriable(_ prompt: QueuedPrompt) -> OppiError {
    OppiError(
      .badInput,
      "cannot resend prompt \(prompt.key): its state is \(prompt.stateWord)",
      hints: prompt.isOpen ? ["deliver it with: oppi outbox flush \(prompt.key)"] : []
    )
  }

  static func noSuchPrompt(_ key: OutboxKey) -> OppiError {
    OppiError(
      .noSuchPrompt,
      "no prompt '\(key)' in the outbox",
      hints: ["list all prompts with: oppi outbox list --all"]
    )
  }

  init(notPaired prompt: QueuedPrompt) {
    self.init(
      .notPaired,
      "server \(prompt.target.serverName) of prompt \(prompt.key) is no longer paired",
      hints: ["pair again, or drop the prompt with: oppi outbox drop \(prompt.key)"]
    )
  }

  /// A prompt that remains queued after a failed attempt.
  init(stillQueued key: OutboxKey, because why: OppiError?) {
    let reason = why.map { ": \($0.message)" } ?? ""
    self.init(
      .stillQueued,
      "prompt \(key) is still queued\(reason)",
      hints: why?.hints ?? [],
      details: why?.details ?? [:]
    )
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
