// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// One call as rows: the call with its facts at the right, and details below.
enum ToolCallRows {
  /// The same moment on the local and the server's clock.
  typealias Clock = (local: Timestamp, server: Timestamp)

  /// Keeps the facts close to their calls.
  static let maximumWidth = 100
  private static let indent = "    "
  private static let summaryLimit = 8

  /// Returns the call in one row, and below it what is proposed, or ``CallFacts/rows(width:)``.
  ///
  /// The time of an open call, and the time left, are relative to `clock`.
  static func rows(for call: ToolCallActivity, width: Int, clock: Clock? = nil) -> [StyledText] {
    let width = min(width, maximumWidth)
    let facts = CallFacts(call)
    let title = title(of: facts, width: width, now: clock?.local)
    let room = max(0, width - indent.count)
    let details =
      call.pendingApproval.map { approval($0, of: facts, below: title, width: room, clock?.server) }
      ?? facts.rows(width: room)
    return [title] + details.map { StyledText(indent).with($0).truncated(to: width) }
  }

  /// The sign, tool and subject, and the state, size and duration at the right.
  ///
  /// If they do not fit, the duration leaves first, then the size; the subject is cut last.
  private static func title(of facts: CallFacts, width: Int, now: Timestamp?) -> StyledText {
    var title = facts.head
    title.append(facts.subject.isEmpty ? "" : "  \(facts.subject)")
    // The signs of these states say enough.
    let isPlain = [.succeeded, .running].contains(facts.call.state)
    let state = StyledText(isPlain ? "" : facts.mark.word, facts.mark.style)
    let notes = [facts.size, time(of: facts, now: now)].compactMap(\.self)
    for count in (0...notes.count).reversed() {
      var right = state
      for note in notes.prefix(count) { right.append(right.isEmpty ? note : "  \(note)", .dim) }
      let space = width - DisplayWidth.of(title.plain) - DisplayWidth.of(right.plain)
      if right.isEmpty { return title.truncated(to: width) }
      if space >= 2 { return title.with(right, at: width) }
    }
    return title.with(state, at: width)
  }

  /// Right-aligned in a column of usual durations.
  private static func time(of facts: CallFacts, now: Timestamp?) -> String? {
    let time: String?
    switch facts.call.state {
    case .succeeded, .failed: time = facts.duration
    case .running:
      guard let start = facts.call.startedAt, let now, now.seconds > start.seconds else {
        return nil
      }
      time = ElapsedTime.text(.milliseconds(now.milliseconds - start.milliseconds))
    case .planned, .waiting, .waitingApproval, .rejected, .unfinished: return nil
    }
    return time.map { String(repeating: " ", count: max(0, 6 - $0.count)) + $0 }
  }

  /// The details that the user decides on: the proposed action, the reason and the time left.
  private static func approval(
    _ request: PermissionRequest,
    of facts: CallFacts,
    below title: StyledText,
    width: Int,
    _ serverNow: Timestamp?
  ) -> [StyledText] {
    let summary = TextBlock.lines(of: request.summary)
      .flatMap { TextBlock.folded($0, width: max(1, width)) }
    let isInTitle = summary == [facts.subject] && title.plain.contains("  \(facts.subject)  ")
    var rows = isInTitle ? [] : summary.prefix(summaryLimit).map { StyledText($0, .code) }
    if summary.count > summaryLimit {
      let hidden = summary.count - summaryLimit
      rows.append(StyledText("… \(hidden.counted("more line"))", .warning))
    }
    var reasons = request.reason.map { [$0.safeLine()] } ?? []
    if let deadline = request.timeoutAt, let serverNow {
      let left = deadline.milliseconds - serverNow.milliseconds
      reasons.append("\(ElapsedTime.text(.seconds(max(0, left / 1000)))) left")
    }
    if !reasons.isEmpty { rows.append(StyledText(reasons.joined(separator: ", "), .warning)) }
    return rows
  }
}
