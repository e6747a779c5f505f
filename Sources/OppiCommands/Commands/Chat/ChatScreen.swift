// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The chat's block at the end of the terminal: the turn's card, what is asked, and the composer.
enum ChatScreen {
  /// A block with the place of the cursor in it.
  struct Block {
    var lines: [StyledText]
    var cursor: (row: Int, column: Int)
  }

  private static let composerRows = 10

  static func block(
    _ state: ChatState,
    _ composer: Composer,
    note: String?,
    size: (columns: Int, rows: Int),
    now: Timestamp,
    frame: Int
  ) -> Block {
    let input = composer.layout(
      width: size.columns,
      prompt: StyledText("› ", .success),
      maxRows: min(composerRows, max(1, size.rows / 2))
    )
    var lines = asked(state)
    if let note { lines.append(StyledText(note, .dim)) }
    lines.append(hint(state))
    let room = max(3, size.rows - 1 - input.lines.count - lines.count)
    var activity = state.activity
    // A finished message stands above for good.
    if !activity.isWriting { activity.text = "" }
    let card =
      activity.status == .idle || activity.isFinished
      ? []
      : ActivityCard.lines(
        for: activity,
        width: size.columns,
        now: now,
        frame: frame,
        limit: room
      )
    let above = (card + lines).map { $0.truncated(to: size.columns) }
    return Block(
      lines: above + input.lines,
      cursor: (above.count + input.cursor.row, input.cursor.column)
    )
  }

  private static func asked(_ state: ChatState) -> [StyledText] {
    if let approval = state.approval {
      var line = StyledText("! \(approval.tool.safeLine(limit: 40)): ", .warning)
      line.append(approval.summary.safeLine())
      var keys = StyledText("  a ", .code)
      keys.append("allow once   ")
      keys.append("d ", .code)
      keys.append("deny")
      if let reason = approval.reason { keys.append("   \(reason.safeLine(limit: 80))", .dim) }
      return [line, keys]
    }
    return state.question?.lines() ?? []
  }

  private static func hint(_ state: ChatState) -> StyledText {
    guard state.isWorking else {
      return StyledText("Enter sends, Alt-Enter new line, Ctrl-G editor, Ctrl-D leaves", .dim)
    }
    let mode = state.busyMode == .queue ? "queues" : "steers"
    return StyledText("Enter \(mode), Tab changes that, Ctrl-C stops, Ctrl-D leaves", .dim)
  }
}
