// SPDX-License-Identifier: MIT

import OppiClient
package import OppiModel
package import OppiTerminal
package import OppiText

/// The turns of a conversation as rows, safe to show.
package enum TurnRows {
  private static let promptMark = StyledText("› ", .strong)
  private static let indent = StyledText("  ")

  /// Returns several turns, separated by empty rows.
  package static func rows(
    of turns: [Turn],
    width: Int,
    look: MarkdownLook = .styled,
    now: Timestamp
  ) -> [StyledText] {
    let blocks = turns.map { rows(of: $0, width: width, look: look, now: now) }
    return Array(blocks.joined(separator: [StyledText()]))
  }

  /// Returns a turn: the prompt, the agent's messages and calls, and the outcome as the last rows.
  ///
  /// No row exceeds `width` columns, but at least 8. The duration of a running call is relative to
  /// `now`. `look` is what the terminal can show instead of the marks of Markdown.
  package static func rows(
    of turn: Turn,
    width: Int,
    look: MarkdownLook = .styled,
    now: Timestamp
  ) -> [StyledText] {
    let width = max(8, width)
    var rows = prompt(of: turn, width: width)
    var isAfterCall = false
    for step in turn.steps {
      let isCall = if case .call = step { true } else { false }
      if !(isCall && isAfterCall), !rows.isEmpty { rows.append(StyledText()) }
      rows += self.rows(of: step, width: width, look: look, now: now)
      isAfterCall = isCall
    }
    return rows + [StyledText()] + end(of: turn, width: width)
  }

  private static func rows(
    of step: Turn.Step,
    width: Int,
    look: MarkdownLook,
    now: Timestamp
  ) -> [StyledText] {
    switch step {
    case .text(let text): Markdown.rows(of: text, width: width, look: look)
    case .steer(let text): marked(text, width: width)
    case .call(let call):
      ToolCallRows.lines(
        for: call,
        width: min(width, ActivityCard.maximumWidth),
        clock: (now, now),
        isLast: true
      )
    }
  }

  // MARK: - Prompt

  private static func prompt(of turn: Turn, width: Int) -> [StyledText] {
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

  /// The outcome with the duration, and the reason why there is no answer.
  static func end(of turn: Turn, width: Int) -> [StyledText] {
    var line = StatusMark(turn).line
    if let duration = turn.duration { line.append("  \(ElapsedTime.text(duration))", .dim) }
    return [line.truncated(to: width)] + ActivityCard.outcome(turn, width: width)
  }
}

/// One call of a conversation in full: its input and its output.
package enum CallRows {
  /// The maximum number of output bytes that are shown.
  package static let outputLimit = 4 << 20

  /// Returns the call in rows, safe to show, of at most `width` columns, but at least 8.
  ///
  /// Long lines continue in the next row.
  package static func rows(of call: ToolCallActivity, width: Int) -> [StyledText] {
    let width = max(8, width)
    let mark = StatusMark(call.state)
    let name = ToolRenderers.name(of: call)
    var title = StyledText("\(mark.symbol) ", mark.style)
    title.append("#\(call.number) ", .dim)
    title.append(name, .name)
    title.append("  \(mark.word)", mark.style)
    if let duration = call.duration {
      title.append(" \(ElapsedTime.text(duration))", .dim)
    }
    let input = RequestText.rows(
      ofInput: call.arguments,
      to: call.tool,
      width: width
    )
    return [title.truncated(to: width)] + input + output(of: call, width: width)
  }

  private static func output(of call: ToolCallActivity, width: Int) -> [StyledText] {
    guard let output = call.recordedOutput else { return [StyledText("no result", .dim)] }
    let text = output.head(bytes: outputLimit)
    var rows = TextBlock.lines(of: text).flatMap { line in
      StyledText(line).cut(to: width, rest: StyledText("↪ ", .dim))
    }
    let missing = output.utf8.count - text.utf8.count
    if missing > 0 { rows.append(StyledText("… \(missing) more bytes", .warning)) }
    let images = call.imageCount
    if images > 0 { rows.append(StyledText(images.counted("image"), .dim)) }
    return rows
  }
}

/// The turns of a conversation as labelled lines for a listener.
package enum SpokenTurn {
  /// Returns a turn; the last line is the outcome with the turn's age.
  package static func lines(of turn: Turn, at now: Timestamp?) -> [StyledText] {
    let prompt = turn.prompt.map { lines(ofMessage: $0) } ?? []
    let steps = turn.steps.flatMap { step in
      switch step {
      case .text(let text): labelled(text, "agent")
      case .steer(let text): lines(ofMessage: text)
      case .call(let call): [line(of: call)]
      }
    }
    var end = "turn \(StatusMark(turn).word.lowercased())"
    if let at = turn.endedAt, let now {
      end += ", \(RelativeTime.ago(at, at: now))"
    }
    return prompt + steps + [StyledText(end)]
  }

  /// Returns the lines of a user's message.
  package static func lines(ofMessage text: String) -> [StyledText] { labelled(text, "you") }

  private static func labelled(_ text: String, _ label: String) -> [StyledText] {
    TextBlock.lines(of: text).filter { !$0.allSatisfy(\.isWhitespace) }
      .map { StyledText("\(label): \($0)") }
  }

  private static func line(of call: ToolCallActivity) -> StyledText {
    let state = StatusMark(call.state).word
    let title = ToolRenderers.title(of: call)
    return StyledText("tool: \(state): \(title), call \(call.number)")
  }
}

/// The turns of a conversation as text for pipes and files.
///
/// Messages are as written; a call is one line.
package enum TurnText {
  /// Returns a turn; the last line is the outcome in parentheses.
  package static func text(of turn: Turn) -> String {
    let prompt = turn.prompt.map { ["› \($0)"] } ?? []
    let steps = turn.steps.map { step in
      switch step {
      case .text(let text): text
      case .steer(let text): "› \(text)"
      case .call(let call): line(of: call)
      }
    }
    return (prompt + steps + ["(\(StatusMark(turn).word))"]).joined(separator: "\n\n")
      .safeBlock()
  }

  static func line(of call: ToolCallActivity) -> String {
    let state = StatusMark(call.state).word
    return "#\(call.number) \(ToolRenderers.title(of: call)) (\(state))"
  }
}
