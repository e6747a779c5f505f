// SPDX-License-Identifier: MIT

import OppiModel

extension OppiError {
  init(_ error: QueueError) {
    switch error {
    case .keyInUse(let key):
      self.init(
        .badInput,
        "the key \(key) is already used for another prompt",
        hints: ["show it with: oppi outbox show \(key)"]
      )
    case .busy(let key):
      self.init(
        .locked,
        "another process is delivering prompt \(key)",
        hints: ["show its state with: oppi outbox show \(key)"]
      )
    case .locked(let key):
      self.init(.locked, "another process is delivering prompt \(key)", hints: ["retry"])
    case .unknown(let prompt):
      let why = prompt.reason?.message ?? "delivery unknown, not resent"
      self = OppiError(.deliveryUnknown, "\(prompt.key): \(why)").naming(prompt)
    case .expired(let prompt):
      self.init(.expired, "prompt \(prompt.key) expired before delivery")
    case .notRetriable(let prompt):
      self.init(
        .badInput,
        "cannot resend prompt \(prompt.key): its state is \(prompt.stateWord)",
        hints: prompt.isOpen ? ["deliver it with: oppi outbox flush \(prompt.key)"] : []
      )
    case .noSuchPrompt(let key):
      self.init(
        .noSuchPrompt,
        "no prompt '\(key)' in the outbox",
        hints: ["list all prompts with: oppi outbox list --all"]
      )
    }
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
