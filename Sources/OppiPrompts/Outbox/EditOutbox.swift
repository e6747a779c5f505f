// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiModel
import OppiSystem
import OppiWire

extension OutboxStore {
  /// How long to wait for another process that holds a prompt.
  fileprivate static var lockTimeout: Duration { .seconds(5) }

  /// - Throws: `OppiError` if there is none, or what ``load(_:)`` throws.
  func existing(_ key: OutboxKey) throws -> QueuedPrompt {
    guard let prompt = try load(key) else {
      throw OppiError(
        .noSuchPrompt,
        "no prompt '\(key)' in the outbox",
        hints: ["list all prompts with: oppi outbox list --all"]
      )
    }
    return prompt
  }
}

/// Changes of single prompts of the outbox at the user's request.
extension Services {
  /// Sends a failed, expired or unknown prompt again, as a new one.
  ///
  /// `state` is the word of the state that the user saw; `nil` for any.
  ///
  /// - Throws: `OppiError` if it is still pending, was delivered, has another state than the user saw,
  ///   or is locked by another process.
  package func retryPrompt(
    _ key: OutboxKey,
    seenAs state: String? = nil
  ) async throws -> FlushOutbox.Step {
    let servers = try serverStore.load().servers
    let step = try await changing(key, seenAs: state) { known -> FlushOutbox.Step in
      var prompt = known
      guard prompt.isDone, !prompt.state.isDelivered else {
        // It is still pending or was delivered, so it cannot be sent as a new one.
        throw OppiError(
          .badInput,
          "cannot resend prompt \(key): its state is \(prompt.state.word)",
          hints: prompt.isOpen ? ["deliver it with: oppi outbox flush \(key)"] : []
        )
      }
      guard let server = servers.first(where: { $0.id == prompt.target.serverID }) else {
        return .notPaired(prompt)
      }
      prompt.renew(clientTurnID: loop.newID(), at: now())
      return .tried(try await DeliverQueued(context: self).attempt(prompt, on: server))
    }
    if case .tried(let attempt) = step { await settleHistory(of: attempt) }
    return step
  }

  /// Removes a prompt in any state; `onlyIfFailed` skips one that is pending, was delivered, or has
  /// been removed meanwhile.
  ///
  /// Returns the prompt; `nil` if it was skipped, or if its file was damaged, which is also
  /// removed. `state` is the word of the state that the user saw; `nil` for any.
  ///
  /// - Throws: `OppiError`, also if it has another state than the user saw; what the store throws.
  package func dropPrompt(
    _ key: OutboxKey,
    onlyIfFailed: Bool,
    seenAs state: String? = nil
  ) async throws -> QueuedPrompt? {
    do {
      let dropped = try await changing(key, seenAs: state) { prompt -> QueuedPrompt? in
        if onlyIfFailed, !prompt.isDone || prompt.state.isDelivered { return nil }
        try outbox.remove(key)
        return prompt
      }
      if let dropped, dropped.isOpen { await settleHistory(of: dropped, as: "dropped") }
      return dropped
    } catch let error as FileError where error.isDamage && !onlyIfFailed {
      try await outbox.claim(key, lockTimeout: OutboxStore.lockTimeout) { () throws(FileError) in
        try outbox.remove(key)
      }
      return nil
    } catch let error as OppiError where error.code == .noSuchPrompt && onlyIfFailed {
      return nil
    }
  }

  /// Runs the body with the prompt of a key, as it is now, while holding its lock.
  private func changing<Value>(
    _ key: OutboxKey,
    seenAs state: String?,
    _ body: (QueuedPrompt) async throws -> Value
  ) async throws -> Value {
    do {
      return try await outbox.withPrompt(key, lockTimeout: OutboxStore.lockTimeout) { _ in
        var prompt = try outbox.existing(key)
        prompt.expire(at: now())
        guard state == nil || state == prompt.state.word else {
          throw OppiError(
            .badInput,
            "prompt \(key) has changed meanwhile: its state is \(prompt.state.word)"
          )
        }
        return try await body(prompt)
      }
    } catch var error as OppiError where error == .promptBusy(key) {
      error.hints = ["retry"]
      throw error
    }
  }
}

extension FileError {
  /// Whether the file exists but cannot be parsed.
  fileprivate var isDamage: Bool {
    switch self {
    case .corrupt, .unusable, .tooLarge: true
    default: false
    }
  }
}
