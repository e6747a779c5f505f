// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// Handles news on a full-screen terminal.
extension ChatScreen {
  mutating func take(_ news: ChatNews, at now: Duration) -> [ScreenEffect<ChatEffect>] {
    let effects = state.take(news, at: now)
    if note == ChatState.heldNote, !state.isHolding { note = nil }
    switch news {
    // The end of a turn comes before the start of the next one.
    case .step(let step, _, _):
      let calls = isFocused ? [] : step.calls.map(ScreenEffect<ChatEffect>.call)
      return settle(step.effects { tell($0) } + effects) + calls
    case .page(let page):
      let rows = page.rows(width: size.columns, links: scroll.links)
      let printed = ScreenEffect<ChatEffect>.print(scroll.rows(ofNote: rows))
      // The turns end with an empty row.
      if case .turns = page { scroll.separated() }
      return settle(effects) + [printed]
    default: return settle(effects)
    }
  }

  /// Prints finished parts of the turn permanently above the block.
  private mutating func tell(_ change: ActivityChange) -> [ChatEffect] {
    let rows = scroll.rows(for: change, in: state.activity)
    return (rows.isEmpty ? [] : [.printRows(rows)]) + notices(of: change)
  }

  private mutating func notices(of change: ActivityChange) -> [ChatEffect] {
    switch change {
    case .questionSettled(let id) where !state.answers.isOwn(id):
      return [.say(QuestionText.settled)]
    case .notice(let text): return [.say(text.safeLine())]
    case .queueDropped(let messages):
      let lines = messages.map { "removed from the queue by the stop: \($0.text.safeLine())" }
      return [.print(lines.map { StyledText($0, .warning) })]
    case .queueLost(let messages):
      return [.print(ChatState.lines(ofLost: messages.map(\.text)))]
    case .turnFinished(let outcome, _):
      note = nil
      return words(of: outcome).map { [.printRows($0.folded(to: size.columns))] } ?? []
    case .sessionEnded:
      return [.print([StyledText("the session has ended; a new message restarts it", .dim)])]
    default: return []
    }
  }

  /// What the end of a turn means, if no reason is shown.
  private func words(of outcome: TurnOutcome) -> StyledText? {
    switch outcome {
    case .failed, .stopped(_?), .unknown(_?): nil
    case .succeeded, .empty, .stopped(nil), .dropped, .unknown(nil):
      outcome.failure.map { StyledText($0.sentence, .warning) }
    }
  }

  /// Performs the effects of the screen itself, and returns the others.
  mutating func settle(_ effects: [ChatEffect]) -> [ScreenEffect<ChatEffect>] {
    var left: [ScreenEffect<ChatEffect>] = []
    for effect in effects {
      switch effect {
      case .say(let text): note = text
      case .settled(let text, let line):
        note = text
        left.append(.print(scroll.rows(ofNote: line.folded(to: size.columns))))
      case .print(let lines):
        let rows = lines.flatMap { $0.folded(to: size.columns) }
        left.append(.print(scroll.rows(ofNote: rows)))
      case .printRows(let rows): left.append(.print(rows))
      case .printMessage(let text): left.append(.print(scroll.rows(ofMessage: text)))
      case .giveBack(let text) where composer.isEmpty && !isEditing: composer.replace(text)
      case .giveBack(let text): left.append(.print(ChatState.lines(ofMessage: text)))
      case .leave: left.append(.leave)
      default: left.append(.perform(effect))
      }
    }
    return left
  }
}
