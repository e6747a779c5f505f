// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiTurns

/// The chat on a full-screen terminal: its state, and the changes by keys and news; performs no
/// input or output.
struct ChatScreen: Screen {
  typealias Effects = [ScreenEffect<ChatEffect>]

  var state: ChatState
  var composer = Composer()
  /// Replaces the composer while it is shown.
  private(set) var panel: RequestPanel?
  /// Whether the user returned to the draft while the panel's request or question is pending.
  private(set) var isPanelAside = false
  var note: String?
  /// The candidates that can complete the draft.
  var menu: CompletionMenu?
  /// Whether the last key was typed into the draft, so that candidates are offered.
  var isTyped = false
  /// Whether the draft is in the external editor, whose result replaces it.
  private(set) var isEditing = false
  /// When the current key was read.
  private var pressedAt = Duration.zero
  private var enterGuard: EnterGuard?
  /// Whether the last key was an Enter that sent nothing.
  private(set) var isEnterStopped = false
  var isEnterGuarded: Bool { enterGuard != nil }
  private(set) var size = ScreenSize(columns: 80, rows: 24)
  /// Whether the window has the focus, as far as the terminal reports it.
  private(set) var isFocused = true
  /// The conversation in the scrollback.
  var scroll: TurnScroll
  /// Whether it is a part of another screen, which has its own keys for leaving.
  let isEmbedded: Bool

  /// `look` is what the terminal can show instead of the marks of Markdown.
  init(
    _ state: ChatState,
    history: [String] = [],
    look: MarkdownLook = .styled,
    isEmbedded: Bool = false
  ) {
    (self.state, self.isEmbedded) = (state, isEmbedded)
    scroll = TurnScroll(width: size.columns, look: look)
    composer = Composer(history: history, foldsPastes: true)
  }

  mutating func update(_ event: ScreenEvent<ChatNews>, at now: Duration) -> Effects {
    var effects: Effects = []
    switch event {
    case .key(let key, let pressed):
      pressedAt = pressed
      effects = press(key, at: now)
    case .mouse: break
    case .resized(let size):
      self.size = size
      scroll.width = size.columns
    case .shown: if isPanelShown { panel?.wasShown(at: now) }
    case .continued: panel = panel?.shownAgain
    case .tick:
      panel?.wait(at: now)
      if enterGuard?.isOver(at: now) == true { enterGuard = nil }
      effects = settle(state.woke(at: now))
    case .edited(let text, let failure):
      isEditing = false
      closeMenu()
      // Typing in the editor left no trace here, so the panel needs a new pause.
      panel = panel?.shownAgain
      if let text { composer.replace(text) }
      if let failure { note = failure.safeLine() }
    case .news(let news): effects = take(news, at: now)
    }
    // Resets the panel before the next key, even if a new request follows at once.
    fit(at: now)
    return effects
  }

  /// The reason for a denial, while it is typed in place of the panel.
  var reason: Composer? { panel?.reason?.composer }

  /// Whether the panel replaces the composer.
  var isPanelShown: Bool { panel != nil && !isPanelAside && reason == nil }

  /// Updates the panel to the open request or question, and to the size of the screen.
  private mutating func fit(at now: Duration) {
    let open = RequestPanel.of(state.open, after: panel, in: .screen)
    if open?.subject != panel?.subject {
      // The next part follows the user's answer to the previous one.
      if let panel, open?.subject.isNextPart(of: panel.subject) != true {
        isRemoved(panel, at: now)
        if open?.request.isChange(of: panel.request) == true { note = QuestionText.changed }
      }
      isPanelAside = false
    }
    panel = open
    if panel?.reason != nil || isPanelShown { closeMenu() }
    if isPanelShown { panel?.fit(columns: size.columns, rows: size.rows - Self.rowsBesidePanel) }
  }

  /// Keeps the text of a panel that disappears without a key; an Enter meant for it does not send
  /// the draft.
  private mutating func isRemoved(_ panel: RequestPanel, at now: Duration) {
    if composer.keep(panel.unsentText) { note = "no longer pending; Up restores your text" }
    if !isPanelAside { enterGuard = EnterGuard(until: now + TypingGate.rest, isMoved: true) }
  }

  /// The free row, the notice and the row about the draft.
  static let rowsBesidePanel = 3

  // MARK: - Keys

  private mutating func press(_ key: Key, at now: Duration) -> Effects {
    // The focus is no typing: a request keeps its keys.
    if case .focus(let isFocused) = key {
      self.isFocused = isFocused
      return []
    }
    if key == .escape, composer.search == nil { return escape(at: now) }
    state.withdrawStopOffer()
    if key == .control("c") { return interrupt(at: now) }
    if reason != nil || isPanelShown && !key.isForTheProgram { return reply(by: key, at: now) }
    return compose(key, at: now)
  }

  private mutating func compose(_ key: Key, at now: Duration) -> Effects {
    isEnterStopped = enterGuard?.stops(key, at: pressedAt) == true
    if isEnterStopped || complete(by: key) { return [] }
    if let effects = attach(by: key) { return effects }
    guard let action = composer.apply(key) else { return offerCandidates(after: key) }
    closeMenu()
    return perform(action, at: now)
  }

  /// Attaches the image file whose path was pasted; `nil` for any other key.
  private mutating func attach(by key: Key) -> Effects? {
    guard case .paste(let text) = key, composer.search == nil, state.images.pending == nil,
      let path = DroppedFile.imagePath(in: text),
      // There it is an argument.
      !composer.text.hasPrefix("/")
    else { return nil }
    closeMenu()
    return settle(state.attach(path, paste: text))
  }

  private mutating func perform(_ action: ComposerAction, at now: Duration) -> Effects {
    switch action {
    case .send(let text):
      note = nil
      return settle(state.send(text, at: now))
    case .openEditor:
      isEditing = true
      return [.edit(composer.text)]
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

  /// Ctrl-C clears the typed text, else stops the turn; a second press leaves.
  private mutating func interrupt(at now: Duration) -> Effects {
    closeMenu()
    if composer.search != nil { return compose(.control("c"), at: now) }
    if let reason {
      if composer.keep(reason.text) { panel?.clearText() } else { panel?.closeReason() }
      return []
    }
    if isPanelShown, let text = panel?.unsentText, composer.keep(text) {
      panel?.clearText()
      note = "answer cleared; Up in the draft restores it"
      return []
    }
    if !isPanelShown, !composer.isEmpty {
      composer.clear()
      note = "draft cleared; Up restores it"
      return []
    }
    return settle(state.interrupt(at: now))
  }

  /// Esc closes what is open; if nothing is, a second one stops the turn.
  private mutating func escape(at now: Duration) -> Effects {
    guard menu != nil || panel != nil || isEmbedded else { return settle(state.escape(at: now)) }
    state.withdrawStopOffer()
    if menu != nil {
      closeMenu()
    } else if let reason {
      if composer.keep(reason.text) { note = "Up restores your text" }
      panel?.closeReason()
    } else if let panel {
      isPanelAside.toggle()
      if !isPanelAside { self.panel = panel.shownAgain }
    }
    return []
  }

  private mutating func reply(by key: Key, at now: Duration) -> Effects {
    guard let subject = panel?.subject else { return [] }
    if reason == nil { note = nil }
    switch panel?.take(key, at: pressedAt) {
    case .replied(let reply, let reason)?:
      let effects = state.reply(reply, to: subject, because: reason)
      if !effects.isEmpty { hasReplied() }
      return settle(effects)
    case .refused(let why)?:
      note = reason == nil ? why : "\(why); Esc: move it to your draft"
    case .typed(let before)?:
      if !before.isEmpty { _ = composer.apply(.text(before)) }
      // Only editing keys go to the hidden draft; sending, searching and cutting need it visible.
      switch key {
      case .text, .paste, .newline, .backspace: _ = composer.apply(key)
      default: break
      }
    case .action(.openEditor)?: break
    case .action(let action)?: return perform(action, at: now)
    case .taken?, .asksReason?, .repeated?, nil: break
    }
    return []
  }

  /// Removes the panel; a double Enter does not send the draft that replaces it.
  private mutating func hasReplied() {
    panel = nil
    enterGuard = EnterGuard(until: pressedAt + EnterGuard.doublePress, isMoved: false)
  }
}

extension Key {
  /// Whether it is a program key, Ctrl with a letter, rather than a key for the panel.
  fileprivate var isForTheProgram: Bool {
    if case .control(let letter) = self { "dlz".contains(letter) } else { false }
  }
}
