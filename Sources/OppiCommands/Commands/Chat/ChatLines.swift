// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// The chat line by line, for dumb terminals and screen readers; performs no input or output.
///
/// Requests and questions have numbers, and only a line with the number answers them: a message
/// never counts as an answer.
struct ChatLines: Sendable {
  private enum Asked: Sendable {
    case approval(PermissionRequest)
    case question(ChatQuestion)
  }

  private(set) var state: ChatState
  private var plain = PlainActivity()
  /// The requests and questions so far; the number of each is its index plus 1.
  private var asked: [Asked] = []

  init(_ state: ChatState) {
    self.state = state
  }

  mutating func type(_ line: String, at now: Duration) -> [ChatEffect] {
    let effects: [ChatEffect]
    if let word = AnswerLine(line) {
      effects = answer(word, at: now)
    } else if line.allSatisfy(\.isWhitespace) {
      effects = []
    } else {
      effects = state.send(line, at: now)
    }
    return inLines(effects + askOn())
  }

  /// Handles Ctrl-C: clears the draft, else stops the turn; a second press leaves.
  mutating func interrupt(hasDraft: Bool, at now: Duration) -> [ChatEffect] {
    hasDraft ? [] : inLines(state.interrupt(at: now))
  }

  mutating func leave(at now: Duration) -> [ChatEffect] { inLines(state.leave(at: now)) }

  mutating func woke(at now: Duration) -> [ChatEffect] { inLines(state.woke(at: now)) }

  mutating func take(_ news: ChatNews, at now: Duration) -> [ChatEffect] {
    let effects = state.take(news, at: now)
    switch news {
    // The end of a turn comes before the start of the next one.
    case .step(let step, _, _): return inLines(step.effects { tell($0) } + effects + askOn())
    case .page(let page): return inLines(effects + [.print(page.lines)])
    default: return inLines(effects)
    }
  }

  /// A returned message is still on the screen, so only a notice replaces it.
  private func inLines(_ effects: [ChatEffect]) -> [ChatEffect] {
    effects.compactMap { effect in
      switch effect {
      case .giveBack: .say("not sent; type it again to retry")
      case .printMessage(let text): .print(ChatState.lines(ofMessage: text))
      default: effect
      }
    }
  }

  private mutating func tell(_ change: ActivityChange) -> [ChatEffect] {
    var effects: [ChatEffect] = []
    if case .questionSettled(let id) = change, state.answers.isOwn(id) { return [] }
    let lines = plain.lines(for: change)
    if !lines.isEmpty { effects.append(.print(lines.map { StyledText($0) })) }
    if case .approvalRequested(let request, _) = change {
      asked.append(.approval(request))
      let number = asked.count
      effects.append(
        .print([
          StyledText(
            "answer with 'allow \(number)', 'allow \(number) session', 'deny \(number)' or "
              + "'deny \(number) REASON'"
          )
        ])
      )
    }
    return effects
  }

  // MARK: - Answers

  private mutating func answer(_ word: AnswerLine, at now: Duration) -> [ChatEffect] {
    guard asked.indices.contains(word.number - 1) else { return Self.nothing(open: word.number) }
    switch (asked[word.number - 1], word.answer) {
    case (.approval(let request), .decision(let decision, let reason)):
      guard state.isOpen(request) else { return Self.nothing(open: word.number) }
      if let obstacle = ApprovalPolicy.obstacle(to: decision, request, on: .lines) {
        return [.say(obstacle.notice)]
      }
      return state.decide(request, decision, because: reason)
    case (.question(let question), .words(let text)):
      guard state.question == question else { return Self.nothing(open: word.number) }
      guard let answer = question.answer(forText: text) else {
        return [.say("no such choice")]
      }
      if let obstacle = question.obstacle(to: answer, on: .lines) {
        return [.say(obstacle.noticeForQuestion)]
      }
      return state.answer(question, answer)
    case (.question(let question), .cancelled):
      guard state.question == question else { return Self.nothing(open: word.number) }
      return state.answer(question, .cancelled)
    case (.approval, _):
      return [.say("\(word.number) is a request: 'allow \(word.number)' or 'deny \(word.number)'")]
    case (.question, _):
      return [
        .say("\(word.number) is a question: 'answer \(word.number) …' or 'cancel \(word.number)'")
      ]
    }
  }

  private static func nothing(open number: Int) -> [ChatEffect] {
    [.say("no pending request \(number)")]
  }

  /// Prints the open question, or its next part.
  private mutating func askOn() -> [ChatEffect] {
    guard let question = state.question, !isAsked(question) else { return [] }
    asked.append(.question(question))
    let number = asked.count
    var lines = question.lines(width: .max)
    if let prefill = question.prefill { lines.append(StyledText(prefill.safeBlock())) }
    var ways: [String] = question.choices.isEmpty ? [] : ["'answer \(number) NUMBER'"]
    if question.takesSeveral { ways = ["'answer \(number) NUMBER NUMBER…'"] }
    if question.takesText { ways.append("'answer \(number) TEXT'") }
    lines.append(
      StyledText("answer with \((ways + ["'cancel \(number)'"]).joined(separator: " or "))")
    )
    return [.print(lines)]
  }

  private func isAsked(_ question: ChatQuestion) -> Bool {
    asked.contains { entry in
      if case .question(let other) = entry { other == question } else { false }
    }
  }
}

/// A typed answer: `allow 1`, `allow 1 session`, `deny 1`, `deny 1 why`, `answer 2 text`, `cancel
/// 2`.
struct AnswerLine: Equatable {
  enum Answer: Equatable {
    case decision(PermissionDecision, reason: String?)
    case words(String)
    case cancelled
  }

  let number: Int
  let answer: Answer

  /// Parses a line; `nil` if it is a message.
  init?(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    guard words.count >= 2, let number = Int(words[1]), number > 0 else { return nil }
    let rest = words.count == 3 ? words[2] : nil
    switch (words[0], rest) {
    case ("allow", nil): answer = .decision(.allow, reason: nil)
    case ("allow", "session"): answer = .decision(.allowForSession, reason: nil)
    case ("deny", _): answer = .decision(.deny, reason: rest)
    case ("answer", let rest?): answer = .words(rest)
    case ("cancel", nil): answer = .cancelled
    default: return nil
    }
    self.number = number
  }
}
