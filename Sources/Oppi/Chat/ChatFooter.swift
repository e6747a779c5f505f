// SPDX-License-Identifier: MIT

import OppiTerminal
import OppiTurns
import OppiWire

/// What the chat runs on, in one line: the model, how full its context is, and the cost.
enum ChatFooter {
  /// Returns as many facts as fit, the most important first; `nil` if nothing is known.
  static func line(of session: Session?, queue: Int, width: Int) -> StyledText? {
    guard let session else { return nil }
    let facts = [
      session.model.map { StyledText(String($0.split(separator: "/").last ?? "")) },
      session.thinkingLevel.map { StyledText($0) },
      context(of: session),
      StyledText(CostText.of(session.cost)),
      queue > 0 ? StyledText("\(queue) queued", .accent) : nil,
    ]
    let gap = StyledText(" · ", .dim)
    let line = facts.compactMap(\.self).filter { !$0.isEmpty }.reduce(StyledText()) { line, fact in
      let longer = line.isEmpty ? fact : line.with(gap).with(fact)
      return DisplayWidth.of(longer.plain) <= width ? longer : line
    }
    return line.isEmpty ? nil : line
  }

  /// The part of the model's context that is used; `nil` if the server does not report it.
  private static func context(of session: Session) -> StyledText? {
    guard let used = session.contextTokens, let size = session.contextWindow else { return nil }
    let share = min(1, Double(used) / Double(size))
    // Near its end the agent compacts the conversation, or fails.
    let style: Style = share >= 0.9 ? .warning : .plain
    return StyledText("context ", .dim).with(.bar(share, style))
      .with(StyledText(" \(Int(share * 100)) %", style))
  }
}
