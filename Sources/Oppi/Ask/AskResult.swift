// SPDX-License-Identifier: MIT

import OppiModel

/// The state of a prompt, for JSON and for the records of schedules.
struct AskResult {
  let request: AskRequest
  var state: String
  /// The session; `null` if the prompt has none, `nil` if that is not known yet.
  var sessionID: JSONValue?
  /// What the server reported with its acceptance.
  var outcome: AskOutcome?
  var clientTurnID: String?
  /// The prompt's key, if it went through the outbox.
  var key: OutboxKey?
  /// The prompt while it is in the outbox.
  var kept: QueuedPrompt?
  /// Whether it was queued or delivered before under its key.
  var isAgain = false
  var resetAt: Timestamp?
  var cost: Dollars?
  var elapsed: Duration?
  /// The answer of an awaited turn; `null` if there is none.
  var response: JSONValue?
  /// Whether it only shows what would be sent.
  var isPlan = false

  init(_ request: AskRequest, _ state: String) {
    (self.request, self.state) = (request, state)
  }

  /// A prompt that the server has.
  init(
    _ request: AskRequest,
    _ outcome: AskOutcome,
    _ state: String? = nil,
    after elapsed: Duration
  ) {
    self.init(request, state ?? outcome.state.rawValue)
    self.outcome = outcome
    self.elapsed = elapsed
    sessionID = .string(outcome.sessionID)
    clientTurnID = outcome.clientTurnID
  }

  /// A prompt that is in the outbox, or was delivered earlier under its key.
  init(_ request: AskRequest, inOutbox prompt: QueuedPrompt, isAgain: Bool) {
    self.init(request, prompt.state.word)
    if case .delivered(let progress) = prompt.state { state = progress.rawValue }
    if prompt.isOpen { kept = prompt }
    key = prompt.key
    self.isAgain = isAgain
    resetAt = prompt.notBefore
    // A continuation is in the session of its turn; other prompts may get one.
    let isUndecided = prompt.isOpen && !prompt.isContinuation
    sessionID = isUndecided ? .null : prompt.session.map(JSONValue.string) ?? .null
  }

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
    .member("model", "The model as reported by the server, or null") {
      $0.reported($0.outcome?.place.model, orPlanned: $0.request.plannedModel)
    },
    .optionalText("requestedModel", "The requested model, if the server uses a different one") {
      guard let outcome = $0.outcome, $0.request.newModel != outcome.place.model else { return nil }
      return $0.request.newModel
    },
    .member("thinking", "The thinking level as reported by the server, or null") {
      $0.reported($0.outcome?.place.thinking, orPlanned: $0.request.level?.rawValue)
    },
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
      $0.response?.string.map(Turn.isCut) == true ? true : nil
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

  private var workspace: WorkspaceLabel {
    let (id, name) =
      outcome.map { ($0.place.workspaceID, $0.place.workspaceName) } ?? request.target.workspace
    return WorkspaceLabel(server: request.target.server, id: id, name: name)
  }

  /// What the server reported, or what a plan asks for; `null` for the default of one of them.
  private func reported(_ value: String?, orPlanned planned: String?) -> JSONValue? {
    guard isPlan || outcome != nil else { return nil }
    return (isPlan ? planned : value).map(JSONValue.string) ?? .null
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
