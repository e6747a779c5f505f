// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

extension ChatScreen {
  private static let composerRows = 10
  private static let waitingRows = 5
  private static let menuRows = 8

  /// The block at the end of the terminal: the turn's card, the waiting messages, and the composer
  /// or panel.
  func view(at moment: Timestamp, frame: Int) -> ScreenView {
    let block = block(at: moment, frame: frame)
    let picture = Canvas(block.lines, width: size.columns)
    return ScreenView(
      picture,
      cursor: block.cursor,
      title: state.session.map { "oppi: \($0.goal ?? $0.id)" },
      status: ProgramStatus(state.activity)
    )
  }

  /// The lines of the view.
  func block(at moment: Timestamp, frame: Int) -> ScreenBlock {
    let serverNow = state.requestContext?.clockOffset.map { offset in
      let now = moment.milliseconds.addingReportingOverflow(offset.milliseconds).0
      return Timestamp(milliseconds: now)
    }
    let clock = (now: moment, serverNow: serverNow, frame: frame)
    if isPanelShown, let panel { return view(of: panel, clock) }
    var input = (reason ?? composer).layout(
      width: size.columns,
      prompt: prompt,
      maxRows: min(Self.composerRows, max(1, size.rows / 2))
    )
    var lines = waiting
    if let aside { lines.append(aside) }
    if let note { lines.append(StyledText(note, .dim)) }
    if reason == nil, let images = state.images.line {
      lines.append(StyledText(images, .accent).truncated(to: size.columns))
    }
    lines += menu?.rows(width: size.columns, limit: min(Self.menuRows, size.rows / 3)) ?? []
    // Where a terminal wraps rows to a smaller width, what is above the cursor may remain.
    input.lines += size.rows >= Self.leastRowsWithFooter ? footer : [hint]
    let room = max(0, size.rows - 1 - input.lines.count - lines.count)
    return input.below(live(rows: max(3, room), clock) + lines)
  }

  /// A moment on this machine's clock and on the server's.
  private typealias Clock = (now: Timestamp, serverNow: Timestamp?, frame: Int)

  private func view(of panel: RequestPanel, _ clock: Clock) -> ScreenBlock {
    let isCall = panel.request.kind == .permission
    let folder = isCall ? state.requestContext?.folder : nil
    var block = panel.view(serverNow: clock.serverNow, folder: folder)
    let draft = composer.text.safeLine(limit: 200)
    // That the request has changed must be seen before its keys count.
    let changed = note.flatMap { $0.hasSuffix(QuestionText.changed) ? $0 : nil }
    let closed = panel.closedNotice.map { words in
      StyledText(changed.map { "\($0); \(TypingGate.opening)" } ?? words, .warning)
    }
    let below = [
      closed ?? StyledText(note ?? "", .dim),
      StyledText(
        draft.isEmpty ? "Esc: back to the draft" : "Esc: back to: \(draft)",
        .dim
      ),
    ]
    let room = size.rows - 1 - block.lines.count - below.count
    block.lines += below
    return block.below(live(rows: room, clock))
  }

  /// Screens with fewer rows have no footer.
  private static let leastRowsWithFooter = 10

  /// The agent's to-do list while it works on it, what the chat runs on, and the keys: to the right
  /// if there is room, else above.
  private var footer: [StyledText] {
    let todo = state.todo?.line.truncated(to: size.columns)
    let facts = state.session.flatMap { session in
      ChatFooter(session: session, server: state.server, queue: state.activity.queue.count)
        .line(width: size.columns)
    }
    let lines = [todo, facts].compactMap(\.self)
    guard let facts else { return [hint] + lines }
    let space = size.columns - DisplayWidth.of(facts.plain) - DisplayWidth.of(hint.plain)
    guard space >= 2 else { return [hint] + lines }
    let row = facts.with(StyledText(String(repeating: " ", count: space))).with(hint)
    return [todo, row].compactMap(\.self)
  }

  /// The end of the unfinished answer, and the turn's card.
  private func live(rows: Int, _ clock: Clock) -> [StyledText] {
    scroll.live(above: card(rows: rows, clock), room: rows, height: size.rows)
  }

  private func card(rows: Int, _ clock: Clock) -> [StyledText] {
    let activity = state.activity.besideScroll
    guard rows >= 3, activity.status != .idle, !activity.isFinished, !isInPanel(activity) else {
      return []
    }
    return ActivityCard.lines(
      for: activity,
      width: size.columns,
      now: clock.now,
      serverNow: clock.serverNow,
      frame: clock.frame,
      limit: rows,
      // The panel shows them.
      hasQuestions: false
    )
  }

  /// Whether the panel shows all that the turn does now: the call that waits for approval.
  ///
  /// The panel of a question does not say that the agent waits.
  private func isInPanel(_ turn: Turn) -> Bool {
    isPanelShown && panel?.request.kind == .permission && turn.waitsFor == .approval
      && turn.toolCalls.count <= 1 && turn.children.isEmpty && turn.statuses.isEmpty
  }

  /// Messages that the agent does not have yet; unconfirmed ones count as unsent.
  private var waiting: [StyledText] {
    let outgoing = state.mail.outgoing.map { message in
      (message.isHeld ? "not sent yet: " : "sending: ", message.line(limit: 400))
    }
    let queued = state.activity.queue.map { message in
      (message.kind == .steer ? "steering next: " : "queued: ", message.text.safeLine(limit: 400))
    }
    let all = queued + outgoing
    let lines = all.prefix(Self.waitingRows).map { label, text in
      StyledText(label, .warning).with(StyledText(text))
    }
    let hidden = all.count - lines.count
    return lines + (hidden > 0 ? [StyledText("and \(hidden) more", .dim)] : [])
  }

  /// The request or question that is pending while the composer is shown.
  private var aside: StyledText? {
    guard let request = panel?.request else { return nil }
    let mark = StatusMark(request.needs)
    let subject =
      request.permission.map { RevealedText($0.tool.head(bytes: 40)).line }
      ?? request.line.safeLine(limit: 200)
    return StyledText("\(mark.line.plain) (Esc: show the request): \(subject)", mark.style)
  }

  private var prompt: StyledText {
    if reason != nil { return StyledText("reason › ", .name) }
    guard let search = composer.search else { return StyledText("› ", .name) }
    let state = search.match == nil && !search.pattern.isEmpty ? "not found" : "search"
    return StyledText("\(state) '\(search.pattern)' › ", .warning)
  }

  private var hint: StyledText {
    if reason != nil {
      return StyledText("Enter: deny with this reason, Esc: back", .dim)
    }
    if isEnterStopped {
      let words =
        isEnterGuarded
        ? "no longer pending; pause for 1 s before pressing Enter" : "not sent; Enter sends it now"
      return StyledText(words, .warning)
    }
    if state.offersStop { return StyledText("Esc again: stop the agent", .warning) }
    if composer.search != nil {
      return StyledText("Ctrl-R: next match, Enter: accept, Esc: cancel", .dim)
    }
    if let menu {
      let keys = menu.chosen == nil ? "Tab: complete, ↑ ↓: choose" : "Enter or Tab: complete"
      return StyledText("\(keys), Esc: close", .dim)
    }
    if composer.hasFoldedPaste {
      return StyledText("Enter: send, Ctrl-O: show the pasted text, Ctrl-G: editor", .dim)
    }
    if state.isAway {
      return StyledText(
        "not connected; messages are sent after reconnecting\(exitHint(after: "; "))",
        .warning
      )
    }
    guard state.isWorking else {
      return StyledText("Enter: send, Alt-Enter: new line, /help\(exitHint(after: ", "))", .dim)
    }
    let mode = state.whenBusy == .queue ? "Enter: queue, Tab: steer" : "Enter: steer, Tab: queue"
    let stop = isEmbedded ? "/stop" : "Ctrl-C: stop"
    return StyledText("\(mode), \(stop)\(exitHint(after: ", "))", .dim)
  }

  private func exitHint(after separator: String) -> String {
    isEmbedded ? "" : "\(separator)Ctrl-D: exit"
  }
}

/// Handles news on a full-screen terminal.
extension ChatScreen {
  mutating func take(_ news: ChatNews, at now: Duration) -> Effects {
    let effects = state.take(news, at: now)
    if note == ChatState.heldNote, !state.isHolding { note = nil }
    switch news {
    // The end of a turn comes before the start of the next one.
    case .step(let step, _, _):
      let calls = isFocused ? [] : step.calls.map(ScreenEffect<ChatEffect>.call)
      let shown = step.changes.flatMap { report($0) } + settle(step.notices + effects)
      return shown + (step.hasResult ? renewMenu() : []) + calls
    case .page(let page):
      let rows = page.rows(width: size.columns, look: scroll.look)
      let printed = ScreenEffect<ChatEffect>.print(scroll.rows(ofNote: rows))
      // The turns end with an empty row.
      if case .turns = page { scroll.separated() }
      return settle(effects) + [printed]
    case .files, .sessions: return settle(effects) + renewMenu()
    default: return settle(effects)
    }
  }

  /// Prints finished parts of the turn permanently above the block.
  private mutating func report(_ change: ActivityChange) -> Effects {
    var rows = scroll.rows(for: change, in: state.activity)
    if case .turnFinished(let outcome, _) = change {
      note = nil
      rows += words(of: outcome)?.folded(to: size.columns) ?? []
    }
    return (rows.isEmpty ? [] : [.print(rows)]) + settle(notices(of: change))
  }

  private func notices(of change: ActivityChange) -> [ChatEffect] {
    switch change {
    case .questionSettled(let id) where !state.answers.isOwn(id):
      return [.say(QuestionText.settled)]
    case .notice(let text): return [.say(text.safeLine())]
    case .queueDropped(let messages):
      let lines = messages.map { "removed from the queue by the stop: \($0.text.safeLine())" }
      return [.print(lines.map { StyledText($0, .warning) })]
    case .queueLost(let messages):
      return [.print(ChatState.lines(ofLost: messages.map(\.text)))]
    case .sessionEnded:
      return [.print([StyledText("the session has ended; a new message restarts it", .dim)])]
    default: return []
    }
  }

  /// What the end of a turn means, if no reason is shown.
  private func words(of outcome: TurnOutcome) -> StyledText? {
    outcome.reason == nil ? outcome.failure.map { StyledText($0.sentence, .warning) } : nil
  }

  /// Performs the effects of the screen itself, and returns the others.
  mutating func settle(_ effects: [ChatEffect]) -> Effects {
    var left: Effects = []
    for effect in effects {
      switch effect {
      case .say(let text): note = text
      case .print(let lines):
        let rows = lines.flatMap { $0.folded(to: size.columns) }
        left.append(.print(scroll.rows(ofNote: rows)))
      case .printMessage(let text, let imageCount):
        let rows = scroll.rows(ofMessage: text, imageCount: imageCount, at: state.moment())
        left.append(.print(rows))
      case .help:
        let rows = help.flatMap { $0.folded(to: size.columns) }
        left.append(.print(scroll.rows(ofNote: rows)))
      case .choose(let command): begin(command)
      case .giveBack(let text) where composer.isEmpty && !isEditing: composer.replace(text)
      case .giveBack(let text): left.append(.print(ChatState.lines(ofMessage: text)))
      case .insert(let text): _ = composer.apply(.paste(text))
      case .leave: left.append(.leave)
      default: left.append(.perform(effect))
      }
    }
    return left
  }
}
