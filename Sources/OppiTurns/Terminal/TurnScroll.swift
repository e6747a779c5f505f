// SPDX-License-Identifier: MIT

import OppiClient
package import OppiModel
import OppiSystem
package import OppiTerminal
package import OppiText

/// A conversation in the scrollback: each finished part is returned once, in order, and separated
/// as by ``TurnRows``; the unfinished part of the agent's message is live.
package struct TurnScroll: Sendable {
  /// Larger pieces, in bytes, are shown without Markdown, because their layout takes too long.
  private static let pieceLimit = 1 << 20
  /// If a resize wraps the live rows, few enough stay on the screen.
  private static let liveRows = 8
  private static let correction = StyledText("corrected answer:", .warning)

  package let look: MarkdownLook
  /// In columns; affects rows that are not returned yet.
  package var width: Int {
    didSet { stream.width = max(1, width) }
  }
  /// The unfinished message.
  private var stream: MarkdownStream
  /// Whether the start of the unfinished message may be missing, so that it is only live.
  private var isTail = false
  private var parts = TurnParts()
  /// Whether rows of the current message were returned.
  private var isInMessage = false
  /// The last complete message.
  private var message: String?

  /// `look` is what the terminal can show instead of the marks of Markdown.
  package init(width: Int, look: MarkdownLook = .styled) {
    (self.width, self.look) = (width, look)
    stream = MarkdownStream(width: width, look: look)
  }

  // MARK: - The agent

  /// Returns the rows, safe to show, of the parts that a change finishes.
  ///
  /// `turn` is the one with the change; its duration is shown at its end.
  package mutating func rows(for change: ActivityChange, in turn: Turn) -> [StyledText] {
    switch change {
    case .turnStarted: return flush()
    case .text(let piece):
      isTail = isTail || turn.mayLackStart
      return text(piece)
    case .textReplaced(let text): return replace(with: text)
    case .textFinished(let text):
      message = text
      return (isTail ? replace(with: text) : []) + flush()
    case .toolFinished(let call):
      return flush() + parts.add(.call, ToolCallRows.rows(for: call, width: width))
    case .turnFinished(let outcome, _):
      if isTail, outcome.answer != nil { restart() }
      return flush() + end(outcome, of: turn)
    case .sessionEnded: return flush()
    default: return []
    }
  }

  /// Returns the rest of an unfinished message.
  mutating func flush() -> [StyledText] {
    let gap = isTail && !stream.isEmpty ? [StyledText("…", .dim)] : []
    isTail = false
    let rows = text(gap + stream.flush())
    restart()
    return rows
  }

  private mutating func restart() {
    stream = MarkdownStream(width: max(1, width), look: look)
    (isTail, isInMessage) = (false, false)
  }

  /// Returns the rows below the returned ones, of which `room` fit: the end of the unfinished
  /// message, in a third of the `height`, and a card, all separated by empty rows.
  package func live(above card: [StyledText] = [], room: Int, height: Int) -> [StyledText] {
    let limit = min(room - card.count, max(Self.liveRows, height / 3))
    let gap = card.isEmpty ? [] : [StyledText()]
    var answer = stream.live(rows: limit - gap.count)
    if isTail { answer = Array(answer.drop(while: \.isEmpty)) }
    guard !answer.isEmpty else { return (parts.last == nil || limit < 1 ? [] : gap) + card }
    let isApart = !isInMessage && parts.last != nil && answer.count + gap.count < limit
    return (isApart ? [StyledText()] : []) + answer + gap + card
  }

  private mutating func text(_ piece: String) -> [StyledText] {
    guard piece.utf8.count > Self.pieceLimit else { return text(stream.append(piece)) }
    return text(stream.flush() + Self.plain(piece))
  }

  private mutating func replace(with text: String) -> [StyledText] {
    guard !isTail else {
      restart()
      return self.text(text)
    }
    let (rows, differs) = stream.replace(with: text)
    guard differs else { return self.text(rows) }
    isInMessage = false
    return self.text([Self.correction] + rows)
  }

  private mutating func text(_ rows: [StyledText]) -> [StyledText] {
    guard !rows.isEmpty, !isTail else { return [] }
    defer { isInMessage = true }
    return parts.add(.text, rows, goesOn: isInMessage)
  }

  private static func plain(_ text: String) -> [StyledText] {
    text.safeBlock().split(separator: "\n", omittingEmptySubsequences: false)
      .map { StyledText(String($0)) }
  }

  private mutating func end(_ outcome: TurnOutcome, of turn: Turn) -> [StyledText] {
    var answer: [StyledText] = []
    if let text = outcome.answer, text != message, !text.isEmpty {
      answer = self.text(text) + flush()
    }
    message = nil
    var ended = Turn()
    ended.status = .finished(outcome)
    if turn.isFinished {
      (ended.startedAt, ended.endedAt) = (turn.startedAt, turn.endedAt)
    }
    return answer + parts.add(.end, TurnRows.end(of: ended, width: width))
  }

  // MARK: - Others

  /// Returns the rows of a user's message, with its time of day if it is known.
  package mutating func rows(
    ofMessage text: String,
    imageCount: Int = 0,
    at moment: Timestamp? = nil
  ) -> [StyledText] {
    let time = moment.map { LocalTime.minute(of: $0, seenAt: $0) }
    let rows =
      TurnRows.message(text, at: time, width: max(8, width))
      + TurnRows.images(imageCount, width: width)
    return flush() + parts.add(.prompt, rows)
  }

  /// Returns lines about the conversation, separated from other parts.
  package mutating func rows(ofNote rows: [StyledText]) -> [StyledText] { parts.add(.note, rows) }

  /// Records that rows were printed which end with an empty row.
  package mutating func separated() { parts = TurnParts() }
}

extension Turn {
  /// The turn without what a ``TurnScroll`` shows: the message and the finished calls.
  package var besideScroll: Turn {
    var turn = self
    turn.text = ""
    turn.toolCalls.removeAll { !$0.isOpen }
    turn.droppedCallCount = 0
    return turn
  }
}
