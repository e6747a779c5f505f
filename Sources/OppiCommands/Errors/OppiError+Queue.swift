// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel

extension OppiError {
  init(_ error: QueueError) {
    switch error {
    case .keyInUse(let key):
      self.init(
        .badInput,
        "the key \(key) stands for another prompt",
        hints: ["see it with: oppi outbox show \(key)"]
      )
    case .busy(let key):
      self.init(
        .locked,
        "another process is at the prompt \(key)",
        hints: ["see what became of it with: oppi outbox show \(key)"]
      )
    case .locked(let key):
      self.init(.locked, "another process is at the prompt \(key)", hints: ["try again"])
    case .unknown(let prompt):
      let why = prompt.reason?.message ?? "delivery unknown, not sent again"
      self = OppiError(.deliveryUnknown, "\(prompt.key): \(why)").naming(prompt)
    case .expired(let prompt):
      self.init(.expired, "it was too late for the prompt \(prompt.key), which was not sent")
    case .notRetriable(let prompt):
      self.init(
        .badInput,
        "the prompt \(prompt.key) is \(prompt.stateWord)",
        hints: prompt.isOpen ? ["try it with: oppi outbox flush \(prompt.key)"] : []
      )
    case .noSuchPrompt(let key):
      self.init(
        .noSuchPrompt,
        "no prompt '\(key)' in the outbox",
        hints: ["see what is there with: oppi outbox list --all"]
      )
    }
  }

  /// A prompt of the outbox whose server is not paired any more.
  init(notPaired prompt: QueuedPrompt) {
    self.init(
      .notPaired,
      "\(prompt.target.serverName), which the prompt \(prompt.key) is for, is not paired any more",
      hints: ["pair again, or drop it with: oppi outbox drop \(prompt.key)"]
    )
  }

  /// A prompt that stays in the outbox after a try that failed.
  init(stillQueued key: OutboxKey, because why: OppiError?) {
    let reason = why.map { ": \($0.message)" } ?? ""
    self.init(
      .stillQueued,
      "\(key) still waits\(reason)",
      hints: why?.hints ?? [],
      details: why?.details ?? [:]
    )
  }

  /// The same with how the prompt that the outbox has can be looked up.
  func naming(_ prompt: QueuedPrompt) -> OppiError {
    var error = self
    error.details["key"] = .string(prompt.key.text)
    switch prompt.state {
    case .waiting:
      error.hints.append("it is still in the outbox: oppi outbox show \(prompt.key)")
    case .departed:
      error.hints.append("the server will be asked again by: oppi outbox flush \(prompt.key)")
    case .unknown: error.hints.append("it is kept: oppi outbox show \(prompt.key)")
    case .delivered, .failed, .expired: break
    }
    return error
  }
}
