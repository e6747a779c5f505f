// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The chat line by line, for screen readers and for terminals without cursor control; performs no
/// input or output.
///
/// While a request or question is open, lines answer it and are never messages; the commands of the
/// chat still work.
struct ChatLines: Sendable {
  private(set) var state: ChatState
  private var plain = PlainActivity(.spoken)
  private(set) var panel: RequestPanel?
  /// Increases with each panel that must be printed, or is gone without a line of the user.
  private(set) var panelCount = 0
  var isDeciding: Bool { panel != nil }
  /// Protects the chat from lines that were meant for a panel.
  private var stale = StaleLine()
  /// The time of day, if known.
  var wallNow: Timestamp?
  /// In columns.
  private let width: Int

  /// `width` is that of the terminal, in columns.
  init(_ state: ChatState, width: Int) {
    (self.state, self.width) = (state, width)
  }

  /// Handles a line; `typed` is when it was read.
  mutating func type(_ line: String, at typed: Duration) -> [ChatEffect] {
    let effects = effects(of: line, at: typed)
    return inLines(effects + renewed(isOwn: true, at: typed))
  }

  private mutating func effects(of line: String, at typed: Duration) -> [ChatEffect] {
    // A reason may begin with a slash.
    if panel?.reason == nil, ChatCommand.parse(line) != nil {
      return state.send(line, at: typed)
    }
    if panel != nil { return answer(by: line, at: typed) }
    guard !line.allSatisfy(\.isWhitespace) else { return [] }
    if let notice = stale.refusal(of: line, at: typed) { return [.say(notice)] }
    return state.send(line, at: typed)
  }

  private mutating func answer(by line: String, at typed: Duration) -> [ChatEffect] {
    guard let subject = panel?.subject else { return [] }
    switch panel?.take(line, at: typed) {
    case .replied(let reply, let reason)?: return state.reply(reply, to: subject, because: reason)
    case .refused(let why)?: return [.print(StyledText(why).folded(to: width, indent: 2))]
    case .asksReason?:
      return [.print(StyledText(panel?.usage ?? "").folded(to: width, indent: 2))]
    case .repeated?: panel = nil
    case .taken?, .typed?, .action?, nil: break
    }
    return []
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
    case .step(let step, _, _):
      return inLines(step.effects { tell($0) } + effects + renewed(isOwn: false, at: now))
    case .page(let page): return inLines(effects + [.print(page.lines)])
    case .requestContext(let found):
      let facts = [found.folder.map { "folder of the request: \($0)" }, left.map { "\($0) left" }]
        .compactMap(\.self)
      guard panel != nil, !facts.isEmpty else { return inLines(effects) }
      return inLines(effects + [.say(facts.sentence())])
    default: return inLines(effects + renewed(isOwn: false, at: now))
    }
  }

  /// A returned message is still on the screen, so only a notice replaces it.
  private func inLines(_ effects: [ChatEffect]) -> [ChatEffect] {
    effects.compactMap { effect in
      switch effect {
      case .giveBack: .say("not sent; type it again to retry")
      case .printMessage(let text): .print(SpokenTurn.lines(ofMessage: text))
      case .settled(let text, let line): .print([StyledText(text), line])
      default: effect
      }
    }
  }

  private mutating func tell(_ change: ActivityChange) -> [ChatEffect] {
    switch change {
    // The panel prints it.
    case .approvalRequested, .question:
      let lines = plain.flush()
      return lines.isEmpty ? [] : [.print(lines.map { StyledText($0) })]
    case .questionSettled(let id) where state.answers.isOwn(id): return []
    default:
      let lines = plain.lines(for: change)
      return lines.isEmpty ? [] : [.print(lines.map { StyledText($0) })]
    }
  }

  // MARK: - The open request

  /// Records that everything so far was printed.
  mutating func wasShown(at now: Duration) { panel?.wasShown(at: now) }

  /// Prints the open request or question if it is new; `isOwn` says whether the user's line closed
  /// the one before.
  private mutating func renewed(isOwn: Bool, at now: Duration) -> [ChatEffect] {
    let last = panel
    panel = RequestPanel.of(state.open, after: last, in: .lines)
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
    return [.print(more + panel.lines(width: width, left: left))]
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
  static let gone = "no longer pending: already decided or expired"

  private var until: Duration?
  /// Whether a choice was not yet refused.
  private var refusesChoice = false

  init() {}

  /// `isOwn` says whether the user's own line closed the request.
  init(since now: Duration, isOwn: Bool) {
    until = now + (isOwn ? EnterGuard.doublePress : TypingGate.rest)
    refusesChoice = true
  }

  /// Why a line is not sent; `nil` if it is.
  ///
  /// A line that looks like a choice is refused once.
  mutating func refusal(of line: String, at typed: Duration) -> String? {
    guard let until else { return nil }
    let isChoice =
      ShownQuestion.isNumbers(line) || CallChoice.allCases.contains { $0.label == line }
    guard typed < until || isChoice && refusesChoice else {
      self.until = nil
      return nil
    }
    if isChoice { refusesChoice = false }
    return "not sent: no request is open; type it again to send it to the agent"
  }
}

extension ChatLines: LineScreen {
  mutating func update(
    _ event: LineEvent<ChatNews>,
    at now: Duration,
    _ moment: Timestamp
  ) -> [LineEffect<ChatEffect>] {
    wallNow = moment
    return effects(of: event, at: now).map { effect in
      switch effect {
      case .say(let text): .say(text)
      case .print(let lines): .print(lines)
      case .leave: .leave
      default: .perform(effect)
      }
    }
  }

  private mutating func effects(of event: LineEvent<ChatNews>, at now: Duration) -> [ChatEffect] {
    switch event {
    case .line(let line): return type(line, at: now)
    case .interrupted(let hasDraft): return interrupt(hasDraft: hasDraft, at: now)
    case .inputEnded: return leave(at: now)
    case .tick: return woke(at: now)
    case .news(let news): return take(news, at: now)
    case .shown:
      wasShown(at: now)
      return []
    }
  }
}

extension LineProgram: ChatFace where Content == ChatLines {
  var state: ChatState { screen.state }
}
