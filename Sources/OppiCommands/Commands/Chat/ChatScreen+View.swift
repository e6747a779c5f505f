// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

extension ChatScreen {
  /// A block of lines with the place of the cursor in it; `nil` hides the cursor.
  struct Block {
    var lines: [StyledText]
    var cursor: (row: Int, column: Int)?
  }

  private static let composerRows = 10

  /// The block at the end of the terminal: the turn's card, what is asked, and the composer or the
  /// panel in its place.
  func view(now: Timestamp, frame: Int) -> Block {
    if let panel, !isPanelAside, reason == nil { return view(of: panel, now: now, frame: frame) }
    let input = (reason ?? composer).layout(
      width: size.columns,
      prompt: StyledText(reason == nil ? "› " : "reason › ", .success),
      maxRows: min(Self.composerRows, max(1, size.rows / 2))
    )
    var lines = asked
    if let note { lines.append(StyledText(note, .dim)) }
    lines.append(hint)
    let room = max(0, size.rows - 1 - input.lines.count - lines.count)
    let above = (card(rows: max(3, room), now: now, frame: frame) + lines)
      .map { $0.truncated(to: size.columns) }
    return Block(
      lines: above + input.lines,
      cursor: (above.count + input.cursor.row, input.cursor.column)
    )
  }

  private func view(of panel: ApprovalPanel, now: Timestamp, frame: Int) -> Block {
    var rows = panel.view(columns: size.columns, now: now)
    rows.append(StyledText(note ?? "", .dim))
    let draft = composer.text.safeLine(limit: 200)
    let aside = draft.isEmpty ? "Esc goes back to the message" : "Esc goes back to: \(draft)"
    rows.append(StyledText(aside, .dim))
    let card = card(rows: size.rows - 1 - rows.count, now: now, frame: frame)
    return Block(lines: (card + rows).map { $0.truncated(to: size.columns) }, cursor: nil)
  }

  private func card(rows: Int, now: Timestamp, frame: Int) -> [StyledText] {
    var activity = state.activity
    // A finished message stands above for good.
    if !activity.isWriting { activity.text = "" }
    guard rows >= 3, activity.status != .idle, !activity.isFinished else { return [] }
    return ActivityCard.lines(
      for: activity,
      width: size.columns,
      now: now,
      frame: frame,
      limit: rows
    )
  }

  private var asked: [StyledText] {
    if let panel {
      let tool = RevealedText(panel.request.tool.head(bytes: 40)).line
      return [StyledText("! \(tool) waits for your approval; Esc shows the request", .warning)]
    }
    return state.question?.lines(width: size.columns) ?? []
  }

  private var hint: StyledText {
    if reason != nil {
      return StyledText("Enter denies and tells the agent why, Esc goes back", .dim)
    }
    guard state.isWorking else {
      return StyledText("Enter sends, Alt-Enter new line, Ctrl-G editor, Ctrl-D leaves", .dim)
    }
    let mode = state.busyMode == .queue ? "queues" : "steers"
    return StyledText("Enter \(mode), Tab changes that, Ctrl-C stops, Ctrl-D leaves", .dim)
  }
}
