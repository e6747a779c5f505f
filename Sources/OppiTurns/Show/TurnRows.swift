// SPDX-License-Identifier: MIT

import OppiClient
package import OppiModel
import OppiSystem
package import OppiTerminal
package import OppiText

/// The turns of a conversation as rows, safe to show.
package enum TurnRows {
  /// Returns several turns, separated by empty rows.
  package static func rows(
    of turns: [Turn],
    width: Int,
    look: MarkdownLook = .styled,
    now: Timestamp
  ) -> [StyledText] {
    var page = TurnPage()
    for turn in turns { page.add(turn, width: width, look: look, now: now) }
    return page.rows
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
    rows(of: [turn], width: width, look: look, now: now)
  }

  // MARK: - The user

  /// Returns the prompt with the time of day at which the turn started, and the number of its images.
  package static func prompt(of turn: Turn, width: Int, now: Timestamp) -> [StyledText] {
    let time = turn.startedAt.map { LocalTime.minute(of: $0, seenAt: now) }
    return (turn.prompt.map { message($0, at: time, width: max(8, width)) } ?? [])
      + images(turn.imageCount, width: width)
  }

  private static let bar = StyledText("▌", .accent)

  /// Returns a user's message with a bar at its left; the time is shown if it fits.
  static func message(_ text: String, at time: String? = nil, width: Int) -> [StyledText] {
    var rows = RowFiller.rows(of: text, .strong, width: width - 2).map { row in
      row.isEmpty ? bar : bar.with(StyledText(" ")).with(row)
    }
    let edge = min(width, ToolCallRows.maximumWidth)
    if let time, let first = rows.first,
      DisplayWidth.of(first.plain) + 2 + DisplayWidth.of(time) <= edge
    {
      rows[0] = first.with(StyledText(time, .dim), at: edge)
    }
    return rows
  }

  /// Returns the row with the number of images below a user's message; nothing without images.
  static func images(_ count: Int, width: Int) -> [StyledText] {
    guard count > 0 else { return [] }
    return [bar.with(StyledText(" \(count.counted("image"))", .dim)).truncated(to: width)]
  }

  // MARK: - Outcome

  /// The outcome with the duration, and the reason why there is no answer.
  static func end(of turn: Turn, width: Int) -> [StyledText] {
    var line = StatusMark(turn).line
    if let duration = turn.duration { line.append("  \(ElapsedTime.text(duration))", .dim) }
    return [line.truncated(to: width)] + ActivityCard.outcome(turn, width: width)
  }
}

/// Separates the parts of a conversation by empty rows; calls, and notes, stay together.
struct TurnParts: Sendable {
  enum Part: Sendable {
    case prompt
    case text
    case call
    case note
    case end
  }

  /// The last part; `nil` before the first one.
  private(set) var last: Part?

  /// Returns the rows of a part, below an empty row unless they continue the last part.
  ///
  /// `goesOn` is whether they do so if it is of the same kind.
  mutating func add(_ part: Part, _ rows: [StyledText], goesOn: Bool? = nil) -> [StyledText] {
    guard !rows.isEmpty else { return [] }
    defer { last = part }
    let goesOn = goesOn ?? (part == .call || part == .note)
    return (last == nil || goesOn && last == part ? [] : [StyledText()]) + rows
  }
}

/// One call of a conversation in full: its input and its output.
package enum CallRows {
  /// The maximum number of output bytes that are shown.
  package static let outputLimit = 4 << 20

  /// Returns the call in rows, safe to show, of at most `width` columns, but at least 8.
  ///
  /// Long lines continue in the next row. `minus` marks the lines that an edit removes.
  package static func rows(
    of call: ToolCallActivity,
    width: Int,
    minus: String = DiffRows.minus
  ) -> [StyledText] {
    let width = max(8, width)
    let facts = CallFacts(call)
    var title = facts.head
    title.append("  \(facts.mark.word)", facts.mark.style)
    if let duration = facts.duration { title.append(" \(duration)", .dim) }
    let input = input(of: call, width: width, minus: minus)
    return [title.truncated(to: width)] + input + output(of: facts, width: width)
  }

  /// All of the input; a text that replaces another one as a diff with all lines of both.
  private static func input(of call: ToolCallActivity, width: Int, minus: String) -> [StyledText] {
    let parts = RequestPart.all(of: call.arguments, to: call.tool)
    let isOne = parts.count { $0.kind == .removed } == 1
    let number = isOne ? call.details["firstChangedLine"].int : nil
    var rows: [StyledText] = []
    var rest = parts[...]
    while let part = rest.popFirst() {
      guard part.kind == .removed, let new = rest.first, new.kind == .added else {
        rows += RequestText.rows(of: [part], width: width)
        continue
      }
      rest.removeFirst()
      let diff = DiffRows(LineDiff(from: part.text, to: new.text), firstChange: number)
      let blocks = diff.blocks(width: width - 2, minus: minus) { text, style in
        RequestText.line(of: RevealedText(text).lines.flatMap { $0 }, style)
      }
      rows += blocks.joined().map { StyledText("  ").with($0) }
    }
    return rows
  }

  private static func output(of facts: CallFacts, width: Int) -> [StyledText] {
    guard let output = facts.call.recordedOutput else { return [StyledText("no result", .dim)] }
    let text = output.head(bytes: outputLimit)
    var rows = TextBlock.lines(of: text).flatMap { line in
      StyledText(line).cut(to: width, rest: StyledText("↪ ", .dim))
    }
    let missing = output.utf8.count - text.utf8.count
    if missing > 0 { rows.append(StyledText("… \(missing) more bytes", .warning)) }
    if let images = facts.images { rows.append(StyledText(images, .dim)) }
    return rows
  }
}

/// The turns of a conversation as labelled lines for a listener.
package enum SpokenTurn {
  /// Returns a turn; the last line is the outcome with the turn's age.
  package static func lines(of turn: Turn, at now: Timestamp?) -> [StyledText] {
    let steps = turn.messagesAndCalls.flatMap { step in
      switch step {
      case .text(let text): labelled(text, .agent)
      case .steer(let text): lines(ofMessage: text)
      case .call(let call): [line(of: CallFacts(call))]
      }
    }
    var end = "turn \(StatusMark(turn).word.lowercased())"
    if let at = turn.endedAt, let now {
      end += ", \(RelativeTime.ago(at, at: now))"
    }
    let questions = (turn.questions + [turn.unreported].compactMap(\.self)).map {
      StyledText(PlainActivity.spokenLine(for: $0))
    }
    return steps + questions + [StyledText(end)]
  }

  /// Returns the lines of a user's message.
  package static func lines(ofMessage text: String, imageCount: Int = 0) -> [StyledText] {
    labelled(text, .you) + (imageCount > 0 ? labelled(imageCount.counted("image"), .you) : [])
  }

  private static func labelled(_ text: String, _ label: SpokenLabel) -> [StyledText] {
    // Each line has the label, so that no text can be taken for a line of oppi.
    SpokenLines.lines(of: TextBlock.lines(of: text)).map { StyledText(label.line($0)) }
  }

  private static func line(of facts: CallFacts) -> StyledText {
    StyledText(
      SpokenLabel.tool.line("\(facts.mark.word): \(facts.title), call \(facts.call.number)")
    )
  }
}

/// How the lines of a message begin for listeners, who can search for it.
enum SpokenLabel: String {
  case you = "You"
  case agent = "Agent"
  case tool = "Tool"
  case approval = "Approval"
  case question = "Question"

  /// The label of what waits for the user.
  init(_ need: RequestNeed) {
    switch need {
    case .approval: self = .approval
    case .answer: self = .question
    }
  }

  /// The line with the label; an empty line, which separates records, has none.
  func line(_ text: String) -> String { text.isEmpty ? "" : "\(rawValue): \(text)" }
}

/// The turns of a conversation as text for pipes and files.
///
/// Messages are as written; a call is one line.
package enum TurnText {
  /// Returns a turn; the last line is the outcome in parentheses.
  package static func text(of turn: Turn) -> String {
    let steps = turn.messagesAndCalls.map { step in
      switch step {
      case .text(let text): text
      case .steer(let text): "› \(text)"
      case .call(let call): line(of: CallFacts(call))
      }
    }
    return (steps + ["(\(StatusMark(turn).word))"]).joined(separator: "\n\n").safeBlock()
  }

  private static func line(of facts: CallFacts) -> String {
    "#\(facts.call.number) \(facts.title) (\(facts.mark.word))"
  }
}

extension Turn {
  /// The steps behind the prompt, which is a message of the user like those to the running turn.
  fileprivate var messagesAndCalls: [Step] { (prompt.map { [.steer($0)] } ?? []) + steps }
}
