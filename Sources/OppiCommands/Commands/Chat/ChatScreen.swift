// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// The chat on a screen: what is shown, and what a key or the session's news changes; no input or
/// output.
struct ChatScreen: Screen {
  private(set) var state: ChatState
  private(set) var composer = Composer()
  /// What takes the composer's place.
  private(set) var panel: ChatPanel?
  /// What is written to the agent about a denial.
  private(set) var reason: Composer?
  /// The person has gone back to the message, and the panel's request or question is still open.
  private(set) var isPanelAside = false
  private(set) var note: String?
  private(set) var size = ScreenSize(columns: 80, rows: 24)

  init(_ state: ChatState, history: [String] = []) {
    self.state = state
    composer = Composer(history: history)
  }

  mutating func update(
    _ event: ScreenEvent<ChatNews>,
    at now: Duration
  ) -> [ScreenEffect<ChatEffect>] {
    var effects: [ScreenEffect<ChatEffect>] = []
    switch event {
    case .key(let key): effects = press(key, at: now)
    case .resized(let size): self.size = size
    case .shown: if isPanelShown { panel?.wasShown() }
    case .tick:
      panel?.wait(at: now)
      effects = settle(state.woke(at: now))
    case .edited(let text, let failure):
      if let text { composer.replace(text) }
      if let failure { note = "the editor failed: \(failure.safeLine())" }
    case .news(let news): effects = take(news, at: now)
    }
    // The next request is a new one, however quickly it follows.
    fit(at: now)
    return effects
  }

  /// Whether the panel is what is seen in the composer's place.
  var isPanelShown: Bool { panel != nil && !isPanelAside && reason == nil }

  /// Brings the panel in line with what is open, and fits it into the screen.
  private mutating func fit(at now: Duration) {
    let open = ChatPanel.of(state, after: panel, at: now)
    if open?.isSame(as: panel) != true { (reason, isPanelAside) = (nil, false) }
    panel = open
    if isPanelShown { panel?.fit(columns: size.columns, rows: size.rows - Self.rowsBesidePanel) }
  }

  /// The row that no block takes, the note, and the row about the message.
  private static let rowsBesidePanel = 3

  // MARK: - Keys

  private mutating func press(_ key: Key, at now: Duration) -> [ScreenEffect<ChatEffect>] {
    if key == .control("c") { return interrupt(at: now) }
    if key == .escape, composer.search == nil { return escape(at: now) }
    if reason != nil { return writeReason(key, at: now) }
    if isPanelShown, !key.isForTheProgram { return decide(by: key, at: now) }
    return compose(key, at: now)
  }

  private mutating func compose(_ key: Key, at now: Duration) -> [ScreenEffect<ChatEffect>] {
    composer.apply(key).map { perform($0, at: now) } ?? []
  }

  private mutating func perform(
    _ action: ComposerAction,
    at now: Duration
  ) -> [ScreenEffect<ChatEffect>] {
    switch action {
    case .send(let text):
      note = nil
      return settle(state.send(text, at: now))
    case .openEditor: return [.edit(composer.text)]
    case .interrupt: return settle(state.interrupt(at: now))
    case .endOfInput: return settle(state.leave(at: now))
    case .suspend: return [.suspend]
    case .redraw: return [.redraw]
    case .key(.tab):
      state.toggleWhenBusy()
      return []
    case .key: return []
    }
  }

  /// Ctrl-C clears what is being written, then stops the turn, and leaves when pressed again.
  private mutating func interrupt(at now: Duration) -> [ScreenEffect<ChatEffect>] {
    if composer.search != nil { return compose(.control("c"), at: now) }
    if let reason {
      self.reason = reason.isEmpty ? nil : Composer()
      return []
    }
    if !isPanelShown, !composer.isEmpty {
      composer.clear()
      note = "cleared; Up brings it back"
      return []
    }
    return settle(state.interrupt(at: now))
  }

  private mutating func escape(at now: Duration) -> [ScreenEffect<ChatEffect>] {
    if reason != nil {
      reason = nil
    } else if let panel {
      isPanelAside.toggle()
      if !isPanelAside { self.panel = panel.shownAgain(at: now) }
    }
    return []
  }

  private mutating func decide(by key: Key, at now: Duration) -> [ScreenEffect<ChatEffect>] {
    switch panel {
    case .approval(var approval)?:
      let outcome = approval.take(key, at: now)
      panel = .approval(approval)
      guard let choice = heed(outcome, key) else { break }
      if choice == .denyWithReason {
        reason = Composer()
        return []
      }
      return settle(decide(approval.request, choice.decision))
    case .question(var question)?:
      let outcome = question.take(key, at: now)
      panel = .question(question)
      guard let answer = heed(outcome, key) else { break }
      return settle(state.answer(question.question, answer))
    case nil: break
    }
    return []
  }

  /// Takes what a key has come to in a panel, and returns what it has confirmed.
  private mutating func heed<Decision>(_ outcome: PanelOutcome<Decision>, _ key: Key) -> Decision? {
    note = nil
    switch outcome {
    case .taken: break
    case .confirmed(let decision): return decision
    case .unconfirmed(let why): note = why
    case .typed(let before):
      if !before.isEmpty { _ = composer.apply(.text(before)) }
      // A message is sent once the person has gone back to it.
      if key != .enter { _ = composer.apply(key) }
    }
    return nil
  }

  private mutating func writeReason(_ key: Key, at now: Duration) -> [ScreenEffect<ChatEffect>] {
    switch reason?.apply(key) {
    case .send(let text)?:
      reason = nil
      guard case .approval(let approval)? = panel else { return [] }
      let denial = decide(approval.request, .deny)
      return settle(denial + state.send(text, whenBusy: .steer, at: now))
    case .openEditor?, nil: return []
    case let action?: return perform(action, at: now)
    }
  }

  private mutating func decide(
    _ request: PermissionRequest,
    _ decision: PermissionDecision
  ) -> [ChatEffect] {
    panel = nil
    return [.say("sent; waiting for the server's word")] + state.decide(request, decision)
  }

  // MARK: - News

  private mutating func take(_ news: ChatNews, at now: Duration) -> [ScreenEffect<ChatEffect>] {
    let effects = state.take(news, at: now)
    switch news {
    case .step(let step, _, _): return settle(effects + tell(step))
    case .page(let page): return settle(effects + [.print(page.rows(width: size.columns))])
    default: return settle(effects)
    }
  }

  private mutating func tell(_ step: TurnFollower.Step) -> [ChatEffect] {
    switch step {
    case .changes(let changes, _), .past(let changes): changes.flatMap { tell($0) }
    case .lost(let error, _), .givenUp(let error):
      [.say("connection lost: \(OppiError(error).message)")]
    case .standing(let standing): standing.isFirst ? [] : [.say("connected again")]
    case .timeCame: []
    }
  }

  /// Puts what is finished above the block, for good.
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
    case .notice(let text): return [.say(text.safeLine())]
    case .queueDropped(let messages):
      let lines = messages.map { "dropped by the stop: \($0.text.safeLine())" }
      return [.print(lines.map { StyledText($0, .warning) })]
    case .turnFinished(let outcome, _):
      note = nil
      guard let (code, sentence) = outcome.failure else { return [] }
      return [.print([StyledText(sentence, code == .turnFailed ? .error : .warning)])]
    case .sessionEnded:
      return [.print([StyledText("the session has ended; a message starts it anew", .dim)])]
    default: return []
    }
  }

  /// An answer; one of more text than is laid out in a moment as it is written.
  private func rows(of text: String) -> [StyledText] {
    guard text.utf8.count > ChatReading.sizeLimit else {
      return Markdown.rows(of: text, width: size.columns)
    }
    return text.safeBlock().split(separator: "\n", omittingEmptySubsequences: false)
      .map { StyledText(String($0)) }
  }

  /// Does what is the screen's to do, and returns what is left.
  private mutating func settle(_ effects: [ChatEffect]) -> [ScreenEffect<ChatEffect>] {
    var left: [ScreenEffect<ChatEffect>] = []
    for effect in effects {
      switch effect {
      case .say(let text): note = text
      case .print(let lines): left.append(.print(lines))
      case .giveBack(let text) where composer.isEmpty: composer.replace(text)
      case .giveBack(let text): left.append(.print(ChatState.lines(ofMessage: text)))
      case .leave: left.append(.leave)
      default: left.append(.perform(effect))
      }
    }
    return left
  }
}

extension Key {
  /// Whether it is about the program, and not about what is shown: Ctrl with a letter.
  fileprivate var isForTheProgram: Bool {
    if case .control(let letter) = self { "dlz".contains(letter) } else { false }
  }
}
