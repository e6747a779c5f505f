// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The console as numbered lists in lines, for screen readers and for terminals without cursor
/// control; performs no input or output.
///
/// It has the same model and effects as the tabs. A number stays with its item until the list is
/// printed again; a choice of an item that has changed is refused.
struct ConsoleMenu: Sendable {
  typealias Action = LineEffect<ConsoleEffect>

  /// How long to wait for the servers' confirmations before leaving.
  private static let farewellLimit = Duration.seconds(3)
  static let noteLimit = 300

  var model: ConsoleModel
  /// The open pages above the main menu, the current one last.
  var pages: [MenuPage] = []
  /// The entries that have a number, and how many of them were printed.
  var numbered: (entries: [MenuEntry], printed: Int) = ([], 0)
  let approvals = ApprovalsSource()
  let work = WorkSource()
  var schedules = SchedulesSource()
  var settings = SettingsSource()
  var data = MenuData()
  /// Messages that were not sent, by session.
  var drafts = UnsentTexts()
  var news = NewsLines()
  /// Whether the first menu was printed.
  var isStarted = false
  var panelCount = 0
  /// Whether a message or decision of a chat that was left may or may not have reached its server.
  var hasUnknown = false
  private(set) var leaving: Duration?
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

  var page: MenuPage { pages.last ?? .main }

  var isDeciding: Bool {
    switch page {
    case .request(let request): request.isDeciding
    case .chat(let chat): chat.lines?.isDeciding ?? false
    case .main, .section, .item, .reply, .confirm: false
    }
  }

  /// Whether the result of anything that was sent is not known yet.
  var isUnsettled: Bool {
    model.pendingChanges > 0
      || pages.contains { if case .chat(let chat) = $0 { chat.isUnsettled } else { false } }
  }

  // MARK: - Events

  /// Handles a line; `typed` is when it was read.
  mutating func type(_ line: String, at typed: Duration) -> [Action] {
    model.keepTime(at: typed)
    guard isStarted else {
      return line == "q" ? leave(at: typed) : [.say("set aside: waiting for the servers")]
    }
    switch page {
    case .chat(let chat): return settle(type(line, to: chat, at: typed))
    case .reply(let reply): return settle(write(line, for: reply, at: typed))
    case .confirm(let question): return settle(confirm(question, by: line, at: typed))
    case .request(let request): return settle(answer(request, by: line, at: typed))
    case .main, .section, .item: return settle(command(line, at: typed))
    }
  }

  /// Handles Ctrl-C: leaves the page, and nothing else.
  mutating func interrupt(hasDraft: Bool, at now: Duration) -> [Action] {
    model.keepTime(at: now)
    if hasDraft { return [] }
    if case .chat = page { return settle(leaveChat(at: now)) }
    return pages.isEmpty ? [.say("type q to leave")] : settle(back())
  }

  /// Handles the end of the input.
  mutating func end(at now: Duration) -> [Action] {
    model.keepTime(at: now)
    if case .chat = page { return settle(leaveChat(at: now)) }
    return leave(at: now)
  }

  mutating func woke(at now: Duration) -> [Action] {
    model.keepTime(at: now)
    var effects: [Action] = news.woke(at: now).map { [.say($0)] } ?? []
    effects += refreshRequest() + showAwaited(at: now) + inChat { $0.woke(at: now) }
    if let leaving, now >= leaving || !isUnsettled { effects.append(.leave) }
    return settle(effects)
  }

  /// Records that everything so far was printed.
  mutating func wasShown(at now: Duration) {
    switch page {
    case .request(var request):
      request.wasShown(at: now)
      pages[pages.count - 1] = .request(request)
    case .confirm(var question):
      question.wasShown(at: now)
      pages[pages.count - 1] = .confirm(question)
    case .chat(var chat):
      chat.lines?.wasShown(at: now)
      pages[pages.count - 1] = .chat(chat)
    case .reply(var reply):
      reply.wasShown(at: now)
      pages[pages.count - 1] = .reply(reply)
    case .main, .section, .item: break
    }
  }

  // MARK: - Leaving

  mutating func leave(at now: Duration) -> [Action] {
    guard leaving == nil, isUnsettled else { return [.leave] }
    leaving = now + Self.farewellLimit
    return [.say("waiting for confirmation; q again leaves now")]
  }

  private mutating func settle(_ effects: [Action]) -> [Action] {
    model.begin(effects.compactMap { if case .perform(let effect) = $0 { effect } else { nil } })
    return effects
  }
}

/// What the menu is reading.
struct MenuData: Sendable {
  /// The section that is printed as soon as it was read, and when news of it arrived.
  var awaited: (section: MenuSection, readAt: Duration?)?
  /// The sessions whose turns are read to be printed, once for each read.
  var readings: [BoardSession.ID] = []
}

extension ConsoleMenu: LineScreen {
  mutating func update(
    _ event: LineEvent<ConsoleNews>,
    at now: Duration,
    _ moment: Timestamp
  ) -> [Action] {
    switch event {
    case .line(let line): return type(line, at: now)
    case .interrupted(let hasDraft): return interrupt(hasDraft: hasDraft, at: now)
    case .inputEnded: return end(at: now)
    case .tick: return woke(at: now)
    case .news(let news): return take(news, at: now)
    case .shown:
      wasShown(at: now)
      return []
    }
  }
}

extension LineProgram: ConsoleFace where Content == ConsoleMenu {
  var isUnsettled: Bool { screen.isUnsettled || screen.hasUnknown }
}

/// What the menu prints of the servers' news.
extension ConsoleMenu {
  /// How long the parts of a section may arrive before it is printed.
  private static let readingPause = Duration.milliseconds(400)

  mutating func take(_ news: ConsoleNews, at now: Duration) -> [Action] {
    if case .looked = news { return look(news, at: now) }
    model.take(news, at: now)
    switch news {
    case .note(let text): return [.say(text.safeLine(limit: Self.noteLimit))]
    case .replied(_, _, _, let text):
      let result = [Action.say(text.safeLine(limit: Self.noteLimit))]
      // The list had no numbers since the request was opened.
      if case .section(.approvals) = page, numbered.entries.isEmpty { return result + show() }
      return result
    case .changeEnded: return leaving != nil && !isUnsettled ? [.leave] : []
    case .conversation(let id, let turns): return print(turns, of: id)
    case .unsent(let text, let id): drafts.keep(text, for: id)
    case .schedules:
      _ = schedules.take(news, in: &model)
      hasRead(.schedules, at: now)
    case .settings:
      _ = settings.take(news, in: &model)
      hasRead(.settings, at: now)
    case .chatOpened(let id, let setup): return opened(id, setup)
    case .chatFailed(let id, let text):
      guard case .chat(let chat) = page, chat.id == id else { break }
      leavePage()
      // A line that was begun as a message selects nothing in the list.
      panelCount += 1
      return keep(chat.lines?.state, of: id) + [.say(text)] + show()
    case .chat(let id, let news):
      guard case .chat(let chat) = page, chat.id == id else { break }
      return inChat { $0.take(news, at: now) }
    case .paired, .looked, .decided, .clock, .planned, .found, .chatWanted, .edited: break
    }
    return []
  }

  // MARK: - The board

  private mutating func look(_ news: ConsoleNews, at now: Duration) -> [Action] {
    let before = Board(model)
    model.take(news, at: now)
    for section in [MenuSection.approvals, .work, .chat] { hasRead(section, at: now) }
    guard isStarted else {
      guard !model.isLoading else { return [] }
      isStarted = true
      return show()
    }
    let lines = Board(model).news(since: before, at: model.now)
    let told = lines.compactMap { self.news.add($0, at: now) }.map(Action.say)
    return told + refreshRequest()
  }

  /// The parts of the board whose changes are printed.
  private struct Board {
    let requests: Set<ListedRequest.ID>
    let sessions: [BoardSession.ID: SessionPhase]
    let failures: Set<Fingerprint>
    let board: ConsoleBoard

    init(_ model: ConsoleModel) {
      board = model.board
      requests = board.openRequests(at: model.now)
      sessions = Dictionary(board.sessions().map { ($0.id, $0.phase) }) { first, _ in first }
      failures = Set(board.servers.filter { $0.failure != nil }.map(\.id))
    }

    func news(since before: Board, at now: Timestamp) -> [String] {
      let servers = board.servers.compactMap { server -> String? in
        switch (before.failures.contains(server.id), failures.contains(server.id)) {
        case (false, true): SpokenRows.line(of: server, at: now)
        case (true, false): "\(server.name) answers again"
        default: nil
        }
      }
      let new = board.requests(at: now).filter {
        requests.contains($0.id) && !before.requests.contains($0.id)
      }
      let ended = board.sessions().filter { session in
        let last = before.sessions[session.id]
        let wasAtWork = last == .running || last == .waiting
        return session.phase == .failed && last != .failed && last != nil
          || session.status.outcome == .finished && wasAtWork
      }
      return new.map { SpokenRows.news(of: $0) } + servers
        + ended.map { SpokenRows.news(of: $0) }
    }
  }

  /// Updates the request that is shown; one that changed is printed again.
  mutating func refreshRequest() -> [Action] {
    guard case .request(var request) = page,
      let latest = model.board.request(request.request.id)
    else { return [] }
    let outcome = request.update(latest, at: model.now)
    pages[pages.count - 1] = .request(request)
    switch outcome {
    case .said(let lines)?: return [.print(lines + [StyledText("an empty line: back")])]
    case .shown?: return [.say(QuestionText.changed)] + showRequest()
    case .closed?, .replied?, nil: return []
    }
  }

  // MARK: - What was read

  private mutating func hasRead(_ section: MenuSection, at now: Duration) {
    if data.awaited?.section == section { data.awaited?.readAt = now }
  }

  /// Prints the section that the user waits for.
  mutating func showAwaited(at now: Duration) -> [Action] {
    guard let (section, readAt) = data.awaited, let readAt, now >= readAt + Self.readingPause
    else { return [] }
    data.awaited = nil
    guard case .section(section) = page else { return [] }
    return show()
  }

  private mutating func print(
    _ turns: Result<[Turn], ConsoleBoard.Failure>,
    of id: BoardSession.ID
  ) -> [Action] {
    guard let index = data.readings.firstIndex(of: id) else { return [] }
    data.readings.remove(at: index)
    switch turns {
    case .failure(let failure): return [.say(failure.message)]
    case .success(let turns):
      let lines = turns.flatMap { SpokenTurn.lines(of: $0, at: model.now) }
      return [.print(lines.isEmpty ? [StyledText("no turns yet")] : lines)]
    }
  }
}
