// SPDX-License-Identifier: MIT

import OppiModel

/// The state of a prompt, for JSON and for the records of schedules.
struct AskResult {
  enum Stage {
    /// With `--dry-run`: nothing was sent.
    case planned
    case delivered(AskOutcome, after: Duration)
    case ended(AskOutcome, TurnEnding, at: Timestamp, after: Duration, cost: Dollars?)
    /// The turn was to be awaited, and is not known to have started.
    case failed(AskFailure, TurnOutcome, at: Timestamp, after: Duration)
    /// Queued in the outbox, or delivered earlier under its key.
    case inOutbox(QueuedPrompt, isAgain: Bool)
  }

  let request: AskRequest
  let stage: Stage
  /// The prompt's key, if it went through the outbox.
  var key: OutboxKey?

  var document: JSONValue { Self.shape.document(of: self) }

  static let shape: JSONShape<AskResult> = [
    .text(
      "state",
      "accepted, started, queued (behind a turn), outbox or skipped; with --wait finished, failed, "
        + "limited, empty, stopped, waiting or unknown; with --dry-run dry-run"
    ) { $0.state },
    .member("sessionId", "The session of the prompt") { $0.sessionID },
    .workspace { $0.workspace },
    .server { $0.request.target.server },
    .optionalText("clientTurnId", "The id by which the server detects a repeat") {
      $0.clientTurnID
    },
    .member("model", "The model as reported by the server, or null") { $0.model },
    .optionalText("requestedModel", "The requested model, if the server uses a different one") {
      $0.requestedModel
    },
    .member("thinking", "The thinking level as reported by the server, or null") { $0.thinking },
    .member("key", "With --queue or --key: the prompt's key") {
      $0.key.map { .string($0.text) }
    },
    .member("again", "True if the prompt was already queued or delivered for the key") {
      $0.isAgain ? true : nil
    },
    .member("expiresAt", "If queued: when the prompt expires, or null") {
      $0.kept.map { $0.expiresAt.map { .string($0.iso8601) } ?? .null }
    },
    .object("reason", "If queued: why the prompt is not delivered yet", QueuedPromptRow.reasonShape)
    {
      $0.kept?.reason
    },
    .member("resetAt", "When the usage limit is reset, if it was reached and the time is known") {
      $0.resetAt.map { .string($0.iso8601) }
    },
    .member("cost", "With --wait or --follow: the cost of the turn in dollars, if known") {
      $0.cost.map { .double($0.number) }
    },
    .member("elapsedMs", "Time from the start to the server's answer, or to the end of the turn") {
      $0.elapsed.map { .integer(Int64($0.milliseconds)) }
    },
    .member("response", "With --wait or --follow: the final answer, or null") { $0.response },
    .member("responseIsCut", "True if the answer was truncated to 16 MiB") {
      $0.answer.map(Turn.isCut) == true ? true : nil
    },
    .member("prompt", "With --dry-run: the prompt") {
      $0.isPlan ? .string($0.request.prompt.text) : nil
    },
    .member("images", "With --dry-run: the number of images") {
      $0.isPlan ? .integer(Int64($0.request.prompt.images.count)) : nil
    },
  ]

  /// The result for a schedule's record.
  var result: RunResult {
    RunResult(
      state: state,
      sessionID: sessionID?.string,
      workspace: workspace.reference,
      cost: cost
    )
  }
}

// MARK: - Values

extension AskResult {
  private var isPlan: Bool {
    if case .planned = stage { true } else { false }
  }

  private var isAgain: Bool {
    if case .inOutbox(_, isAgain: true) = stage { true } else { false }
  }

  private var kept: QueuedPrompt? {
    if case .inOutbox(let prompt, _) = stage, prompt.isOpen { prompt } else { nil }
  }

  private var outcome: AskOutcome? {
    switch stage {
    case .planned, .failed, .inOutbox: nil
    case .delivered(let outcome, _), .ended(let outcome, _, _, _, _): outcome
    }
  }

  private var elapsed: Duration? {
    switch stage {
    case .planned, .inOutbox: nil
    case .delivered(_, let elapsed), .ended(_, _, _, let elapsed, _), .failed(_, _, _, let elapsed):
      elapsed
    }
  }

  private var answer: String? {
    if case .ended(_, let ending, _, _, _) = stage { ending.answer } else { nil }
  }

  private var cost: Dollars? {
    if case .ended(_, _, _, _, let cost) = stage { cost } else { nil }
  }

  private var resetAt: Timestamp? {
    switch stage {
    case .ended(_, let ending, let now, _, _): ending.resetAt(after: now)
    case .inOutbox(let prompt, _): prompt.notBefore
    case .failed(let failure, _, let now, _): failure.limit?.resetAt(after: now)
    case .planned, .delivered: nil
    }
  }

  private var state: String {
    switch stage {
    case .planned: "dry-run"
    case .delivered(let outcome, _): outcome.state.rawValue
    case .ended(_, let ending, _, _, _): ending.state
    case .failed(_, let outcome, _, _): outcome.word
    case .inOutbox(let prompt, _):
      if case .delivered(let progress) = prompt.state {
        progress.rawValue
      } else {
        prompt.stateWord
      }
    }
  }

  private var sessionID: JSONValue? {
    switch (stage, request.target) {
    case (.planned, .emptySession(let session)), (.planned, .session(let session)):
      .string(session.id)
    case (.planned, .newSession): nil
    case (.delivered(let outcome, _), _), (.ended(let outcome, _, _, _, _), _):
      .string(outcome.sessionID)
    case (.failed(let failure, _, _, _), _): failure.sessionID.map(JSONValue.string) ?? .null
    case (.inOutbox(let prompt, _), _):
      // A continuation is in the session of its turn; other prompts may get one.
      prompt.isOpen && !prompt.isContinuation
        ? .null : prompt.session.map(JSONValue.string) ?? .null
    }
  }

  private var workspace: WorkspaceLabel {
    let (id, name) =
      outcome.map { ($0.place.workspaceID, $0.place.workspaceName) } ?? request.target.workspace
    return WorkspaceLabel(server: request.target.server, id: id, name: name)
  }

  private var clientTurnID: String? {
    if case .failed(let failure, _, _, _) = stage { return failure.clientTurnID }
    return outcome?.clientTurnID
  }

  private var model: JSONValue? {
    if isPlan { return request.plannedModel.map(JSONValue.string) ?? .null }
    return outcome.map { $0.place.model.map(JSONValue.string) ?? .null }
  }

  private var requestedModel: String? {
    guard let outcome else { return nil }
    return request.newModel.flatMap { $0 == outcome.place.model ? nil : $0 }
  }

  private var thinking: JSONValue? {
    if isPlan { return request.level.map { .string($0.rawValue) } ?? .null }
    return outcome.map { $0.place.thinking.map(JSONValue.string) ?? .null }
  }

  private var response: JSONValue? {
    switch stage {
    case .planned, .delivered, .inOutbox: nil
    case .ended: answer.map(JSONValue.string) ?? .null
    case .failed: .null
    }
  }
}

extension AskRequest {
  /// The model to use, as far as it is known before sending.
  var plannedModel: String? {
    if let newModel { return newModel }
    if case .newSession(let target) = target { return target.workspace.defaultModel }
    return nil
  }
}
