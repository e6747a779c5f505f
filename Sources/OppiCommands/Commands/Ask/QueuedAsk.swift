// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiSystem

/// One prompt that goes through the outbox: under its key it runs once at most, and it may be kept
/// where it cannot be delivered now.
struct QueuedAsk {
  /// What is wanted beside the delivery itself.
  struct Terms: Sendable, Equatable {
    /// Whether it is kept where it cannot be delivered now.
    var isKept = true
    /// The key that was chosen; one is derived where `nil`.
    var key: OutboxKey?
    /// After how long it is too late for it.
    var expiry: Duration?
    /// The shortcut whose conversation it goes on with.
    var conversation: String?
    /// Whether its session is to be ended when the turn is over.
    var endsSession = false
  }

  /// The key under which the prompt was asked, and what became of it.
  typealias Answer = (key: OutboxKey, outcome: Outcome)

  /// What became of the prompt.
  enum Outcome {
    /// It was delivered now; a prompt where it was kept before.
    case delivered(AskOutcome, QueuedPrompt?)
    /// It was delivered under its key before.
    case deliveredBefore(QueuedPrompt)
    case kept(QueuedPrompt)
    /// It waited under its key already.
    case keptBefore(QueuedPrompt)
    /// It was neither delivered nor kept now; a prompt where it is kept from before, or to be
    /// looked at.
    case failed(AskFailure, QueuedPrompt?)
  }

  /// For how long another process with the same prompt is waited for.
  private static let patience = Duration.seconds(15)

  let request: AskRequest
  let terms: Terms
  let context: Context

  private var outbox: OutboxStore { context.outbox }

  /// Delivers the prompt or keeps it.
  ///
  /// - Throws: `OppiError` where it was not tried.
  func run() async throws -> Answer {
    if let key = terms.key {
      return (key, try await claim(key) { try await settle($0, under: key) })
    }
    var number = 1
    while true {
      let key = OutboxKey(digestOf: parts, number: number)
      let outcome = try await claim(key) { known -> Outcome? in
        // One that is done, or shares the digest by chance, is another prompt.
        if let known, !known.isOpen || !known.asksTheSame(as: prompt(under: key)) { return nil }
        return try await settle(known, under: key)
      }
      if let outcome { return (key, outcome) }
      number += 1
    }
  }

  /// Runs the body with what is known of a key, which nobody else can change meanwhile.
  private func claim<Result>(
    _ key: OutboxKey,
    _ body: (QueuedPrompt?) async throws -> Result
  ) async throws -> Result {
    do {
      let patience = min(Self.patience, context.options.timeout ?? Self.patience)
      return try await outbox.claim(key, patience: patience) { () throws(FileError) in
        let known = try outbox.load(key)
        return await Swift.Result(catching: { try await body(known) })
      }
      .get()
    } catch FileError.lockHeld {
      throw OppiError(
        .locked,
        "another process is at the prompt \(key)",
        hints: ["see what became of it with: oppi outbox show \(key)"]
      )
    }
  }

  private func settle(_ known: QueuedPrompt?, under key: OutboxKey) async throws -> Outcome {
    let now = context.now()
    var prompt = prompt(under: key)
    var isKeptBefore = false
    if var known {
      guard known.asksTheSame(as: prompt) else { throw OppiError.keyInUse(key) }
      known.expire(at: now)
      switch known.state {
      case .delivered: return .deliveredBefore(known)
      case .unknown: throw OppiError.unknownUnder(known)
      case .waiting, .departed:
        isKeptBefore = known.isQueued
        // Who asks again wants it as long as the longer of the two.
        if let expiry = known.expiresAt {
          known.expiresAt = prompt.expiresAt.map { max($0, expiry) }
        }
        known.isQueued = known.isQueued || prompt.isQueued
        prompt = known
      // What did not run may be asked again.
      case .failed, .expired: break
      }
    }
    if prompt.isQueued, let earlier = try earlier(than: prompt, at: now) {
      prompt.wait(behind: earlier, at: now)
      try outbox.save(prompt)
      return isKeptBefore ? .keptBefore(prompt) : .kept(prompt)
    }
    let attempt = try await context.deliverQueued.attempt(prompt, on: request.target.server)
    if let trouble = attempt.trouble {
      await context.console.warn("could not record the delivery: \(OppiError(trouble).message)")
    }
    if let outcome = attempt.outcome {
      return .delivered(outcome, isKeptBefore ? attempt.prompt : nil)
    }
    guard let failure = attempt.failure else { throw OppiError.expired(attempt.prompt) }
    switch attempt.prompt.state {
    case .waiting where terms.isKept && (attempt.mayHelpLater || isEnded(failure)):
      return isKeptBefore ? .keptBefore(attempt.prompt) : .kept(attempt.prompt)
    // Whoever asks is told, and has nothing to look up; what is kept already stays.
    case .waiting, .failed:
      guard !isKeptBefore else { break }
      try outbox.remove(key)
      return .failed(failure, nil)
    default: break
    }
    return .failed(failure, attempt.prompt)
  }

  /// Whether the system has ended the program, which is no word against the prompt.
  private func isEnded(_ failure: AskFailure) -> Bool {
    OppiError(failure).code == .interrupted && context.systemEnding.isAsked
  }

  /// A prompt that was kept before for the same session, and is not delivered yet.
  private func earlier(
    than prompt: QueuedPrompt,
    at now: Timestamp
  ) throws(FileError) -> QueuedPrompt? {
    guard !prompt.threads.isEmpty, case .waiting = prompt.state else { return nil }
    // What cannot be read is told by whoever flushes.
    return try outbox.keys().lazy.compactMap { try? outbox.load($0) }
      .first { $0.isQueued && prompt.comesAfter($0, at: now) }
  }

  /// What tells the prompt from others, wherever its conversation goes on by then.
  private var parts: [String] {
    let place = request.target.queued
    let session = terms.conversation ?? place.sessionID
    return [
      place.serverID.text, place.workspaceID ?? "", session ?? "", request.prompt,
      request.model ?? "", request.thinking?.rawValue ?? "", request.name ?? "",
    ] + request.images.map { String(describing: $0.data.count) }
  }

  /// The prompt as it is when it is new.
  private func prompt(under key: OutboxKey) -> QueuedPrompt {
    let now = context.now()
    var content = QueuedPrompt.Content(prompt: request.prompt)
    content.images = request.images
    content.model = request.model
    content.thinking = request.thinking
    content.title = request.name
    content.defaults = request.defaults
    var prompt = QueuedPrompt(
      key: key,
      isKeyKept: terms.key != nil,
      target: request.target.queued,
      content: content,
      createdAt: now,
      expiresAt: terms.expiry.map { now.moved(by: $0) },
      clientTurnID: request.clientTurnID
    )
    prompt.isQueued = terms.isKept
    prompt.conversation = terms.conversation
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

extension QueuedPrompt {
  /// Waits until the one before it is delivered.
  fileprivate mutating func wait(behind earlier: QueuedPrompt, at now: Timestamp) {
    let reason = FailureReason(
      code: OppiError.Code.stillQueued.rawValue,
      message: "\(earlier.key) waits for the same session"
    )
    become(.waiting(retryAt: nil), because: reason, at: now)
  }
}

extension OppiError {
  /// A key that stands for another prompt.
  static func keyInUse(_ key: OutboxKey) -> OppiError {
    OppiError(
      .badInput,
      "the key \(key) stands for another prompt",
      hints: ["see it with: oppi outbox show \(key)"]
    )
  }

  /// A prompt of which it cannot be known whether it ran.
  static func unknownUnder(_ prompt: QueuedPrompt) -> OppiError {
    let why = prompt.reason?.message ?? "delivery unknown, not sent again"
    return OppiError(.deliveryUnknown, "\(prompt.key): \(why)").naming(prompt)
  }

  /// A prompt that was not delivered in time.
  static func expired(_ prompt: QueuedPrompt) -> OppiError {
    OppiError(.expired, "it was too late for the prompt \(prompt.key), which was not sent")
  }

  /// The same with where the prompt can be looked up that is kept.
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
