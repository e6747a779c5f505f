// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// What needs the user, what runs, what has ended, and the next scheduled runs, in one list.
struct NowSource: ListSource {
  /// `nil` until it was read.
  private var dismissed: DismissedTurns?
  private var schedules: [ScheduleItem] = []
  private let sessions = WorkSource()

  let title = "Now"
  let opening: [ConsoleEffect] = [.now(.read), .schedule(.read)]
  let needs = TableNeeds.list
  let hasHeaders = false
  let canSearch = true

  func count(in model: ConsoleModel) -> Int {
    model.board.openCount(at: model.now) + model.board.waitingCount(at: model.now)
  }

  // MARK: - The list

  func frame(in model: ConsoleModel) -> ListFrame {
    ListFrame(
      empty: "Nothing waits for you, and nothing runs.",
      unknown: model.emptiness,
      emptyNote: "n: new prompt"
    )
  }

  func items(group: Int, matching text: String, in model: ConsoleModel) -> [NowItem] {
    let (board, now) = (model.board, model.now)
    let listed = board.sessions()
    let requests = board.requests(at: now).filter { $0.isOpen(at: now) || $0.isSending }
    let asking = Set(requests.compactMap(\.id.session))
    let waiting = listed.filter { $0.phase == .waiting && !asking.contains($0.id) }
    let running = listed.filter { $0.phase == .running && !asking.contains($0.id) }
    let ended = listed.filter { session in
      [.failed, .idle, .done].contains(session.phase) && session.status.outcome != nil
        && dismissed?.shows(session, at: now) == true
    }
    let items =
      requests.map { NowItem(.request($0)) } + waiting.map { NowItem(.session($0)) }
      + running.map { NowItem(.session($0)) }
      + ended.sorted(by: Self.precedes)
      .map { NowItem(.session($0)) } + shownSchedules.map { NowItem(.schedule($0)) }
    return text.isEmpty ? items : items.filter { text.isFound(in: $0.texts) }
  }

  /// Failures come first, so that many successes do not hide them; then the latest.
  private static func precedes(_ first: ListedSession, _ second: ListedSession) -> Bool {
    guard (first.phase == .failed) == (second.phase == .failed) else {
      return first.phase == .failed
    }
    return first.status.lastActivity > second.status.lastActivity
  }

  /// The next run, and the schedules whose last run failed.
  private var shownSchedules: [ScheduleItem] {
    let next = schedules.first { $0.isEnabled && !$0.next.isEmpty }
    return schedules.filter { $0.hasFailed || $0.id == next?.id }
  }

  func columns(in model: ConsoleModel) -> [ListColumn<NowItem>] {
    [
      .cell("", .kept) { item, view in item.mark(in: view).line },
      .cell("", .context) { StyledText($0.place(isOnlyServer: $1.isOnlyServer), .dim) },
      .cell("", .decides) { $0.line(at: $1.now) },
      .text("", .detail(1), .dim) { $0.session?.status.costText }.toTheRight,
      .cell("", .context) { StyledText($0.time(in: $1), .dim) }.toTheRight,
    ]
  }

  func headingRows(sortedBy column: String?, in model: ConsoleModel) -> Int {
    NowItem.Block.allCases.count
  }

  func heading(of item: NowItem, sortedBy column: String?) -> String? { item.block?.rawValue }

  func item(_ id: NowItem.ID, in model: ConsoleModel) -> NowItem? {
    switch id {
    case .request(let id): model.board.request(id).map { NowItem(.request($0)) }
    case .session(let id): model.board.session(id).map { NowItem(.session($0)) }
    case .schedule(let id): schedules.first { $0.id == id }.map { NowItem(.schedule($0)) }
    }
  }

  func waits(_ item: NowItem, in model: ConsoleModel) -> Bool {
    switch item.content {
    case .request(let request): request.isOpen(at: model.now)
    case .session(let session): sessions.waits(session, in: model)
    case .schedule: false
    }
  }

  func detail(of item: NowItem, width: Int, in model: ConsoleModel) -> [StyledText] {
    switch item.content {
    case .request(let request): model.detail(of: request, width: width)
    case .session(let session): sessions.detail(of: session, width: width, in: model)
    case .schedule(let schedule): schedule.detail(width: width, at: model.now)
    }
  }

  // MARK: - Keys

  func keys(for item: NowItem?, in model: ConsoleModel) -> [KeyRow] {
    let help = "Show what it is about: the request, the conversation or the schedule"
    let own: [KeyRow]
    switch item?.content {
    case .request?: own = [.enter(.request(.open), help: help)]
    case .schedule?: own = [.enter(.detail, help: help).spoken(1, "details")]
    case .session(let session)?: own = sessions.keys(for: session, in: model)
    case nil: own = sessions.keys(for: nil, in: model)
    }
    let all = dismissal(of: items(group: 0, matching: "", in: model))
    return own + [
      dismissKey(item.map { [$0] } ?? []).spoken(9, "dismiss"),
      KeyRow("X", "dismiss-all", help: "Remove all ended turns from this list", all).withoutHint,
    ]
  }

  func keys(forMarked items: [NowItem], in model: ConsoleModel) -> [KeyRow] {
    let others = items.filter { $0.session == nil }.map { $0.line(at: model.now).plain }
    let marked = items.compactMap(\.session)
    return sessions.keys(forMarked: marked, besides: others, in: model) + [dismissKey(items)]
  }

  func canMark(in model: ConsoleModel) -> Bool { true }

  private func dismissKey(_ items: [NowItem]) -> KeyRow {
    KeyRow("x", "dismiss", help: "Remove the ended turn from this list", dismissal(of: items))
  }

  private func dismissal(of items: [NowItem]) -> ConsoleAction? {
    let ends = items.filter { $0.block == .ended }.compactMap { item in
      item.session.map { ($0.id, $0.status.lastActivity) }
    }
    guard !ends.isEmpty else { return nil }
    return .perform(.now(.dismiss(Dictionary(ends) { max($0, $1) })))
  }

  mutating func perform(
    _ action: ConsoleAction,
    on item: NowItem?,
    in model: inout ConsoleModel
  ) -> (any ListPage)? {
    if action.own() == RequestAction.open, case .request(let request)? = item?.content {
      return model.page(of: request)
    }
    var sessions = sessions
    return sessions.perform(action, on: item?.session, in: &model)
  }

  mutating func settle(
    _ effects: [ConsoleEffect],
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    model.beginReplies(effects)
  }

  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> Bool {
    if let news = news.own(NowNews.self) {
      // The list is also read again whenever the tab is shown.
      let isChange = dismissed.map { $0 != news.dismissed } ?? false
      if isChange { model.note = "dismissed; Home sorts the list" }
      dismissed = news.dismissed
    }
    if case .listed(let found, _)? = news.own(ScheduleNews.self) { schedules = found }
    return false
  }
}

/// A row of the console's first tab.
struct NowItem: ListItem {
  enum Content: Sendable {
    case request(ListedRequest)
    case session(ListedSession)
    case schedule(ScheduleItem)
  }

  enum ID: Sendable, Hashable {
    case request(ListedRequest.ID)
    case session(ListedSession.ID)
    case schedule(ScheduleItem.ID)
  }

  /// The parts of the list, in their order.
  enum Block: String, Sendable, CaseIterable {
    case needs = "Waiting for you"
    case running = "Running"
    case ended = "Since you last looked"
    case schedules = "Schedules"
  }

  let content: Content

  init(_ content: Content) { self.content = content }

  var id: ID {
    switch content {
    case .request(let request): .request(request.id)
    case .session(let session): .session(session.id)
    case .schedule(let item): .schedule(item.id)
    }
  }

  var session: ListedSession? { if case .session(let session) = content { session } else { nil } }

  /// `nil` for a decided request, which has no place in a list that is sorted again.
  var block: Block? {
    switch content {
    case .request(let request): if case .settled = request.state { nil } else { .needs }
    case .schedule: .schedules
    case .session(let session):
      switch session.phase {
      case .waiting: .needs
      case .running: .running
      case .failed, .idle, .done: .ended
      }
    }
  }

  // MARK: - Columns

  func mark(in view: ListView) -> StatusMark {
    switch content {
    case .request(let request): request.mark(in: view)
    case .session(let session):
      session.status.outcome.map(StatusMark.init) ?? session.mark
    case .schedule(let item): item.mark
    }
  }

  /// The workspace, with its server if there are several.
  func place(isOnlyServer: Bool) -> String {
    switch content {
    case .request(let request): request.place(isOnlyServer: isOnlyServer)
    case .session(let session):
      isOnlyServer ? session.status.workspaceName ?? session.server : session.workspace
    case .schedule(let item): item.shortcut == nil ? "server" : "this machine"
    }
  }

  func line(at now: Timestamp) -> StyledText {
    switch content {
    case .request(let request): StyledText(request.approval.call)
    case .session(let session):
      SessionColumns.title(of: session.status, lastSeen: session.lastSeen, at: now)
    case .schedule(let item):
      StyledText(item.name, .name).with(StyledText("  \(item.nextRun)", .dim))
    }
  }

  func time(in view: ListView) -> String {
    switch content {
    case .request(let request): request.timeCell(at: view.now).plain
    case .session(let session): view.age(of: session.status.lastActivity)
    case .schedule: ""
    }
  }

  /// What a filter finds.
  var texts: [String] {
    [line(at: Timestamp(milliseconds: 0)).plain, place(isOnlyServer: false)]
  }

  // MARK: - Details

  func detail(width: Int, at now: Timestamp) -> [StyledText] {
    switch content {
    case .request(let request): request.detail(width: width, at: now)
    case .session(let session): session.detail(width: width, at: now)
    case .schedule(let item): item.detail(width: width, at: now)
    }
  }

  func spoken(width: Int, at now: Timestamp) -> SpokenItem {
    switch content {
    case .request(let request): request.spoken(width: width, at: now)
    case .session(let session): session.spoken(width: width, at: now)
    case .schedule(let item): item.spoken(width: width, at: now)
    }
  }

  var copyText: String {
    switch content {
    case .request(let request): request.copyText
    case .session(let session): session.copyText
    case .schedule(let item): item.copyText
    }
  }
}
