// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The latest or the chosen session, with the screen of 'oppi chat' inside the console.
struct ChatTab: ConsoleTab {
  /// The most printed rows that are kept for scrolling.
  private static let rowLimit = 5000

  private let newID: @Sendable () -> String
  /// The time of day; `nil` if it is unknown.
  private let moment: @Sendable () -> Timestamp?
  private(set) var session: ListedSession.ID?
  /// The texts that were not sent when the chat changed to another session, by session.
  private var drafts = UnsentTexts()
  /// `nil` until the chat is open.
  private var screen: ChatScreen?
  /// The session that is to be opened; `nil` if there is none.
  private var awaited: ListedSession.ID?
  /// The draft until it is open, and its session.
  private var early: (text: Composer, session: ListedSession.ID)?
  /// What the chat has printed; it has no scrollback of its own here.
  private var printed: [StyledText] = []
  /// How many printed rows are hidden below.
  private var below = 0
  /// Whether keys go to the chat: where it shows a text cursor, letters are text.
  private var isFocused = false
  /// When the chat with this session was first on the screen with the keys; Enter sends nothing
  /// within a second after that.
  private var focusShownAt: Duration?
  private var failure: String?
  private var size = ScreenSize(columns: 80, rows: 20)
  /// The latest time of an event.
  private var now = Duration.zero

  /// `newID` returns unique ids, and `moment` the time of day, if it is known.
  init(
    newID: @escaping @Sendable () -> String,
    moment: @escaping @Sendable () -> Timestamp? = { nil }
  ) {
    (self.newID, self.moment) = (newID, moment)
  }

  var title: String { "Chat" }

  var canFilter: Bool { false }

  /// `nil` until the chat is open.
  var chat: ChatState? { screen?.state }

  /// The drafts of other sessions, and the one that is being typed.
  var unsentCount: Int {
    let isTyped = !(screen?.composer ?? early?.text ?? Composer()).isEmpty
    return drafts.count + (isTyped ? 1 : 0)
  }

  // MARK: - Opening

  /// Opens the latest session, unless one is open.
  func opening(in model: ConsoleModel) -> [ConsoleEffect] {
    guard screen == nil, !model.isReadOnly, let id = session ?? Self.latest(in: model) else {
      return []
    }
    return [.chat(.open(id))]
  }

  private static func latest(in model: ConsoleModel) -> ListedSession.ID? {
    let sessions = model.board.sessions()
    return sessions.max { $0.status.lastActivity < $1.status.lastActivity }?.id
  }

  // MARK: - Keys

  private static let scrolling = [
    KeyRow([.up, .text("k")], "↑ k", help: "Scroll up", .up),
    KeyRow([.down, .text("j")], "↓ j", help: "Scroll down", .down),
    KeyRow([.pageUp], "PageUp", "scroll", help: "Scroll up", .pageUp),
    KeyRow([.pageDown], "PageDown", help: "Scroll down", .pageDown),
  ]

  func keys(in model: ConsoleModel) -> [KeyRow] {
    let help = "Write to the agent, and answer its requests; Esc returns to these keys"
    let isOpen = screen != nil
    return [KeyRow([.enter, .text("i")], "Enter i", "write", help: help, .write, when: isOpen)]
      + Self.scrolling.when(!printed.isEmpty)
  }

  var ownHints: [KeyHint]? {
    guard isFocused, screen != nil || awaited != nil else { return nil }
    let first = failure == nil ? KeyHint("PageUp", "scroll") : KeyHint("Enter", "try again")
    let leave = screen?.usesEscape == true ? "Ctrl-O" : "Ctrl-O or Esc"
    return [first, KeyHint(leave, "other tabs")]
  }

  mutating func perform(_ action: ConsoleAction, in model: inout ConsoleModel) -> [ConsoleEffect] {
    switch action {
    case .write:
      isFocused = true
      isShownAgain()
    case .up: scroll(by: 1, in: model)
    case .down: scroll(by: -1, in: model)
    case .pageUp: scroll(by: size.rows / 2, in: model)
    case .pageDown: scroll(by: -(size.rows / 2), in: model)
    default: break
    }
    return []
  }

  /// Scrolls until the first row is at the top.
  private mutating func scroll(by rows: Int, in model: ConsoleModel) {
    let used = screen?.block(at: model.now, frame: 0).lines.count ?? 0
    let room = max(0, size.rows - used)
    below = min(max(0, below + rows), max(0, printed.count - room))
  }

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> [ConsoleEffect] {
    let pressed = model.moment
    if screen == nil { return type(key, in: &model) }
    let isPanelShown = screen?.isPanelShown ?? false
    switch key {
    // The chat uses Esc for a pending request, a reason or a search.
    case .escape where screen?.usesEscape == false,
      .control("o") where screen?.composer.hasFoldedPaste == false,
      // Leaves the console elsewhere, so it does not stop the turn here: '/stop' does.
      .control("c") where screen?.usesInterrupt == false:
      isFocused = false
      return []
    case .enter where !isPanelShown && !focusShownAt.isSeen(at: pressed):
      model.note = ReplyField.tooEarlyNotice
      return []
    case .pageUp where !isPanelShown: scroll(by: size.rows / 2, in: model)
    case .pageDown where !isPanelShown: scroll(by: -(size.rows / 2), in: model)
    default: return update(.key(key, at: pressed), at: pressed)
    }
    return []
  }

  /// Types into the draft of a chat that is not open yet.
  private mutating func type(_ key: Key, in model: inout ConsoleModel) -> [ConsoleEffect] {
    guard let awaited else { return [] }
    switch key {
    case .escape, .control("o"), .control("c"): isFocused = false
    case .enter where failure != nil: return [.chat(.open(awaited))]
    case .enter: model.note = "the chat is not open yet; press Enter again when it is"
    default:
      var draft = early ?? (Composer(), awaited)
      _ = draft.text.apply(key)
      early = draft
    }
    return []
  }

  // MARK: - The chat

  /// Passes an event to the chat; what it prints goes to the tab's own rows.
  private mutating func update(
    _ event: ScreenEvent<ChatNews>,
    at now: Duration
  ) -> [ConsoleEffect] {
    self.now = max(self.now, now)
    var effects: [ConsoleEffect] = []
    for effect in screen?.update(event, at: now) ?? [] {
      switch effect {
      case .perform(.open(let opening)): effects += open(opening)
      case .perform(let effect):
        if let session {
          effects.append(.chat(.perform(effect, session, over: screen?.state.stream)))
        }
      case .print(let lines):
        printed = (printed + lines).suffix(Self.rowLimit)
        if below > 0 { below += lines.count }
      case .edit(let text): effects.append(.edit(text))
      // Leaving the chat leaves neither the console nor the agent.
      case .leave:
        isFocused = false
        screen?.state.exit.cancel()
      case .suspend, .redraw, .copy, .call, .mouse: break
      }
    }
    return effects
  }

  /// Opens another session by the actions of the console, which also keep what is typed here.
  private mutating func open(_ opening: ChatOpening) -> [ConsoleEffect] {
    guard let session, let state = screen?.state else { return [] }
    screen?.state.isOpening = false
    screen?.note = nil
    switch opening {
    case .new: return [.newPrompt]
    case .session(let name):
      guard state.lists.sessions.contains(where: { $0.id == name }) else {
        screen?.note = "no session '\(name.safeLine(limit: 60))' is listed"
        return []
      }
      return [.showChat(ListedSession.ID(serverID: session.serverID, sessionID: name))]
    }
  }

  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> [ConsoleEffect] {
    let now = model.moment
    if case .edited(let text, let failure) = news {
      focusShownAt = nil
      return update(.edited(text, failure: failure), at: now)
    }
    switch news.own(ChatTabNews.self) {
    case .wanted(let id)?: return want(id, &model)
    case .opened(let id, let requests, let history, let models)?
    where session == nil || id == session:
      var state = ChatState(sessionID: id.sessionID, requests: requests, newID: newID)
      (state.models, state.moment, state.canOpen) = (models, moment, true)
      // The name of the session was not shown before.
      (session, printed, below, failure, focusShownAt) = (id, [], 0, nil, nil)
      screen = ChatScreen(state, history: history, look: model.look, isEmbedded: true)
      keepEarlyText()
      if let draft = drafts.take(id) { screen?.composer.replace(draft) }
      return update(.resized(size), at: now)
    case .failed(let id, let message)? where session == nil || id == session:
      let chat = session ?? id
      close(&model)
      (session, failure) = (chat, message)
    case .changed(let id, let news)? where id == session:
      return update(.news(news), at: now)
    default: break
    }
    return []
  }

  /// Changes to a session; the chat before it disappears at once, so that it takes no more keys.
  private mutating func want(
    _ id: ListedSession.ID,
    _ model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    isFocused = true
    guard id != session || screen == nil else { return [] }
    guard chat?.isUnsettled != true else {
      model.note = "the chat waits for a confirmation; open the other session afterwards"
      return []
    }
    close(&model)
    keepEarlyText()
    (session, failure) = (id, nil)
    return [.chat(.open(id))]
  }

  /// Closes the chat: it takes no more keys, and what was not sent is kept for when it is opened
  /// again.
  private mutating func close(_ model: inout ConsoleModel) {
    if let session, let screen {
      model.note = model.leave(screen.state) ?? model.note
      for text in screen.state.mail.unsent { drafts.keep(text, for: session) }
      // The user may be typing.
      early = (screen.composer, session)
    }
    (screen, printed, below) = (nil, [], 0)
  }

  /// Keeps what was typed before the chat was open with the drafts of its session.
  private mutating func keepEarlyText() {
    if let early { drafts.keep(early.text.text, for: early.session) }
    early = nil
  }

  mutating func wait(in model: inout ConsoleModel) -> [ConsoleEffect] {
    update(.tick, at: model.moment)
  }

  mutating func wasShown(at now: Duration) {
    if takesAllKeys { focusShownAt = focusShownAt ?? now }
    _ = update(.shown, at: now)
  }

  mutating func wasChosen(in model: ConsoleModel) { isFocused = true }

  mutating func isShownAgain() {
    focusShownAt = nil
    _ = update(.continued, at: now)
  }

  mutating func fit(_ layout: ConsoleLayout, _ model: ConsoleModel) {
    let canOpen = screen == nil && !model.isReadOnly
    awaited = canOpen ? session ?? Self.latest(in: model) : nil
    // One row is for the name of the session.
    let present = ScreenSize(columns: layout.body.columns, rows: layout.body.rows - 1)
    guard present != size else { return }
    size = present
    _ = update(.resized(present), at: now)
  }

  // MARK: - View

  func draw(on canvas: inout Canvas, _ layout: ConsoleLayout, _ model: ConsoleModel) -> Cursor? {
    canvas.draw(block(layout.body.size, model), in: layout.body)
  }

  private func block(_ area: ScreenSize, _ model: ConsoleModel) -> ScreenBlock {
    guard let screen, let session else {
      let text = failure.map { StyledText($0, .error) } ?? StyledText(empty(model), .dim)
      let lines = text.folded(to: area.columns)
      guard takesAllKeys else { return ScreenBlock(lines: lines, cursor: .focus()) }
      let composer = early?.text ?? Composer()
      // At the bottom, as in the open chat.
      let space = Array(repeating: StyledText(), count: max(0, area.rows - lines.count))
      return composer.field("› ", below: lines + space, area, maxRows: size.rows)
    }
    var block = screen.block(at: model.now, frame: 0)
    // The last rows have the cursor.
    let surplus = max(0, block.lines.count - size.rows)
    block.lines.removeFirst(surplus)
    block.cursor?.row -= surplus
    let room = max(0, size.rows - block.lines.count)
    let end = max(0, printed.count - below)
    let shown = Array(printed[max(0, end - room)..<end])
    let listed = model.board.session(session)
    var head = StyledText(listed?.status.goal ?? session.sessionID, .name)
    head.append("  \(listed?.place ?? "")", .dim)
    if below > 0 { head.append("  \(below.counted("row")) below", .dim) }
    // What is typed stands at the bottom, however short the conversation is.
    let space = Array(repeating: StyledText(), count: room - shown.count)
    block = block.below([head] + space + shown)
    if !isFocused { block.cursor = .focus() }
    return block
  }

  private func empty(_ model: ConsoleModel) -> String {
    if model.isReadOnly { return "The chat is off with --read-only." }
    return model.emptiness ?? ConsoleEmpty.chat
  }
}

extension ChatScreen {
  /// Whether Esc means something in the chat itself.
  fileprivate var usesEscape: Bool {
    menu != nil || composer.search != nil || reason != nil || panel != nil
  }

  /// Whether Ctrl-C closes a search or a reason, or clears the draft.
  fileprivate var usesInterrupt: Bool {
    composer.search != nil || reason != nil || (!isPanelShown && !composer.isEmpty)
  }
}
