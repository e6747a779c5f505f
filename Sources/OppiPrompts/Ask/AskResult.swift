// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

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
      $0.reported($0.outcome?.location.model, orPlanned: $0.request.plannedModel)
    },
    .optionalText("requestedModel", "The requested model, if the server uses a different one") {
      guard let outcome = $0.outcome, $0.request.newModel != outcome.location.model else {
        return nil
      }
      return $0.request.newModel
    },
    .member("thinking", "The thinking level as reported by the server, or null") {
      $0.reported($0.outcome?.location.thinking, orPlanned: $0.request.level?.rawValue)
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
      outcome.map { ($0.location.workspaceID, $0.location.workspaceName) }
      ?? (request.target.stored.workspaceID, request.target.stored.workspaceName)
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
  var plannedModel: String? { newModel ?? target.defaultModel }
}

/// The reports of `ask` on one prompt.
extension AskJob {
  /// The report of `--dry-run`.
  var planned: Report {
    let fields = [
      ("to", request.target.name),
      ("model", request.plannedModel ?? "workspace default"),
      ("thinking", request.level?.rawValue ?? "model default"),
      ("images", request.prompt.images.isEmpty ? "" : String(request.prompt.images.count)),
      ("prompt", request.prompt.text.safeLine(limit: 2000)),
    ]
    let table = Table(fields.filter { !$0.1.isEmpty }) { label, value in
      [StyledText(label, .dim), StyledText(value)]
    }
    var result = AskResult(request, "dry-run")
    result.sessionID = request.target.knownSession.map { .string($0.id) }
    result.isPlan = true
    return report(result, .table(table))
  }

  func kept(_ prompt: QueuedPrompt, isAgain: Bool) -> Report {
    let word = isAgain ? "already queued as" : "queued as"
    var line = StyledText("\(prompt.reason?.message ?? "not delivered yet"); \(word) ")
    line.append(prompt.key.text, .name)
    if !isOnlyOne { line.append(" for \(request.target.name)") }
    return report(AskResult(request, inOutbox: prompt, isAgain: isAgain), status: line)
  }

  /// The report of a prompt that was delivered earlier under its key.
  func deliveredBefore(_ prompt: QueuedPrompt) -> Report {
    report(
      AskResult(request, inOutbox: prompt, isAgain: true),
      .text(prompt.session ?? ""),
      status: StyledText("prompt \(prompt.key) was already delivered")
    )
  }

  /// The report of a prompt that the server accepted.
  func delivered(_ outcome: AskOutcome, key: OutboxKey? = nil) -> Report {
    var result = AskResult(request, outcome, after: elapsed)
    result.key = key
    var report = report(
      result,
      .text(isOnlyOne ? outcome.sessionID : "\(outcome.sessionID)\t\(request.target.name)"),
      status: outcome.status(of: request, isOnlyOne: isOnlyOne)
    )
    report.remark = outcome.remark
    return report
  }

  /// The report of a turn whose continuation was queued because of a usage limit.
  func continuesLater(_ outcome: AskOutcome, _ prompt: QueuedPrompt) -> Report {
    var line = StyledText("usage limit reached; the continuation is queued as ")
    line.append(prompt.key.text, .name)
    if !isOnlyOne { line.append(" for \(request.target.name)") }
    line.append(" and is sent after \(prompt.notBefore?.clock(at: context.now()) ?? "")")
    var report = report(AskResult(request, inOutbox: prompt, isAgain: false), status: line)
    report.remark = outcome.remark
    return report
  }

  /// The report of a failed delivery of a turn that was to be awaited; its JSON has the result, its
  /// text only the error.
  func failed(_ failure: AskFailure, _ error: OppiError, at now: Timestamp) -> Report {
    let outcome: TurnOutcome
    switch failure.delivery {
    case .notSent: return .end(failure: error)
    case .refused(let refusal): outcome = .failed(refusal.text ?? "")
    case .unknown: outcome = .unknown(reason: nil)
    }
    var result = AskResult(request, outcome.word)
    result.sessionID = failure.sessionID.map(JSONValue.string) ?? .null
    result.clientTurnID = failure.clientTurnID
    result.resetAt = failure.limit?.resetAt(after: now)
    result.elapsed = elapsed
    result.response = .null
    return report(result, failure: error)
  }

  func report(
    _ result: AskResult,
    _ text: Report.Text = .nothing,
    pipe: Report.Text? = nil,
    status: StyledText? = nil,
    failure: OppiError? = nil
  ) -> Report {
    var report = Report(result.document, text, pipe: pipe, status: status, failure: failure)
    report.result = result.result
    return report
  }

  /// The answer for a terminal, escaped; nothing if a live view has shown it.
  func shown(_ answer: String?) -> Report.Text {
    let view = shownView(sessionID: "")
    guard let answer, view?.showsAnswer != true else { return .nothing }
    let isMarkdown = isOnlyOne && order.checks.schema == nil && view?.isPlain != true
    return isMarkdown ? .answer(answer, context.output.policy) : text(answer.safeBlock())
  }

  func text(_ answer: String) -> Report.Text {
    guard !isOnlyOne else { return .text(answer) }
    let lines = answer.split(separator: "\n", omittingEmptySubsequences: false)
    return .text(lines.map { "\(request.target.name)\t\($0)" }.joined(separator: "\n"))
  }
}

extension AskOutcome {
  /// The line about a prompt that the server accepted; one of several prompts names its target.
  func status(of request: AskRequest, isOnlyOne: Bool) -> StyledText {
    let server = request.target.server
    let isOfPi = isOfPi(on: server)
    let workspace = location.workspaceName.map { isOfPi ? $0 : "\(server.name)/\($0)" }
    var line = StyledText(
      state == .queued
        ? "queued behind the running turn in "
        : isOfPi ? "Pi is working on it in " : "the agent is working in "
    )
    line.append(isOnlyOne ? workspace ?? request.target.name : request.target.name, .name)
    return line
  }

  /// Says that the prompt was delivered, if its report cannot be printed.
  var remark: OppiError.Remark {
    OppiError.Remark(
      hint: "the prompt was delivered to session \(sessionID)",
      details: ["sessionId": .string(sessionID), "clientTurnId": .string(clientTurnID)]
    )
  }
}
