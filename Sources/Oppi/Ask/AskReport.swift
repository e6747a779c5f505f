// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// The reports of `ask` on one prompt.
struct AskReport {
  let request: AskRequest
  /// Whether it is the command's only prompt; otherwise every line names its target.
  let isOnlyOne: Bool
  let policy: OutputPolicy
  /// Whether a live view has shown the answer on the terminal.
  let isAnswerShown: Bool
  /// Whether a terminal shows the answer as Markdown.
  let isMarkdown: Bool

  func kept(_ prompt: QueuedPrompt, isAgain: Bool = false) -> Report {
    let word = isAgain ? "already queued as" : "queued as"
    var line = StyledText("\(prompt.reason?.message ?? "not delivered yet"); \(word) ")
    line.append(prompt.key.text, .name)
    if !isOnlyOne { line.append(" for \(request.target.name)") }
    return report(.inOutbox(prompt, isAgain: isAgain), key: prompt.key, status: line)
  }

  /// The report of a prompt that was delivered earlier under its key.
  func deliveredBefore(_ prompt: QueuedPrompt) -> Report {
    report(
      .inOutbox(prompt, isAgain: true),
      key: prompt.key,
      .text(prompt.session ?? ""),
      status: StyledText("prompt \(prompt.key) was already delivered")
    )
  }

  /// The report of a prompt that the server accepted.
  func delivered(_ outcome: AskOutcome, key: OutboxKey? = nil, elapsed: Duration) -> Report {
    let server = request.target.server
    let isOfPi = outcome.isOfPi(on: server)
    let workspace = outcome.place.workspaceName.map { isOfPi ? $0 : "\(server.name)/\($0)" }
    var line = StyledText(
      outcome.state == .queued
        ? "queued behind the running turn in "
        : isOfPi ? "Pi is working on it in " : "the agent is working in "
    )
    line.append(isOnlyOne ? workspace ?? request.target.name : request.target.name, .name)
    var report = report(
      .delivered(outcome, after: elapsed),
      key: key,
      .text(isOnlyOne ? outcome.sessionID : "\(outcome.sessionID)\t\(request.target.name)"),
      status: line
    )
    report.remark = remark(on: outcome)
    return report
  }

  /// The report of a turn: the answer as text, or all data as JSON.
  ///
  /// `now` is when the turn ended.
  func ended(
    _ outcome: AskOutcome,
    _ ending: TurnEnding,
    at now: Timestamp,
    elapsed: Duration,
    cost: Dollars?,
    rejection: CheckAnswer.Rejection? = nil
  ) -> Report {
    let answer = ending.answer
    // A terminal gets escaped text, a pipe the original.
    let shown = isAnswerShown ? nil : answer
    var report = report(
      .ended(outcome, ending, at: now, after: elapsed, cost: cost),
      shown.map { isMarkdown ? .answer($0, policy) : text($0.safeBlock()) } ?? .nothing,
      pipe: answer.map(text),
      failure: rejection.map { OppiError($0, sessionID: outcome.sessionID) }
        ?? ending.failure(sessionID: outcome.sessionID, at: now)
    )
    report.isLong = Report.isLong(answer?.utf8.count ?? 0)
    report.answer = answer.map { Report.Answer(text: $0, turnID: outcome.clientTurnID) }
    report.remark = remark(on: outcome)
    return report
  }

  /// The report of a turn whose continuation was queued because of a usage limit.
  func continuesLater(_ outcome: AskOutcome, _ prompt: QueuedPrompt, elapsed: Duration) -> Report {
    var line = StyledText("usage limit reached; the continuation is queued as ")
    line.append(prompt.key.text, .name)
    if !isOnlyOne { line.append(" for \(request.target.name)") }
    line.append(" and is sent after \(prompt.notBefore?.iso8601 ?? "")")
    var report = report(.inOutbox(prompt, isAgain: false), key: prompt.key, status: line)
    report.remark = remark(on: outcome)
    return report
  }

  /// The report of a failed delivery with `--wait`; its JSON has the result, its text only the
  /// error.
  func failed(
    _ failure: AskFailure,
    _ error: OppiError,
    at now: Timestamp,
    elapsed: Duration
  ) -> Report {
    let outcome: TurnOutcome
    switch failure.delivery {
    case .notSent: return .end(failure: error)
    case .refused(let refusal): outcome = .failed(refusal.text ?? "")
    case .unknown: outcome = .unknown(reason: nil)
    }
    return report(.failed(failure, outcome, at: now, after: elapsed), failure: error)
  }

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
    return report(.planned, .table(table))
  }

  private func report(
    _ stage: AskResult.Stage,
    key: OutboxKey? = nil,
    _ text: Report.Text = .nothing,
    pipe: Report.Text? = nil,
    status: StyledText? = nil,
    failure: OppiError? = nil
  ) -> Report {
    let standing = AskResult(request: request, stage: stage, key: key)
    var report = Report(standing.document, text, pipe: pipe, status: status, failure: failure)
    report.result = standing.result
    return report
  }

  private func text(_ answer: String) -> Report.Text {
    guard !isOnlyOne else { return .text(answer) }
    let lines = answer.split(separator: "\n", omittingEmptySubsequences: false)
    return .text(lines.map { "\(request.target.name)\t\($0)" }.joined(separator: "\n"))
  }

  /// Says that the prompt was delivered, if its report cannot be printed.
  private func remark(on outcome: AskOutcome) -> Report.Remark {
    Report.Remark(
      hint: "the prompt was delivered to session \(outcome.sessionID)",
      details: [
        "sessionId": .string(outcome.sessionID),
        "clientTurnId": .string(outcome.clientTurnID),
      ]
    )
  }
}
