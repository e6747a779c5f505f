// SPDX-License-Identifier: MIT

package import OppiClient
import OppiModel
import OppiSystem
import OppiTerminal

/// Selects a view for the output.
package struct ViewChoice {
  package let context: Context
  package let sessionID: String
  package let isPlain: Bool

  package init(context: Context, sessionID: String, isPlain: Bool) {
    (self.context, self.sessionID, self.isPlain) = (context, sessionID, isPlain)
  }

  /// For a command whose result is the view itself.
  func answerView() throws -> any TurnObserver {
    guard drawsAnswer else {
      return LineView(output: output, sessionID: sessionID, labels: labels)
    }
    return try CardView(.turn, on: .output, context: context, theme: output.policy.theme)
  }

  /// For a command whose result is the answer.
  ///
  /// On a terminal, the view shows the answer; else the answer goes to standard output and the view
  /// to standard error.
  package func sideView() throws -> any TurnObserver {
    if showsAnswer { return try answerView() }
    guard canDraw, output.policy.destination.isErrorTerminal else {
      return LineView(output: output, sessionID: sessionID, isAside: true, labels: labels)
    }
    return try CardView(.card, on: .errors, context: context, theme: output.policy.errorTheme)
  }

  /// For a command that waits for the turn: at most one line on a terminal, and pending input if
  /// the command waits for user input.
  package func waitingView(isHumanAwaited: Bool) throws -> any TurnObserver {
    guard canDraw, output.policy.destination.isErrorTerminal, !output.policy.isQuiet else {
      return NeedView(output: output, sessionID: sessionID, isHumanAwaited: isHumanAwaited)
    }
    return try CardView(
      .line(sessionID: sessionID, isHumanAwaited: isHumanAwaited),
      on: .errors,
      context: context,
      theme: output.policy.errorTheme
    )
  }

  /// The report at the end of a watch, whose view has shown the answer.
  func report(of ending: TurnEnding) -> Report {
    .end(failure: ending.failure(sessionID: sessionID, at: context.now()))
  }

  /// The report of an idle session: the result of its last turn.
  func report(atRest turn: Turn?) -> Report {
    let status = StyledText(
      "session \(sessionID) is idle; --forever waits for its next turn"
    )
    guard let turn, let outcome = turn.outcome else { return .step(status: status) }
    let (card, lines) = (card(of: turn), lines(of: turn, outcome))
    let (draws, width, look) = (drawsAnswer, output.policy.width, output.policy.look)
    let answer = outcome.answer ?? ""
    var report = Report(
      ActivityJSON.pastTurn(outcome, sessionID: sessionID, at: turn.endedAt ?? context.now()),
      .page { draws ? card + Markdown.rows(of: answer, width: width, look: look) : lines },
      status: status,
      failure: TurnEnding.turn(outcome)
        .failure(sessionID: sessionID, at: turn.endedAt, now: context.now())
    )
    report.isLong = Report.isLong(answer.utf8.count)
    return report
  }

  private func lines(of turn: Turn, _ outcome: TurnOutcome) -> [StyledText] {
    var plain = PlainActivity(labels)
    let text: [ActivityChange] =
      turn.text.isEmpty ? [] : [.text(turn.text), .textFinished(turn.text)]
    let changes = text + [.turnFinished(outcome, isOwn: false)]
    return changes.flatMap { plain.lines(for: $0, isPast: true) }.map { StyledText($0) }
  }

  private func card(of turn: Turn) -> [StyledText] {
    let width = output.policy.width
    return ActivityCard.lines(for: turn, width: width, now: context.now(), frame: 0, limit: 12)
  }

  private var output: Output { context.output }

  /// Whether the live view is on the terminal of standard output, and shows the answer.
  var drawsAnswer: Bool {
    switch output.policy.form {
    case .json, .pipe: false
    case .terminal: canDraw
    }
  }

  /// Whether the view is on the terminal of standard output and shows the answer, drawn or in
  /// lines.
  package var showsAnswer: Bool {
    drawsAnswer || labels == .spoken
  }

  private var labels: PlainActivity.Labels {
    output.policy.form == .terminal && output.policy.lineMode != nil ? .spoken : .logged
  }

  /// Whether live views are allowed on terminals.
  private var canDraw: Bool { !isPlain && output.policy.canDraw }
}
