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
  var data = MenuData()
  /// Messages that were not sent, by session.
  var drafts = UnsentTexts()
  var news = NewsLines()
  /// Whether the first menu was printed.
  var isStarted = false
  var panelCount = 0
  /// The number of changes whose results are not known yet.
  private(set) var pendingChanges = 0
  /// Whether a message or decision of a chat that was left may or may not have reached its server.
  var hasUnknown = false
  private var leaving: Duration?
  /// What the time of day is ahead of the menu's clock.
  private var epoch: Timestamp
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
    (epoch, self.width, self.newID) = (now, width, newID)
  }

  var page: MenuPage { pages.last ?? .main }

  var isDeciding: Bool {
    switch page {
    case .request(let request): request.isDeciding
    case .chat(let chat): chat.lines?.isDeciding ?? false
    case .main, .section, .session, .reply, .schedule, .setting, .confirm: false
    }
  }

  /// Whether the result of anything that was sent is not known yet.
  var isUnsettled: Bool {
    pendingChanges > 0
      || pages.contains { if case .chat(let chat) = $0 { chat.isUnsettled } else { false } }
  }

  // MARK: - Events

  /// Handles a line; `typed` is when it was read.
  mutating func type(_ line: String, at typed: Duration) -> [Action] {
    keepTime(at: typed)
    guard isStarted else {
      return line == "q" ? leave(at: typed) : [.say("set aside: waiting for the servers")]
    }
    switch page {
    case .chat(let chat): return settle(type(line, to: chat, at: typed))
    case .reply(let reply): return settle(write(line, for: reply, at: typed))
    case .confirm(let question): return settle(confirm(question, by: line, at: typed))
    case .request(let request): return settle(answer(request, by: line, at: typed))
    case .main, .section, .session, .schedule, .setting: return settle(command(line, at: typed))
    }
  }

  /// Handles Ctrl-C: leaves the page, and nothing else.
  mutating func interrupt(hasDraft: Bool, at now: Duration) -> [Action] {
    keepTime(at: now)
    if hasDraft { return [] }
    if case .chat = page { return settle(leaveChat(at: now)) }
    return pages.isEmpty ? [.say("type q to leave")] : settle(back())
  }

  /// Handles the end of the input.
  mutating func end(at now: Duration) -> [Action] {
    keepTime(at: now)
    if case .chat = page { return settle(leaveChat(at: now)) }
    return leave(at: now)
  }

  mutating func woke(at now: Duration) -> [Action] {
    keepTime(at: now)
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
    case .main, .section, .session, .schedule, .setting: break
    }
  }

  // MARK: - Leaving

  mutating func leave(at now: Duration) -> [Action] {
    guard leaving == nil, isUnsettled else { return [.leave] }
    leaving = now + Self.farewellLimit
    return [.say("waiting for confirmation; q again leaves now")]
  }

  mutating func changeEnded() -> [Action] {
    pendingChanges = max(0, pendingChanges - 1)
    return leaving != nil && !isUnsettled ? [.leave] : []
  }

  private mutating func settle(_ effects: [Action]) -> [Action] {
    pendingChanges += effects.count {
      if case .perform(let effect) = $0 { effect.isChange } else { false }
    }
    return effects
  }

  // MARK: - Time

  private mutating func keepTime(at now: Duration) { model.now = epoch.moved(by: now) }

  /// Follows changes of the time of day, as after the machine slept.
  mutating func keepTime(_ time: Timestamp, at now: Duration) {
    epoch = time.moved(by: .zero - now)
    model.now = time
  }
}

/// What the menu has read besides the board.
struct MenuData: Sendable {
  var schedules: [ScheduleItem] = []
  var problems: [String] = []
  var settings: [SettingsItem] = []
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
