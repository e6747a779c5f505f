// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The chat line by line, for screen readers and for terminals without cursor control; performs no
/// input or output.
///
/// While a request or question is open, lines answer it and are never messages; the commands of the
/// chat still work.
struct ChatLines: LineScreen {
  private(set) var state: ChatState
  private var plain = PlainActivity(.spoken)
  private(set) var panel: RequestPanel?
  /// Increases with each panel that must be printed, or is gone without a line of the user.
  private(set) var panelCount = 0
  var isDeciding: Bool { panel != nil }
  /// Protects the chat from lines that were meant for a panel.
  private var stale: StaleLine?
  /// The command for which sessions are listed.
  private var chosen = ChatCommand.resume
  /// The time of day at the latest event.
  private var wallNow: Timestamp?
  /// In columns.
  private let width: Int

  /// `width` is that of the terminal, in columns.
  init(_ state: ChatState, width: Int) {
    (self.state, self.width) = (state, width)
  }

  mutating func update(
    _ event: LineEvent<ChatNews>,
    at now: Duration,
    _ moment: Timestamp
  ) -> [ScreenEffect<ChatEffect>] {
    wallNow = moment
    return chatEffects(of: event, at: now).map { effect in
      switch effect {
      case .say(let text): .say(text)
      case .print(let lines): .print(lines)
      // The message is still on the screen.
      case .giveBack:
        .say("not sent; type it again to retry\(state.images.line.map { " with \($0)" } ?? "")")
      case .help: .print(ChatState.help)
      case .choose: .say("listing the sessions")
      case .printMessage(let text, let imageCount):
        .print(SpokenTurn.lines(ofMessage: text, imageCount: imageCount))
      case .leave: .leave
      default: .perform(effect)
      }
    }
  }

  private mutating func chatEffects(
    of event: LineEvent<ChatNews>,
    at now: Duration
  ) -> [ChatEffect] {
    switch event {
    case .line(let line): return take(line, at: now) + renewed(isOwn: true, at: now)
    // The draft is dropped; the turn goes on.
    case .interrupted(hasDraft: true): return []
    case .interrupted: return state.interrupt(at: now)
    case .continued: return printAgain()
    case .inputEnded: return state.leave(at: now)
    case .tick: return state.woke(at: now)
    case .news(let news): return take(news, at: now)
    case .shown:
      panel?.wasShown(at: now)
      return []
    }
  }

  private mutating func take(_ line: String, at typed: Duration) -> [ChatEffect] {
    // A reason may begin with a slash.
    if panel?.reason == nil, let command = ChatCommand.parse(line)?.command {
      if command.opensSession { chosen = command }
      return state.send(line, at: typed)
    }
    if panel != nil { return answer(by: line, at: typed) }
    guard !line.allSatisfy(\.isWhitespace) else { return [] }
    if let notice = stale?.refusal(of: line, at: typed) { return [.say(notice)] }
    return state.send(line, at: typed)
  }

  private mutating func answer(by line: String, at typed: Duration) -> [ChatEffect] {
    guard var panel else { return [] }
    let outcome = panel.take(line, at: typed)
    self.panel = panel
    switch outcome {
    case .replied(let reply, let reason):
      return state.reply(reply, to: panel.subject, because: reason)
    case .refused(let words): return [.print(StyledText(words).folded(to: width, indent: 2))]
    case .repeated: self.panel = nil
    case .taken, .asksReason, .typed, .action: break
    }
    return []
  }

  private mutating func take(_ news: ChatNews, at now: Duration) -> [ChatEffect] {
    let effects = state.take(news, at: now)
    switch news {
    // The end of a turn comes before the start of the next one.
    case .step(let step, _, _):
      return step.changes.flatMap { report($0) } + step.notices + effects
        + renewed(isOwn: false, at: now)
    case .page(let page): return effects + [.print(page.lines)]
    case .sessions: return effects + [.print(state.lines(ofSessionsFor: chosen))]
    case .attached(.success, _): return effects + (state.images.line.map { [.say($0)] } ?? [])
    case .requestContext(let found):
      let facts = [found.folder.map { "folder of the request: \($0)" }, left.map { "\($0) left" }]
        .compactMap(\.self)
      return panel == nil || facts.isEmpty ? effects : effects + [.say(facts.sentence())]
    default: return effects + renewed(isOwn: false, at: now)
    }
  }

  private mutating func report(_ change: ActivityChange) -> [ChatEffect] {
    let lines: [String]
    switch change {
    // The panel prints it.
    case .approvalRequested, .question: lines = plain.flush()
    case .questionSettled(let id) where state.answers.isOwn(id): lines = []
    default: lines = plain.lines(for: change)
    }
    return lines.isEmpty ? [] : [.print(lines.map { StyledText($0) })]
  }

  // MARK: - The open request

  /// Prints the open request again after a stop of the program; it must be read before it is
  /// answered.
  private mutating func printAgain() -> [ChatEffect] {
    guard let again = panel?.shownAgain else { return [] }
    panel = again
    panelCount += 1
    return [.print(again.lines(left: left))]
  }

  /// Prints the open request or question if it is new; `isOwn` says whether the user's line closed
  /// the one before.
  private mutating func renewed(isOwn: Bool, at now: Duration) -> [ChatEffect] {
    let last = panel
    panel = RequestPanel.of(state.open, after: last, in: .lines(width: width))
    if last != nil, panel == nil || panel?.subject != last?.subject {
      stale = StaleLine(since: now, isOwn: isOwn)
    }
    if !isOwn, last != nil, panel == nil { panelCount += 1 }
    guard let panel, panel.subject != last?.subject else { return [] }
    panelCount += 1
    let waiting = state.activity.pendingApprovals.count { !state.answered.contains($0.id) }
    var more = waiting > 1 ? [StyledText("\(waiting) requests are pending; the first:")] : []
    if let last, panel.request.isChange(of: last.request) {
      more.insert(StyledText(QuestionText.changed), at: 0)
    }
    return [.print(more + panel.lines(left: left))]
  }
}

extension ChatLines {
  /// The time left for the open request; `nil` without a limit, or if the server's clock is unknown.
  fileprivate var left: String? {
    guard let end = panel?.request.timeoutAt, let wallNow,
      let offset = state.requestContext?.clockOffset
    else { return nil }
    return RelativeTime.age(seconds: wallNow.moved(by: offset).age(at: end))
  }
}

/// Keeps a line that was meant for a request from being sent to the agent after the request is gone.
struct StaleLine: Sendable {
  private let until: Duration
  /// Whether a choice was not yet refused.
  private var refusesChoice = true

  /// `isOwn` says whether the user's own line closed the request.
  init(since now: Duration, isOwn: Bool) {
    until = now + (isOwn ? EnterGuard.doublePress : TypingGate.rest)
  }

  /// Why a line is not sent; `nil` if it is.
  ///
  /// A line that looks like a choice is refused once.
  mutating func refusal(of line: String, at typed: Duration) -> String? {
    let isChoice =
      ShownQuestion.isNumbers(line) || CallChoice.allCases.contains { $0.label == line }
    guard typed < until || isChoice && refusesChoice else {
      refusesChoice = false
      return nil
    }
    if isChoice { refusesChoice = false }
    return "not sent: no request is open; type it again to send it to the agent"
  }
}
