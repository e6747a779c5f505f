// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// Handles news on a full-screen terminal.
extension ChatScreen {
  mutating func take(_ news: ChatNews, at now: Duration) -> [ScreenEffect<ChatEffect>] {
    let effects = state.take(news, at: now)
    if note == ChatState.heldNote, !state.isHolding { note = nil }
    switch news {
    // The end of a turn comes before the start of the next one.
    case .step(let step, _, _): return settle(step.effects { tell($0) } + effects)
    case .page(let page): return settle(effects + [.print(page.rows(width: size.columns))])
    default: return settle(effects)
    }
  }

  /// Prints finished parts of the turn permanently above the block.
  private mutating func tell(_ change: ActivityChange) -> [ChatEffect] {
    switch change {
    case .textFinished(let text) where !text.isEmpty:
      return [.print(rows(of: text))]
    case .toolFinished(let call):
      let mark = StatusMark(call.state)
      var line = StyledText("\(mark.symbol) \(mark.word): ", mark.style)
      line.append(ToolRenderers.title(of: call))
      let rows = ToolRenderers.rows(for: call, width: size.columns)
      return [.print([line.truncated(to: size.columns)] + rows)]
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
      guard let (code, sentence) = outcome.failure else { return [] }
      return [.print([StyledText(sentence, code == .turnFailed ? .error : .warning)])]
    case .sessionEnded:
      return [.print([StyledText("the session has ended; a new message restarts it", .dim)])]
    default: return []
    }
  }

  /// The rows of an answer; a very long one is shown without Markdown, because its layout takes too
  /// long.
  private func rows(of text: String) -> [StyledText] {
    guard text.utf8.count > ChatReading.sizeLimit else {
      return Markdown.rows(of: text, width: size.columns)
    }
    return text.safeBlock().split(separator: "\n", omittingEmptySubsequences: false)
      .map { StyledText(String($0)) }
  }

  /// Performs the effects of the screen itself, and returns the others.
  mutating func settle(_ effects: [ChatEffect]) -> [ScreenEffect<ChatEffect>] {
    var left: [ScreenEffect<ChatEffect>] = []
    for effect in effects {
      switch effect {
      case .say(let text): note = text
      case .print(let lines):
        left.append(.print(lines.flatMap { $0.folded(to: size.columns) }))
      case .giveBack(let text) where composer.isEmpty && !isEditing: composer.replace(text)
      case .giveBack(let text): left.append(.print(ChatState.lines(ofMessage: text)))
      case .leave: left.append(.leave)
      default: left.append(.perform(effect))
      }
    }
    return left
  }
}
