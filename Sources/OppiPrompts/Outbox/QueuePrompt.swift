// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiSystem
import OppiText
import OppiTurns
import OppiWire

/// Sends one prompt through the outbox: at most once per key, and queued if it cannot be delivered
/// now and its terms allow it.
struct QueuePrompt {
  struct Terms: Sendable, Equatable {
    /// Whether to queue the prompt if it cannot be delivered now.
    var isKept: Bool
    /// The key that the user chose; `nil` derives one from the prompt.
    var key: OutboxKey?
    /// The prompt's lifetime; `nil` for no expiry.
    var expiry: Duration?
  }

  enum Outcome: Sendable {
    /// Delivered now; has the prompt if it was queued before.
    case delivered(AskOutcome, QueuedPrompt?)
    /// Delivered earlier under its key.
    case deliveredBefore(QueuedPrompt)
    /// Queued, or already queued under its key.
    case kept(QueuedPrompt, isAgain: Bool)
    /// Neither delivered nor queued now; has the prompt if the outbox still has it.
    case failed(AskFailure, QueuedPrompt?)
  }

  /// How long to wait for another process that delivers the same prompt.
  private static let lockTimeout = Duration.seconds(15)

  let request: AskRequest
  let terms: Terms
  /// Whether to end the session after the turn.
  let endsSession: Bool
  let context: Services
  private var outbox: OutboxStore { context.outbox }

  /// Delivers the prompt or queues it, and returns its key.
  ///
  /// - Throws: `OppiError` or `FileError` if no delivery was attempted.
  func run() async throws -> (key: OutboxKey, outcome: Outcome) {
    let lockTimeout = min(Self.lockTimeout, context.timeout ?? Self.lockTimeout)
    var number = 1
    while true {
      let key = terms.key ?? OutboxKey(digestOf: parts, number: number)
      let outcome = try await outbox.withPrompt(key, lockTimeout: lockTimeout) {
        known -> Outcome? in
        if let known, terms.key == nil, !isSame(known, under: key) { return nil }
        return try await settle(known, under: key)
      }
      if let outcome { return (key, outcome) }
      number += 1
    }
  }

  /// Whether a prompt with the same derived key is this one, and not finished or the same by chance.
  private func isSame(_ known: QueuedPrompt, under key: OutboxKey) -> Bool {
    // The result of a prompt that was sent belongs to its own command, unless both are queued.
    let isRepeat = !known.isUnconfirmed || known.isQueued && terms.isKept
    return known.isOpen && isRepeat && known.asksTheSame(as: prompt(under: key))
  }

  private func settle(_ known: QueuedPrompt?, under key: OutboxKey) async throws -> Outcome {
    let now = context.now()
    var prompt = prompt(under: key)
    var isKeptBefore = false
    if var known {
      guard known.asksTheSame(as: prompt) else {
        throw OppiError(
          .badInput,
          "the key \(key) is already used for another prompt",
          hints: ["show it with: oppi outbox show \(key)"]
        )
      }
      known.expire(at: now)
      switch known.state {
      case .delivered: return .deliveredBefore(known)
      case .unknown: throw OppiError.promptUnknown(known)
      case .waiting, .departed, .launched:
        isKeptBefore = known.isQueued
        prompt = known.repeated(as: prompt)
      // A prompt that did not run may be sent again.
      case .failed, .expired: break
      }
    }
    if prompt.isQueued, let earlier = try earlier(than: prompt, at: now) {
      prompt.wait(behind: earlier, at: now)
      try outbox.save(prompt)
      return .kept(prompt, isAgain: isKeptBefore)
    }
    let attempt = try await DeliverQueued(context: context, isRequested: true)
      .attempt(prompt, on: request.target.server)
    return try outcome(of: attempt, under: key, isKeptBefore: isKeptBefore)
  }

  private func outcome(
    of attempt: DeliverQueued.Attempt,
    under key: OutboxKey,
    isKeptBefore: Bool
  ) throws -> Outcome {
    if let outcome = attempt.outcome {
      return .delivered(outcome, isKeptBefore ? attempt.prompt : nil)
    }
    guard var failure = attempt.failure else { throw OppiError.promptExpired(attempt.prompt) }
    switch attempt.prompt.state {
    case .waiting where terms.isKept && (attempt.mayHelpLater || isEndedBySystem(failure)):
      return .kept(attempt.prompt, isAgain: isKeptBefore)
    // The caller gets the failure; a prompt that was queued before stays queued.
    case .waiting, .failed:
      guard !isKeptBefore else { break }
      try outbox.remove(key)
      failure.isInOutbox = false
      return .failed(failure, nil)
    default: break
    }
    return .failed(failure, attempt.prompt)
  }

  /// Whether the system ended the program: a shutdown does not withdraw the prompt.
  private func isEndedBySystem(_ failure: AskFailure) -> Bool {
    guard case .notSent = failure.delivery else { return false }
    return failure.cause?.isCancellation == true && context.systemEnding.isAsked
  }

  /// A prompt queued earlier for the same session and not delivered yet.
  private func earlier(
    than prompt: QueuedPrompt,
    at now: Timestamp
  ) throws(FileError) -> QueuedPrompt? {
    guard !prompt.threads.isEmpty, case .waiting = prompt.state else { return nil }
    // A flush reports unreadable prompts.
    return try outbox.keys().lazy.compactMap { try? outbox.load($0) }
      .first { $0.isQueued && prompt.comesAfter($0, at: now) }
  }

  /// The parts of the derived key; a conversation counts as the same in any of its sessions.
  private var parts: [String] {
    let place = request.target.stored
    let prompt = request.prompt
    let session = prompt.conversation ?? place.sessionID
    // A session is the same if its workspace is unknown.
    let isInSession = prompt.conversation == nil && place.sessionID != nil
    let workspace = isInSession ? nil : place.workspaceID
    return [
      place.serverID.text, workspace ?? "", session ?? "", prompt.text,
      prompt.model ?? "", prompt.thinking?.rawValue ?? "", prompt.title ?? "",
    ] + prompt.images.map { String($0.data.count) }
  }

  /// A new prompt from the request and its terms.
  private func prompt(under key: OutboxKey) -> QueuedPrompt {
    let now = context.now()
    var prompt = QueuedPrompt(
      key: key,
      target: request.target.stored,
      content: request.prompt,
      createdAt: now
    )
    prompt.isKeyKept = terms.key != nil
    prompt.expiresAt = terms.expiry.map { now.moved(by: $0) }
    prompt.isQueued = terms.isKept
    prompt.endsSession = endsSession
    return prompt
  }
}

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
