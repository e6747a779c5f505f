// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiTerminal
import OppiText
import OppiWire

/// What runs without the user: the prompts of the outbox, and the schedules of this machine and of
/// the servers.
struct SchedulesSource: ListSource {
  /// `nil` until they were read.
  private var schedules: [ScheduleItem]?
  /// Those that need the user come first, then the oldest.
  private var prompts: [OutboxItem] = []
  /// What could not be read.
  private var problems: [String] = []
  private var outboxProblems: [String] = []

  let title = "Schedules"
  let opening: [ConsoleEffect] = [.outbox(.read), .schedule(.read)]

  /// Headings take their place where there are prompts, too.
  var hasHeaders: Bool { prompts.isEmpty }

  func count(in model: ConsoleModel) -> Int { prompts.count(where: \.needsUser) }

  func frame(in model: ConsoleModel) -> ListFrame {
    ListFrame(
      problems: outboxProblems + problems,
      empty: "No schedules.",
      unknown: schedules == nil ? ConsoleEmpty.loading : nil,
      emptyNote: "n: new schedule"
    )
  }

  func items(group: Int, matching text: String, in model: ConsoleModel) -> [PlannedItem] {
    (prompts.map(PlannedItem.prompt) + (schedules ?? []).map(PlannedItem.schedule))
      .filter { text.isFound(in: [$0.searchText]) }
  }

  func item(_ id: PlannedItem.ID, in model: ConsoleModel) -> PlannedItem? {
    switch id {
    case .prompt(let key): prompts.first { $0.id == key }.map(PlannedItem.prompt)
    case .schedule(let id): schedules?.first { $0.id == id }.map(PlannedItem.schedule)
    }
  }

  /// With prompts between them, headings replace the names of the columns.
  func headingRows(sortedBy column: String?, in model: ConsoleModel) -> Int {
    prompts.isEmpty ? 0 : PlannedItem.Block.allCases.count
  }

  func heading(of item: PlannedItem, sortedBy column: String?) -> String? {
    prompts.isEmpty ? nil : item.block.rawValue
  }

  func columns(in model: ConsoleModel) -> [ListColumn<PlannedItem>] {
    func header(_ name: String) -> String { hasHeaders ? name : "" }
    return [
      .cell(header("STATE"), .kept) { item, _ in item.mark.line },
      .text(header("NAME"), .kept, .name) { $0.name },
      .cell(header("TRIGGER"), .context) { StyledText($0.origin(at: $1.now), .dim) },
      .text(header("NEXT RUN"), .decides) { $0.content },
      .cell(header("LAST RUN"), .decides) { $0.outcome(at: $1.now) },
    ]
  }

  func keys(for item: PlannedItem?, in model: ConsoleModel) -> [KeyRow] {
    let help = "Show the whole prompt, or the next and the last runs of the schedule"
    let open = KeyRow.enter(.detail, help: help, when: item != nil).spoken(1, "details")
    let own: [KeyRow]
    switch item {
    case .prompt(let prompt)?: own = prompt.keys(isReadOnly: model.isReadOnly, at: model.now)
    case .schedule(let schedule)?: own = scheduleKeys(for: schedule, in: model)
    case nil: own = scheduleKeys(for: nil, in: model)
    }
    let addHelp = "Add a schedule; shows the next two runs before saving"
    return [open] + own
      + [KeyRow("n", "new", help: addHelp, .schedule(.add), when: !model.isReadOnly)]
  }

  private func scheduleKeys(for item: ScheduleItem?, in model: ConsoleModel) -> [KeyRow] {
    let own = model.isReadOnly ? nil : item?.shortcut
    let isDisabled = item?.isEnabled == false
    let word = isDisabled ? "resume" : "pause"
    let switchHelp = "Pause or resume the schedule of this machine; asks first"
    let changeHelp = "Change the schedule, unless it is paused"
    let switching = own.map { ConsoleAction.ask(.enable($0, isDisabled)) }
    let run = own.map { ConsoleAction.ask(.run($0)) }
    let change = own.flatMap { name in
      item?.request.map { ConsoleAction.schedule(.change(name, $0)) }
    }
    return [
      KeyRow("p", word, help: switchHelp, switching).spoken(3, "\(word) it"),
      KeyRow("R", "run now", help: "Run the shortcut now; asks first", run)
        .spoken(2, "run it now"),
      KeyRow("e", "change", help: changeHelp, change, when: !isDisabled),
    ]
  }

  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> Bool {
    if case .listed(let found, let problems)? = news.own(ScheduleNews.self) {
      schedules = found
      self.problems = problems.map { $0.safeLine(limit: 300) }
    }
    if let news = news.own(OutboxNews.self) {
      prompts = news.items.filter(\.needsUser) + news.items.filter { !$0.needsUser }
      outboxProblems = news.problems
    }
    return false
  }

  mutating func perform(
    _ action: ConsoleAction,
    on item: PlannedItem?,
    in model: inout ConsoleModel
  ) -> (any ListPage)? {
    switch action.own(ScheduleAction.self) {
    case .add?: ScheduleForm()
    case .change(let name, let request)?: ScheduleForm(changing: name, from: request)
    case nil: nil
    }
  }
}

/// A row of the console's schedules: a prompt of the outbox, or a schedule.
enum PlannedItem: ListItem {
  case prompt(OutboxItem)
  case schedule(ScheduleItem)

  enum ID: Sendable, Hashable {
    case prompt(OutboxKey)
    case schedule(ScheduleItem.ID)
  }

  /// The parts of the list, in their order.
  enum Block: String, Sendable, CaseIterable {
    case outbox = "Outbox"
    case schedules = "Schedules"
  }

  var id: ID {
    switch self {
    case .prompt(let item): .prompt(item.id)
    case .schedule(let item): .schedule(item.id)
    }
  }

  var block: Block {
    switch self {
    case .prompt: .outbox
    case .schedule: .schedules
    }
  }

  private var listed: any ListItem {
    switch self {
    case .prompt(let item): item
    case .schedule(let item): item
    }
  }

  // MARK: - Columns

  var mark: StatusMark {
    switch self {
    case .prompt(let item): item.prompt.mark
    case .schedule(let item): item.mark
    }
  }

  /// The name of the schedule, or the place to which the prompt goes.
  var name: String {
    switch self {
    case .prompt(let item): item.prompt.place
    case .schedule(let item): item.name
    }
  }

  /// When the prompt was queued, or when the schedule runs.
  func origin(at now: Timestamp) -> String {
    switch self {
    case .prompt(let item): "queued \(RelativeTime.ago(item.prompt.createdAt, at: now))"
    case .schedule(let item): item.trigger
    }
  }

  var content: String {
    switch self {
    case .prompt(let item): item.title
    case .schedule(let item): item.nextRun
    }
  }

  /// Why the prompt waits, or what the last run of the schedule came to.
  func outcome(at now: Timestamp) -> StyledText {
    switch self {
    case .prompt(let item): StyledText(item.row(at: now).note, .dim)
    case .schedule(let item): item.outcome
    }
  }

  var searchText: String {
    switch self {
    case .prompt(let item): "\(item.prompt.place) \(item.title)"
    case .schedule(let item): "\(item.name) \(item.trigger)"
    }
  }

  // MARK: - Details

  func detail(width: Int, at now: Timestamp) -> [StyledText] {
    listed.detail(width: width, at: now)
  }

  func spoken(width: Int, at now: Timestamp) -> SpokenItem {
    listed.spoken(width: width, at: now)
  }

  var copyText: String { listed.copyText }
}

/// A schedule on the console: one of this machine, or one that a server runs itself.
struct ScheduleItem: ListItem {
  enum ID: Sendable, Hashable {
    case own(ShortcutName)
    case server(Fingerprint, scheduleID: String)
  }

  let id: ID
  let name: String
  let isEnabled: Bool
  /// The trigger and the time zone.
  let trigger: String
  /// The next runs in the schedule's time zone and in the local one; empty if none or unknown.
  let next: [StyledText]
  /// The result of the last run, and the rate of successes.
  let outcome: StyledText
  /// Whether the last run failed.
  var hasFailed = false
  /// The last runs, the latest first.
  let runs: [StyledText]
  /// The schedule as the user would ask for it; `nil` for that of a server.
  let request: ScheduleRequest?

  var copyText: String { name }

  var shortcut: ShortcutName? { if case .own(let name) = id { name } else { nil } }

  /// `nil` if the schedule has no valid name.
  init?(_ outlook: ScheduleOutlook) {
    let schedule = outlook.record.schedule
    guard let shortcut = ShortcutName(schedule.name) else { return nil }
    id = .own(shortcut)
    name = schedule.name
    isEnabled = schedule.isEnabled
    trigger = "\(outlook.trigger), \(schedule.zone)"
    next = schedule.isEnabled ? ScheduleOutlook.lines(of: outlook.next ?? []) : []
    var outcome = outlook.outcome
    let health = outlook.record.health
    if health.endedCount > 0 {
      let counts = "\(health.successCount) of \(health.endedCount) without error"
      outcome.append("\(outcome.isEmpty ? "" : ", ")\(counts)")
    }
    self.outcome = outcome
    hasFailed = outlook.record.lastOutcome?.error != nil
    runs = outlook.record.runs.reversed().map(Self.line)
    request = ScheduleRequest(schedule)
  }

  init(_ row: ServerScheduleRow) {
    let schedule = row.schedule
    id = .server(row.server.id, scheduleID: schedule.id)
    name = row.name
    isEnabled = schedule.isActive
    trigger = "\(row.trigger), \(schedule.zone)"
    next = ScheduleOutlook.lines(of: row.next ?? [])
    outcome = StyledText("run by \(row.server.name), read-only here", .dim)
    runs = []
    request = nil
  }

  private static func line(of run: ScheduleRun) -> StyledText {
    let status = run.status.map { $0 == 0 ? "" : " (\($0))" } ?? ""
    var line = StyledText("\(run.startedAt.iso8601)  ", .dim)
    line.append("\(run.state)\(status)", run.error == nil ? .plain : .error)
    if let session = run.sessionID { line.append("  session \(session)", .dim) }
    if let error = run.error { line.append("  \(error)", .error) }
    return line
  }

  // MARK: - Rows

  var mark: StatusMark {
    isEnabled ? StatusMark("●", "on", .success) : StatusMark("○", "paused", .dim)
  }

  private var state: String { isEnabled ? "" : "paused, " }

  var nextRun: String {
    guard isEnabled else { return "" }
    return next.first.map { String($0.plain.drop { $0 == " " }) } ?? "unknown or never"
  }

  /// The name and the state first, the times last.
  func spoken(width: Int, at now: Timestamp) -> SpokenItem {
    let run = next.first.map { "next run \($0.plain.split(separator: " ").joined(separator: " "))" }
    let state = isEnabled ? "active" : "paused"
    let facts = [
      "\(name): \(state)", outcome.isEmpty ? nil : "last run \(outcome.plain)", trigger,
      isEnabled ? run ?? "next run unknown or never" : nil,
    ]
    return SpokenItem(
      line: facts.compactMap(\.self).joined(separator: "; "),
      state: .init(text: state),
      detail: detail(width: width, at: now)
    )
  }

  func detail(width: Int, at now: Timestamp) -> [StyledText] {
    var lines = [StyledText(name, .heading), StyledText("\(state)\(trigger)"), StyledText("next:")]
    lines += next.isEmpty ? [StyledText("  unknown or never", .dim)] : next
    if !outcome.isEmpty { lines.append(outcome) }
    if !runs.isEmpty { lines += [StyledText(), StyledText("last runs", .heading)] + runs }
    return lines.flatMap { $0.folded(to: width) }
  }
}

extension ScheduleRequest {
  /// The request whose schedule is this one.
  fileprivate init(_ schedule: Schedule) {
    self.init(schedule.trigger)
    zone = schedule.zone
    missed = schedule.missed
    overlap = schedule.overlap
    pausesOnFailure = schedule.pausesOnFailure
    jitter = schedule.jitter
    backend = schedule.backend
  }
}
