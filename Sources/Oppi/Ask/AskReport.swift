// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

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
  func delivered(_ outcome: AskOutcome, key: OutboxKey? = nil, elapsed: Duration) -> Report {
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
    line.append(" and is sent after \(prompt.notBefore?.iso8601 ?? "")")
    var report = report(AskResult(request, inOutbox: prompt, isAgain: false), status: line)
    report.remark = outcome.remark
    return report
  }

  /// The report of a failed delivery of a turn that was to be awaited; its JSON has the result, its
  /// text only the error.
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
    guard let answer, shownView(sessionID: "")?.showsAnswer != true else { return .nothing }
    let isMarkdown = isOnlyOne && order.checks.schema == nil
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
    let workspace = place.workspaceName.map { isOfPi ? $0 : "\(server.name)/\($0)" }
    var line = StyledText(
      state == .queued
        ? "queued behind the running turn in "
        : isOfPi ? "Pi is working on it in " : "the agent is working in "
    )
    line.append(isOnlyOne ? workspace ?? request.target.name : request.target.name, .name)
    return line
  }

  /// Says that the prompt was delivered, if its report cannot be printed.
  var remark: Report.Remark {
    Report.Remark(
      hint: "the prompt was delivered to session \(sessionID)",
      details: ["sessionId": .string(sessionID), "clientTurnId": .string(clientTurnID)]
    )
  }
}
