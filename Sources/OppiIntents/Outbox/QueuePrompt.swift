// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiSystem

/// Sends one prompt through the outbox: under its key it runs once at most, and it is kept if it
/// cannot be delivered now and its terms say so.
package struct QueuePrompt {
  /// What is wanted beside the delivery itself.
  package struct Terms: Sendable, Equatable {
    /// Whether the prompt is kept if it cannot be delivered now.
    package var isKept: Bool
    /// The key that was chosen; `nil` derives one from the prompt.
    package var key: OutboxKey?
    /// After how long the prompt expires; `nil` for never.
    package var expiry: Duration?
    /// Whether the session is ended after the turn.
    package var endsSession: Bool

    package init(isKept: Bool, key: OutboxKey?, expiry: Duration?, endsSession: Bool) {
      self.isKept = isKept
      self.key = key
      self.expiry = expiry
      self.endsSession = endsSession
    }
  }

  /// What happened to the prompt.
  package enum Outcome: Sendable {
    /// It was delivered now; with the prompt if it was kept before.
    case delivered(AskOutcome, QueuedPrompt?)
    /// It was delivered under its key before.
    case deliveredBefore(QueuedPrompt)
    case kept(QueuedPrompt)
    /// It was in the outbox under its key already.
    case keptBefore(QueuedPrompt)
    /// It was neither delivered nor kept now; with the prompt if the outbox has it from before, or
    /// has to show what happened to it.
    case failed(AskFailure, QueuedPrompt?)
  }

  /// How long another process that delivers the same prompt is waited for.
  private static let patience = Duration.seconds(15)

  private let request: AskRequest
  private let terms: Terms
  private let conversation: String?
  private let context: IntentContext
  private var outbox: OutboxStore { context.outbox }

  /// - Parameters:
  ///   - request: The prompt and where it goes.
  ///   - terms: What is wanted beside the delivery.
  ///   - conversation: The shortcut whose conversation the prompt continues; `nil` for none.
  ///   - context: The world.
  package init(
    _ request: AskRequest,
    on terms: Terms,
    continuing conversation: String?,
    in context: IntentContext
  ) {
    self.request = request
    self.terms = terms
    self.conversation = conversation
    self.context = context
  }

  /// Delivers the prompt or keeps it.
  ///
  /// - Returns: The key under which it was sent, and what happened.
  /// - Throws: `QueueError` or `FileError` if it was not tried.
  package func run() async throws -> (key: OutboxKey, outcome: Outcome) {
    if let key = terms.key {
      return (key, try await claim(key) { try await settle($0, under: key) })
    }
    var number = 1
    while true {
      let key = OutboxKey(digestOf: parts, number: number)
      let outcome = try await claim(key) { known -> Outcome? in
        // One that is done, or has the same digest by chance, is another prompt.
        if let known, !known.isOpen || !known.asksTheSame(as: prompt(under: key)) { return nil }
        return try await settle(known, under: key)
      }
      if let outcome { return (key, outcome) }
      number += 1
    }
  }

  /// Runs the body with what is stored under a key, which no other process can change meanwhile.
  private func claim<Result>(
    _ key: OutboxKey,
    _ body: (QueuedPrompt?) async throws -> Result
  ) async throws -> Result {
    do {
      let patience = min(Self.patience, context.timeout ?? Self.patience)
      return try await outbox.claim(key, patience: patience) { () throws(FileError) in
        let known = try outbox.load(key)
        return await Swift.Result(catching: { try await body(known) })
      }
      .get()
    } catch FileError.lockHeld {
      throw QueueError.busy(key)
    }
  }

  private func settle(_ known: QueuedPrompt?, under key: OutboxKey) async throws -> Outcome {
    let now = context.now()
    var prompt = prompt(under: key)
    var isKeptBefore = false
    if var known {
      guard known.asksTheSame(as: prompt) else { throw QueueError.keyInUse(key) }
      known.expire(at: now)
      switch known.state {
      case .delivered: return .deliveredBefore(known)
      case .unknown: throw QueueError.unknown(known)
      case .waiting, .departed:
        isKeptBefore = known.isQueued
        prompt = known.repeated(as: prompt)
      // What did not run may be sent again.
      case .failed, .expired: break
      }
    }
    if prompt.isQueued, let earlier = try earlier(than: prompt, at: now) {
      prompt.wait(behind: earlier, at: now)
      try outbox.save(prompt)
      return isKeptBefore ? .keptBefore(prompt) : .kept(prompt)
    }
    let attempt = try await DeliverQueued(in: context).attempt(prompt, on: request.target.server)
    if let trouble = attempt.trouble {
      await context.reporter.warn("could not record the delivery", because: trouble)
    }
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
    guard let failure = attempt.failure else { throw QueueError.expired(attempt.prompt) }
    switch attempt.prompt.state {
    case .waiting where terms.isKept && (attempt.mayHelpLater || isEndedBySystem(failure)):
      return isKeptBefore ? .keptBefore(attempt.prompt) : .kept(attempt.prompt)
    // The caller gets the failure; a prompt that was kept before stays.
    case .waiting, .failed:
      guard !isKeptBefore else { break }
      try outbox.remove(key)
      return .failed(failure, nil)
    default: break
    }
    return .failed(failure, attempt.prompt)
  }

  /// Whether the system has ended the program: a shutdown does not withdraw the prompt.
  private func isEndedBySystem(_ failure: AskFailure) -> Bool {
    guard case .notSent = failure.delivery else { return false }
    return failure.cause?.isCancellation == true && context.systemEnding.isAsked
  }

  /// A prompt for the same session that was kept before and is not delivered yet.
  private func earlier(
    than prompt: QueuedPrompt,
    at now: Timestamp
  ) throws(FileError) -> QueuedPrompt? {
    guard !prompt.threads.isEmpty, case .waiting = prompt.state else { return nil }
    // A flush reports what cannot be read.
    return try outbox.keys().lazy.compactMap { try? outbox.load($0) }
      .first { $0.isQueued && prompt.comesAfter($0, at: now) }
  }

  /// What tells the prompt from others, in whichever session its conversation continues by then.
  private var parts: [String] {
    let place = request.target.queued
    let session = conversation ?? place.sessionID
    let prompt = request.prompt
    return [
      place.serverID.text, place.workspaceID ?? "", session ?? "", prompt.text,
      prompt.model ?? "", prompt.thinking?.rawValue ?? "", prompt.title ?? "",
    ] + prompt.images.map { String(describing: $0.data.count) }
  }

  /// The prompt as it is when it is new.
  private func prompt(under key: OutboxKey) -> QueuedPrompt {
    let now = context.now()
    var prompt = QueuedPrompt(
      key: key,
      isKeyKept: terms.key != nil,
      target: request.target.queued,
      content: request.prompt,
      createdAt: now,
      expiresAt: terms.expiry.map { now.moved(by: $0) },
      clientTurnID: request.clientTurnID
    )
    prompt.isQueued = terms.isKept
    prompt.conversation = conversation
    prompt.endsSession = terms.endsSession
    return prompt
  }
}

extension AskRequest.Target {
  /// The place as the outbox keeps it.
  fileprivate var queued: QueuedPrompt.Target {
    let (workspaceID, workspaceName) = workspace
    var sessionID: String?
    if case .session(let session) = self { sessionID = session.id }
    return QueuedPrompt.Target(
      serverID: server.id,
      serverName: server.name,
      workspaceID: workspaceID,
      workspaceName: workspaceName,
      sessionID: sessionID
    )
  }
}
