// SPDX-License-Identifier: MIT

package import OppiModel

/// The turns of a conversation as rows, safe to show.
package enum TurnRows {
  private static let promptMark = StyledText("› ", .strong)
  private static let indent = StyledText("  ")

  /// Returns several turns, separated by empty rows.
  package static func rows(
    of turns: [PastTurn],
    width: Int,
    links: Bool = false,
    now: Timestamp
  ) -> [StyledText] {
    let blocks = turns.map { rows(of: $0, width: width, links: links, now: now) }
    return Array(blocks.joined(separator: [StyledText()]))
  }

  /// Returns a turn: the prompt, the agent's messages and calls, and the outcome as the last rows.
  ///
  /// No row exceeds `width` columns, but at least 8. The duration of a running call is relative to
  /// `now`. `links` says whether the terminal supports links.
  package static func rows(
    of turn: PastTurn,
    width: Int,
    links: Bool = false,
    now: Timestamp
  ) -> [StyledText] {
    let width = max(8, width)
    var rows = prompt(of: turn, width: width)
    var isAfterCall = false
    for step in turn.steps {
      let isCall = if case .call = step { true } else { false }
      if !(isCall && isAfterCall), !rows.isEmpty { rows.append(StyledText()) }
      rows += self.rows(of: step, width: width, links: links, now: now)
      isAfterCall = isCall
    }
    return rows + [StyledText()] + end(of: turn, width: width)
  }

  private static func rows(
    of step: PastTurn.Step,
    width: Int,
    links: Bool,
    now: Timestamp
  ) -> [StyledText] {
    switch step {
    case .text(let text): Markdown.rows(of: text, width: width, links: links)
    case .steer(let text): marked(text, width: width)
    case .call(let call):
      ToolCallRows.lines(
        for: call.activity,
        number: call.number,
        width: min(width, ActivityCard.maximumWidth),
        clock: ToolCallRows.Clock(local: now, server: now),
        isLast: true
      )
    }
  }

  // MARK: - Prompt

  private static func prompt(of turn: PastTurn, width: Int) -> [StyledText] {
    let images = turn.imageCount.counted("image")
    return (turn.prompt.map { marked($0, width: width) } ?? [])
      + (turn.imageCount > 0
        ? [indent.with(StyledText(images, .dim)).truncated(to: width)] : [])
  }

  static func marked(_ text: String, width: Int) -> [StyledText] {
    RowFiller.rows(of: text, .strong, width: width - 2).enumerated().map { index, row in
      index == 0 ? promptMark.with(row) : row.isEmpty ? row : indent.with(row)
    }
  }

  // MARK: - Outcome

  private static func end(of turn: PastTurn, width: Int) -> [StyledText] {
    let mark = StatusMark(turn.activity)
    var line = StyledText("\(mark.symbol) \(mark.word)", mark.style)
    if let duration = turn.duration { line.append("  \(ElapsedTime.text(duration))", .dim) }
    return [line.truncated(to: width)] + ActivityCard.outcome(turn.activity, width: width)
  }
}
