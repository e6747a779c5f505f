// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiTurns
import OppiWire

/// What the chat runs on, in one line: the model, how full its context is, the cost, and the server.
struct ChatFooter {
  private enum Fact: CaseIterable {
    case model, thinking, context, bar, cost, queue, server
  }

  /// What leaves a narrow line, the first one first.
  private static let leaving: [Fact] = [.server, .queue, .bar, .cost, .context, .thinking]

  let session: Session
  /// The name of the server; empty if it is shown elsewhere.
  var server = ""
  /// The number of messages that are queued behind the turn.
  var queue = 0

  /// Returns as many facts as fit, the most important ones; `nil` if nothing is known.
  func line(width: Int) -> StyledText? {
    var shown = Set(Fact.allCases)
    var line = line(of: shown)
    for fact in Self.leaving where DisplayWidth.of(line.plain) > width {
      shown.remove(fact)
      line = self.line(of: shown)
    }
    return line.isEmpty || DisplayWidth.of(line.plain) > width ? nil : line
  }

  private func line(of shown: Set<Fact>) -> StyledText {
    let facts: [(fact: Fact, text: StyledText?)] = [
      (.model, session.model.map { StyledText(String($0.split(separator: "/").last ?? "")) }),
      (.thinking, session.thinkingLevel.map { StyledText($0) }),
      (.context, context(hasBar: shown.contains(.bar))),
      (.cost, StyledText(CostText.of(session.cost))),
      (.queue, queue > 0 ? StyledText("\(queue) queued", .accent) : nil),
      (.server, StyledText(server)),
    ]
    let texts = facts.filter { shown.contains($0.fact) }.compactMap(\.text)
      .filter { !$0.isEmpty }
    return texts.dropFirst().reduce(texts.first ?? StyledText()) { line, text in
      line.with(StyledText(" · ", .dim)).with(text)
    }
  }

  /// The part of the model's context that is used; `nil` if the server does not report it.
  private func context(hasBar: Bool) -> StyledText? {
    guard let used = session.contextTokens, let size = session.contextWindow else { return nil }
    let share = min(1, Double(used) / Double(size))
    // Near its end the agent compacts the conversation, or fails.
    let style: Style = share >= 0.9 ? .warning : .plain
    let percent = StyledText("\(Int(share * 100)) %", style)
    guard hasBar else { return percent }
    return StyledText("context ", .dim).with(.bar(share, style)).with(StyledText(" ")).with(percent)
  }
}

extension TodoProgress {
  /// The progress in one line.
  var line: StyledText {
    StyledText("to-do \(completed) of \(total)", .accent)
      .with(StyledText(current.map { ": \($0)" } ?? ""))
  }
}
