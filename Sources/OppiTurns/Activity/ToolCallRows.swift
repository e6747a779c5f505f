// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiWire

/// One call as lines of a card: the title with its state, and details.
enum ToolCallRows {
  /// The same moment on the local and the server's clock.
  typealias Clock = (local: Timestamp, server: Timestamp)

  private static let indent = "  "
  private static let summaryLimit = 8

  /// Returns the title of a call and, if it is the last one or needs attention, details.
  static func lines(
    for call: ToolCallActivity,
    width: Int,
    clock: Clock,
    isLast: Bool
  ) -> [StyledText] {
    let facts = CallFacts(call)
    let title = title(of: facts, width: width, now: clock.local)
    let needsAttention = call.isOpen || call.state == .failed
    var details: [StyledText] = []
    switch call.state {
    case .waitingApproval(let request):
      details = approval(request, below: title, width: width, clock: clock)
    case .rejected: details = [StyledText(facts.rejection ?? "", .dim)]
    case .planned: break
    case .waiting, .running, .succeeded, .failed, .unfinished:
      guard isLast || needsAttention else { break }
      details = facts.rows(width: max(0, width - indent.count))
      details.append(StyledText(facts.images ?? "", .dim))
    }
    return [title]
      + details.filter { !$0.isEmpty }.map { StyledText(indent).with($0) }
  }

  private static func title(of facts: CallFacts, width: Int, now: Timestamp) -> StyledText {
    let mark = facts.mark
    var title = facts.head
    if !facts.subject.isEmpty { title.append(": \(facts.subject)") }
    var state = StyledText(mark.word, mark.style)
    if let time = time(of: facts, now: now) { state.append(" \(time)", .dim) }
    return title.with(state, at: width)
  }

  private static func time(of facts: CallFacts, now: Timestamp) -> String? {
    switch facts.call.state {
    case .succeeded, .failed: return facts.duration
    case .running:
      guard let start = facts.call.startedAt, now.seconds > start.seconds else { return nil }
      return ElapsedTime.text(.milliseconds(now.milliseconds - start.milliseconds))
    case .planned, .waiting, .waitingApproval, .rejected, .unfinished: return nil
    }
  }

  /// The details that the user decides on: the proposed action, the reason and the time left.
  private static func approval(
    _ request: PermissionRequest,
    below title: StyledText,
    width: Int,
    clock: Clock
  ) -> [StyledText] {
    let summary = TextBlock.lines(of: request.summary)
      .flatMap { TextBlock.folded($0, width: max(1, width - indent.count)) }
    let isInTitle = summary.count == 1 && title.plain.contains(": \(summary[0]) ")
    var rows = isInTitle ? [] : summary.prefix(summaryLimit).map { StyledText($0, .code) }
    if summary.count > summaryLimit {
      let hidden = summary.count - summaryLimit
      rows.append(StyledText("… \(hidden.counted("more line"))", .warning))
    }
    var reasons = request.reason.map { [$0.safeLine()] } ?? []
    if let deadline = request.timeoutAt {
      let left = deadline.milliseconds - clock.server.milliseconds
      reasons.append("\(ElapsedTime.text(.seconds(max(0, left / 1000)))) left")
    }
    if !reasons.isEmpty { rows.append(StyledText(reasons.joined(separator: ", "), .warning)) }
    return rows
  }
}
