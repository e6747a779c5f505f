// SPDX-License-Identifier: MIT

import Glibc
import OppiModel
import OppiRendering
import OppiSystem

/// Which view suits where the output goes.
struct ViewChoice {
  let context: Context
  let sessionID: String
  let isPlain: Bool

  /// For a command whose answer is the view.
  func answerView() throws -> any ActivityView {
    if console.policy.isJSON { return JSONView(console: console, sessionID: sessionID) }
    guard canDraw(on: STDOUT_FILENO) else { return PlainView(console: console, isAnswer: true) }
    return try CardView(descriptor: STDOUT_FILENO, context: context, theme: console.policy.theme)
  }

  /// Prints the answer below a card, which has no room for it; lines have it already.
  func printAnswer(_ answer: String?) throws {
    guard let answer, !console.policy.isJSON, canDraw(on: STDOUT_FILENO) else { return }
    try console.print(answer.safeBlock())
  }

  /// Prints a turn that is over.
  func printPast(_ turn: TurnActivity, _ outcome: TurnOutcome) throws {
    if console.policy.isJSON {
      let end = turn.endedAt ?? context.now()
      return try console.print(ActivityJSON.pastTurn(outcome, sessionID: sessionID, at: end))
    }
    guard canDraw(on: STDOUT_FILENO) else {
      var plain = PlainActivity()
      let text: [ActivityChange] =
        turn.text.isEmpty ? [] : [.text(turn.text), .textFinished(turn.text)]
      let changes = text + [.turnFinished(outcome, isOwn: false)]
      for line in changes.flatMap({ plain.lines(for: $0, isPast: true) }) {
        try console.print(line)
      }
      return
    }
    let width = console.policy.width
    let card = ActivityCard.lines(for: turn, width: width, now: context.now(), frame: 0, limit: 12)
    for line in card { try console.print(console.policy.theme.render(line)) }
    if case .succeeded(let answer) = outcome { try printAnswer(answer) }
  }

  private var console: Console { context.console }

  /// For a command whose answer goes to standard output while the view goes to standard error.
  func sideView() throws -> any ActivityView {
    guard canDraw(on: STDERR_FILENO) else { return PlainView(console: console, isAnswer: false) }
    let theme = console.policy.errorTheme
    return try CardView(descriptor: STDERR_FILENO, context: context, theme: theme)
  }

  private func canDraw(on descriptor: Int32) -> Bool {
    let terminal = context.environment["TERM"] ?? ""
    return !isPlain && Terminal.isTerminal(descriptor) && !terminal.isEmpty && terminal != "dumb"
  }
}
