// SPDX-License-Identifier: MIT

import OppiClient
package import OppiModel
package import OppiTerminal
package import OppiText
import OppiWire

/// One turn as a block of lines that is redrawn while it changes.
package enum ActivityCard {
  private static let textRows = 6

  /// Returns at most `limit` lines, safe to show, of at most `width` columns; the latest calls are
  /// kept.
  ///
  /// `serverNow` is `now` on the server's clock, which deadlines refer to; `nil` if it is unknown,
  /// and then `now` is used. `frame` is the number of the animation frame, constant without
  /// animation.
  package static func lines(
    for turn: Turn,
    width: Int,
    now: Timestamp,
    serverNow: Timestamp? = nil,
    frame: Int = 0,
    limit: Int = .max,
    hasQuestions: Bool = true
  ) -> [StyledText] {
    let width = min(width, ToolCallRows.maximumWidth)
    let clock = (local: now, server: serverNow ?? now)
    let head =
      [header(turn, width: width, now: now)] + outcome(turn, width: width)
      + thinking(turn, width: width, frame: frame)
    let tail =
      (hasQuestions ? questions(turn, serverNow: clock.server) : [])
      + unreported(turn, width: width) + children(turn)
      + statuses(turn) + text(turn, width, limit: limit)
    // With a pending approval, the calls take precedence over the lines below them.
    let hasPriority = !turn.pendingApprovals.isEmpty
    let room = limit - head.count - (hasPriority ? 0 : tail.count)
    let calls = calls(turn, width: width, clock: clock, limit: room)
    return (head + calls + tail).prefix(max(0, limit)).map { $0.truncated(to: width) }
  }

  // MARK: - Above the calls

  private static func header(_ turn: Turn, width: Int, now: Timestamp) -> StyledText {
    var state = StatusMark(turn).line
    if let time = elapsed(turn, at: now) { state.append("  \(time)", .dim) }
    return StyledText("Activity", .heading).with(state, at: width)
  }

  /// The time since the start in whole seconds, at least one; `nil` if it is unknown.
  static func elapsed(_ turn: Turn, at now: Timestamp) -> String? {
    guard turn.startedAt != nil else { return nil }
    return ElapsedTime.text(.seconds(max(1, turn.elapsed(at: now).components.seconds)))
  }

  /// The reason why a turn has no answer.
  static func outcome(_ turn: Turn, width: Int) -> [StyledText] {
    switch turn.outcome {
    case .failed?:
      return TextBlock.lines(of: (turn.outcome?.reasonWords ?? "").head(bytes: 1024))
        .flatMap { TextBlock.folded($0, width: width) }.prefix(3).map { StyledText($0, .error) }
    case .stopped(let reason?), .unknown(let reason?):
      return TextBlock.folded(reason.safeLine(), width: max(1, width)).prefix(3)
        .map { StyledText($0, StatusMark(turn).style) }
    default: return []
    }
  }

  /// The current activity with animated dots.
  private static func thinking(
    _ turn: Turn,
    width: Int,
    frame: Int
  ) -> [StyledText] {
    // The running call is in the list of calls.
    let isListed = turn.runningCall != nil && turn.retry == nil && !turn.isCompacting
    guard !isListed, let work = work(turn) else { return [] }
    let dots = ["...", ".", ".."][Int(frame.magnitude % 3)]
    var line = work.truncated(to: max(0, width - 3)).with(StyledText(dots))
    let thought = TextBlock.lastLines(of: turn.thinking.text, count: 1)
    if turn.thinking.isStreaming, let thought = thought.last {
      line.append(String(repeating: " ", count: 4 - dots.count) + thought, .dim)
    }
    return [line]
  }

  static func work(_ turn: Turn) -> StyledText? {
    guard !turn.isFinished, turn.status != .idle else { return nil }
    if let retry = turn.retry {
      let error = retry.error.safeLine()
      return StyledText("Retry \(retry.attempt) of \(retry.limit) after \(error)", .warning)
    }
    if turn.isCompacting { return "Compacting the conversation" }
    // The mark already names what the turn waits for.
    if turn.waitsFor != nil || turn.status == .stopping { return nil }
    if let call = turn.runningCall {
      return StyledText("Running \(CallFacts(call).title)")
    }
    return turn.isWriting ? "Answering" : "Thinking"
  }

  // MARK: - Calls

  private static func calls(
    _ turn: Turn,
    width: Int,
    clock: ToolCallRows.Clock,
    limit: Int
  ) -> [StyledText] {
    // One line is reserved for the number of omitted calls.
    var room = limit - 1
    var blocks: [[StyledText]] = []
    for (index, call) in turn.toolCalls.enumerated().reversed() where room > 0 {
      let rows = ToolCallRows.rows(for: turn.shown(call), width: width, clock: clock)
      let isBrief = call.state == .succeeded && index < turn.toolCalls.count - 1
      let block = Array(rows.count <= room && !isBrief ? rows[...] : rows.prefix(1))
      blocks.append(block)
      room -= block.count
    }
    let hidden = turn.toolCalls.count - blocks.count + turn.droppedCallCount
    let note = "… \(hidden.counted("earlier call"))"
    return (hidden > 0 && limit > 0 ? [StyledText(note, .dim)] : []) + blocks.reversed().joined()
  }

  // MARK: - Below the calls

  private static func questions(_ turn: Turn, serverNow: Timestamp) -> [StyledText] {
    turn.questions.flatMap { question in
      let request = HumanRequest.question(question)
      let note = request.allowanceNote.map {
        [$0, request.countdown(at: serverNow)].compactMap(\.self).sentence()
      }
      return lines(of: question) + (note.map { [StyledText("  \($0)", .warning)] } ?? [])
    }
  }

  /// A question that cannot be answered here.
  private static func unreported(_ turn: Turn, width: Int) -> [StyledText] {
    guard let question = turn.unreported else { return [] }
    let note = StyledText("  \(QuestionText.unreported)", .dim)
    return (lines(of: question) + [note]).flatMap { $0.folded(to: max(1, width)) }
  }

  private static func lines(of question: UserQuestion) -> [StyledText] {
    QuestionText.items(of: question).flatMap { item in
      let options = item.options.joined(separator: " / ")
      return [StyledText("! \(item.question)", .warning)]
        + (options.isEmpty ? [] : [StyledText("  \(options)")])
        + (item.placeholder.map { [StyledText("  e.g. \($0)", .dim)] } ?? [])
    }
  }

  private static func statuses(_ turn: Turn) -> [StyledText] {
    turn.statuses.suffix(3).map { status in
      StyledText("\(status.key.safeLine(limit: 40)): \(status.text.safeLine())", .dim)
    }
  }

  private static func children(_ turn: Turn) -> [StyledText] {
    turn.children.suffix(5).map { child in
      let mark = StatusMark(child.status)
      var line = StyledText("\(mark.symbol) ", mark.style)
      line.append("agent \(child.name?.safeLine(limit: 60) ?? child.id)", .name)
      line.append(": \(mark.word)", mark.style)
      return line
    }
  }

  private static func text(
    _ turn: Turn,
    _ width: Int,
    limit: Int
  ) -> [StyledText] {
    guard !turn.isFinished else { return [] }
    let count = min(textRows, limit / 3)
    return TextBlock.lastRows(of: turn.text, count: count, width: width).map { StyledText($0) }
  }
}
