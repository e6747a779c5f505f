// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The console as numbered lists in lines, for screen readers and for terminals without cursor
/// control; performs no input or output.
///
/// It has the same model and effects as the tabs. A number stays with its item until the list is
/// printed again; a choice of an item that has changed is refused.
struct ConsoleMenu: LineScreen, ConsoleForm {
  typealias Action = ScreenEffect<ConsoleEffect>

  /// How long the parts of a section may arrive before it is printed.
  private static let readingPause = Duration.milliseconds(400)
  private static let noteLimit = 300

  var model: ConsoleModel
  /// The open pages above the main menu, the current one last.
  var pages: [MenuPage] = []
  /// When the current page was first printed.
  private var shownAt: Duration?
  /// The entries that have a number, and how many of them were printed.
  var numbered: (entries: [MenuEntry], printed: Int) = ([], 0)
  private(set) var now = NowSource()
  private(set) var schedules = SchedulesSource()
  private(set) var costs = CostsSource()
  private(set) var settings = SettingsSource()
  /// The section that is printed as soon as it was read, and when news of it arrived.
  var awaited: (section: MenuSection, readAt: Duration?)?
  /// The sessions whose turns are read to be printed, once for each read.
  var readings: [ListedSession.ID] = []
  /// The session whose prompt is read to be sent again.
  var retried: ListedSession.ID?
  /// Whether the last line asked to leave, and was answered by a question.
  var isAskedToLeave = false
  /// A word of the menu that was typed as the text of an answer; it counts if it is repeated.
  var word: String?
  private var news = NewsLines()
  /// Whether the first menu was printed.
  private var isStarted = false
  var panelCount = 0
  private var exit = PendingExit()
  /// In columns.
  let width: Int
  let newID: @Sendable () -> String

  /// `now` is the time of day at the start, which is 0 on the menu's clock; `width` is in columns;
  /// `newID` returns unique ids.
  init(
    isReadOnly: Bool,
    now: Timestamp,
    width: Int,
    newID: @escaping @Sendable () -> String
  ) {
    model = ConsoleModel(isReadOnly: isReadOnly, now: now)
    (self.width, self.newID) = (width, newID)
  }

  /// `nil` for the main menu.
  var page: MenuPage? {
    get { pages.last }
    set { if let newValue, !pages.isEmpty { pages[pages.count - 1] = newValue } }
  }

  var isDeciding: Bool {
    switch page {
    case .request(let request)?: request.panel != nil
    case .chat(_, let lines)?: lines?.isDeciding ?? false
    case .section, .item, .text, .workspaces, .prompt, .confirm, nil: false
    }
  }

  var chat: ChatState? { if case .chat(_, let lines)? = page { lines?.state } else { nil } }

  // MARK: - Pages

  /// Opens a page whose lines are no choices in a list.
  mutating func open(_ page: MenuPage) {
    pages.append(page)
    (shownAt, word) = (nil, nil)
    panelCount += 1
  }

  /// Returns to the page below and prints it.
  mutating func back() -> [Action] {
    _ = pages.popLast()
    awaited = nil
    return show()
  }

  /// After a stop of the program, the current page counts as new; prints what it asks for again.
  private mutating func showAgain() -> [Action] {
    (shownAt, word) = (nil, nil)
    switch page {
    case .request(var request)?:
      request.panel = request.panel?.shownAgain
      return show(request)
    case .confirm(let change)?:
      panelCount += 1
      return [.print(lines(of: change))]
    case .chat?: return inChat(.continued) ?? []
    case .section, .item, .text, .workspaces, .prompt, nil: return []
    }
  }

  /// Whether the line was typed for the current page, and not for something before it.
  var isMeant: Bool { shownAt.isSeen(at: model.moment) }

  // MARK: - Events

  mutating func update(
    _ event: LineEvent<ConsoleNews>,
    at now: Duration,
    _ moment: Timestamp
  ) -> [Action] {
    switch event {
    // News have the time of day.
    case .news, .shown: model.moment = now
    case .line, .interrupted, .continued, .inputEnded, .tick: model.keepTime(at: now)
    }
    let effects = effects(of: event)
    model.begin(effects.compactMap { if case .perform(let effect) = $0 { effect } else { nil } })
    return effects
  }

  private mutating func effects(of event: LineEvent<ConsoleNews>) -> [Action] {
    let isInChat = if case .chat? = page { true } else { false }
    switch event {
    case .line("q") where !isStarted: return leave()
    case .line where !isStarted: return [.say("set aside: waiting for the servers")]
    case .line(let line): return take(line)
    case .interrupted(hasDraft: true): return []
    case .interrupted where isInChat, .inputEnded where isInChat:
      // The chat is left after all confirmations, or at once if it is asked twice; no turn stops.
      return inChat(.inputEnded) ?? back()
    case .interrupted: return pages.isEmpty ? [.say("type q to leave")] : back()
    case .continued: return showAgain()
    case .inputEnded: return leave()
    case .tick:
      let told: [Action] = news.woke(at: model.moment).map { [.say($0)] } ?? []
      return told + refreshRequest() + showAwaited() + (inChat(.tick) ?? []) + exitIfDue()
    case .news(let news): return take(news) + exitIfDue()
    case .shown:
      shownAt = shownAt ?? model.moment
      if case .request(var request)? = page {
        request.panel?.wasShown(at: model.moment)
        page = .request(request)
      }
      return inChat(.shown) ?? []
    }
  }

  mutating func leave() -> [Action] {
    exit.ask(isUnsettled: isUnsettled, at: model.moment)
      ? [.leave] : [.say("waiting for confirmation; q again leaves now")]
  }

  /// Leaves, after a question if that loses a text that was not sent.
  mutating func quit() -> [Action] {
    guard model.unsentCount > 0, !isAskedToLeave else { return leave() }
    isAskedToLeave = true
    let count = model.unsentCount.counted("unsent text")
    return [.say("\(count); q: leave, any other line: stay")]
  }

  private func exitIfDue() -> [Action] {
    exit.isDue(isUnsettled: isUnsettled, at: model.moment) ? [.leave] : []
  }
}

/// What the menu prints of the servers' news.
extension ConsoleMenu {
  private mutating func take(_ news: ConsoleNews) -> [Action] {
    if case .looked = news { return look(news) }
    model.take(news)
    _ = now.take(news, in: &model)
    _ = schedules.take(news, in: &model)
    _ = costs.take(news, in: &model)
    _ = settings.take(news, in: &model)
    switch news {
    case .unconfirmed(let text), .failed(let text), .note(let text):
      return [.say(text.safeLine(limit: Self.noteLimit))]
    case .replied(_, _, _, let text):
      let result = [Action.say(text.safeLine(limit: Self.noteLimit))]
      // The list had no numbers since the request was opened.
      if case .section? = page, numbered.entries.isEmpty { return result + show() }
      return result
    case .own(let news): return take(news)
    case .paired, .looked, .decided, .clock, .unsent, .edited, .changeEnded: return []
    }
  }

  /// Takes the news of a section.
  private mutating func take(_ news: any TabNews) -> [Action] {
    switch news {
    case WorkNews.conversation(let id, turns: 1, let turns) where id == retried:
      return askAgain(turns, of: id)
    case WorkNews.conversation(let id, _, let turns): return print(turns, of: id)
    case WorkNews.workspaces(let all):
      // A later list would give the numbers another meaning.
      guard case .workspaces(nil)? = page else { break }
      page = .workspaces(all)
      return show()
    case is NowNews: hasRead(.now)
    case ScheduleNews.listed, is OutboxNews:
      for section in [MenuSection.now, .schedules] { hasRead(section) }
    case is CostsNews: hasRead(.costs)
    case is SettingsNews, is ConfigNews: hasRead(.settings)
    case let news as ChatTabNews: return take(news)
    default: break
    }
    return []
  }

  private mutating func take(_ news: ChatTabNews) -> [Action] {
    switch news {
    case .opened(let id, let requests, _, let models):
      guard case .chat(id, _)? = page else { break }
      var state = ChatState(sessionID: id.sessionID, requests: requests, newID: newID)
      state.models = models
      page = .chat(id, ChatLines(state, width: width))
    case .failed(let id, let text):
      guard case .chat(id, _)? = page else { break }
      // A line that was begun as a message selects nothing in the list.
      panelCount += 1
      return leaveChat(saying: text)
    case .changed(let id, let news):
      guard case .chat(id, _)? = page else { break }
      return inChat(.news(news)) ?? []
    case .wanted: break
    }
    return []
  }

  // MARK: - The board

  private mutating func look(_ news: ConsoleNews) -> [Action] {
    let before = model
    model.take(news)
    for section in [MenuSection.now, .approvals, .work, .chat] { hasRead(section) }
    guard isStarted else {
      guard !model.isLoading else { return [] }
      isStarted = true
      return show()
    }
    let told = changes(since: before).compactMap { self.news.add($0, at: model.moment) }
    return told.map(Action.say) + refreshRequest()
  }

  /// The changes of the board that are printed.
  private func changes(since last: ConsoleModel) -> [String] {
    let (board, now) = (model.board, model.now)
    let servers = board.servers.compactMap { server -> String? in
      switch (last.board.server(server.id)?.failure != nil, server.failure != nil) {
      case (false, true): server.spoken(at: now)
      case (true, false): "\(server.name) answers again"
      default: nil
      }
    }
    let known = last.board.openRequests(at: last.now)
    let new = board.requests(at: now).filter { $0.isOpen(at: now) && !known.contains($0.id) }
    let ended = board.sessions().filter { session in
      let phase = last.board.session(session.id)?.phase
      let wasAtWork = phase == .running || phase == .waiting
      return session.phase == .failed && phase != .failed && phase != nil
        || session.status.outcome == .finished && wasAtWork
    }
    return new.map(\.news) + servers + ended.map { $0.news() }
  }

  // MARK: - What was read

  private mutating func hasRead(_ section: MenuSection) {
    if awaited?.section == section { awaited?.readAt = model.moment }
  }

  /// Prints the section that the user waits for.
  private mutating func showAwaited() -> [Action] {
    guard let (section, readAt) = awaited, let readAt,
      model.moment >= readAt + Self.readingPause
    else { return [] }
    awaited = nil
    guard case .section(section)? = page else { return [] }
    return show()
  }

  private mutating func print(
    _ turns: Result<[Turn], FleetView.Failure>,
    of id: ListedSession.ID
  ) -> [Action] {
    guard let index = readings.firstIndex(of: id) else { return [] }
    readings.remove(at: index)
    switch turns {
    case .failure(let failure): return [.say(failure.message)]
    case .success(let turns):
      let lines = turns.flatMap { SpokenTurn.lines(of: $0, at: model.now) }
      return [.print(lines.isEmpty ? [StyledText("no turns yet")] : lines)]
    }
  }
}

/// Lines about what happens while the user types: at most one a second, the others as a number.
struct NewsLines: Sendable {
  private static let pause = Duration.seconds(1)

  private var lastAt: Duration?
  /// The first line that waits.
  private var first: String?
  /// The number of lines behind ``first``.
  private var others = 0

  /// Adds a line; returns the line to print now, if any.
  mutating func add(_ line: String, at now: Duration) -> String? {
    if first == nil { first = line } else { others += 1 }
    return woke(at: now)
  }

  /// Returns the line that has waited for long enough.
  mutating func woke(at now: Duration) -> String? {
    if let lastAt, now < lastAt + Self.pause { return nil }
    guard let line = first else { return nil }
    let more = others > 0 ? "; and \(others) more" : ""
    (lastAt, first, others) = (now, nil, 0)
    return "news: \(line)\(more)"
  }
}
