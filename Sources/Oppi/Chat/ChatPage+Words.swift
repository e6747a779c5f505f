// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

extension ChatPage {
  /// The page as rows; of a running turn only the prompt, because the rest is shown live.
  func rows(width: Int, links: Bool = false) -> [StyledText] {
    switch self {
    case .turns(let turns, let now):
      let blocks = turns.map { turn in
        turn.activity.isFinished
          ? TurnRows.rows(of: turn, width: width, links: links, now: now)
          : turn.prompt.map { ChatState.lines(ofMessage: $0) } ?? []
      }
      return Array(blocks.joined(separator: [StyledText()])) + [StyledText()]
    case .call(let call): return CallRows.rows(of: call, width: width)
    case .noEarlierTurns: return [StyledText("no earlier turns", .dim)]
    case .noCall(let number):
      return [StyledText("no call \(number); /show lists all calls", .dim)]
    case .unreadable(let cause):
      let line = "cannot read the conversation: \(OppiError(cause).message)"
      return [StyledText(line, .dim)]
    }
  }

  /// The page line by line, for a listener; of a running turn only the prompt.
  var lines: [StyledText] {
    guard case .turns(let turns, let now) = self else { return rows(width: 80) }
    return turns.flatMap { turn in
      turn.activity.isFinished
        ? SpokenTurn.lines(of: turn, at: now)
        : turn.prompt.map { SpokenTurn.lines(ofMessage: $0) } ?? []
    }
  }
}
