// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiPrompts
import OppiSystem
import OppiTerminal
import OppiText
import OppiTurns

/// How much of budgets is used, which usage limits are reached, and what the prompts of this machine
/// have cost by day and by workspace.
struct CostsSource: ListSource {
  /// `nil` until it was read.
  private var summary: CostSummary?
  /// The sums of its days and places.
  private var sums: [CostItem] = []
  private var budgets: [WorkspaceBudget] = []
  /// Why the costs could not be read.
  private var problem: String?
  private var budgetProblems: [String] = []

  let title = "Costs"
  let opening = [ConsoleEffect.costs(.read)]
  let hasHeaders = false
  let needs = TableNeeds.list

  func frame(in model: ConsoleModel) -> ListFrame {
    let problems = [problem].compactMap(\.self) + budgetProblems
    let total = summary.map { StyledText(HistoryCosts.status(of: $0), .dim) }
    return ListFrame(
      notices: summary?.rows.isEmpty == false ? [total].compactMap(\.self) : [],
      problems: problems,
      empty: "No prompts in the history.",
      unknown: summary == nil && problems.isEmpty ? ConsoleEmpty.loading : nil
    )
  }

  func items(group: Int, matching text: String, in model: ConsoleModel) -> [CostItem] {
    let limits = model.board.sessions().compactMap { CostItem($0, at: model.now) }
    return (uses(in: model) + limits + sums).filter { text.isFound(in: [$0.name]) }
  }

  /// The budgets, first those that are used up.
  private func uses(in model: ConsoleModel) -> [CostItem] {
    let today = LocalTime.date(at: model.now)
    let uses = budgets.flatMap { budget in
      budget.uses(on: today).map { (use: $0, budget: budget) }
    }
    return (uses.filter(\.use.isUsedUp) + uses.filter { !$0.use.isUsedUp })
      .map { CostItem($0.use, of: $0.budget) }
  }

  func item(_ id: CostItem.ID, in model: ConsoleModel) -> CostItem? {
    switch id {
    case .limit(let id): model.board.session(id).flatMap { CostItem($0, at: model.now) }
    case .budget: uses(in: model).first { $0.id == id }
    case .day, .place: sums.first { $0.id == id }
    }
  }

  func headingRows(sortedBy column: String?, in model: ConsoleModel) -> Int {
    CostItem.Block.allCases.count
  }

  func heading(of item: CostItem, sortedBy column: String?) -> String? { item.block.rawValue }

  func columns(in model: ConsoleModel) -> [ListColumn<CostItem>] {
    [
      .text("", .decides, .name) { $0.name },
      .cell("", .kept) { item, _ in item.amount }.toTheRight,
      .cell("", .detail(1)) { item, _ in item.share.map { .bar($0) } ?? StyledText() },
      .cell("", .decides) { item, _ in item.note },
    ]
  }

  func keys(for item: CostItem?, in model: ConsoleModel) -> [KeyRow] {
    let help = "Show the parts of the day or the workspace, or what is known of the limit"
    return [.enter(.detail, help: help, when: item != nil).spoken(1, "details")]
  }

  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> Bool {
    switch news.own(CostsNews.self) {
    case .summed(let summary, let problem)?:
      (self.summary, self.problem) = (summary, problem)
      sums = summary.map { CostItem.days(of: $0) + CostItem.places(of: $0) } ?? []
    case .limited(let budgets, let problems)?: (self.budgets, budgetProblems) = (budgets, problems)
    case nil: break
    }
    return false
  }
}

/// A row of the console's costs.
struct CostItem: ListItem {
  enum ID: Sendable, Hashable {
    case budget(place: String, period: String)
    case limit(ListedSession.ID)
    case day(String)
    case place(String)
  }

  /// The parts of the list, in their order.
  enum Block: String, Sendable, CaseIterable {
    case budgets = "Budgets"
    case limits = "Usage limits"
    case days = "By day"
    case places = "By workspace"
  }

  let id: ID
  let block: Block
  let name: String
  let amount: StyledText
  /// The part of the limit, or of the largest sum, from 0 to 1; `nil` if it is not known.
  var share: Double?
  let note: StyledText
  /// The sums of which it consists.
  var rows: [CostSummary.Row] = []
  /// What the detail says besides.
  var facts: [StyledText] = []

  // MARK: - The rows

  init(_ use: BudgetUse, of budget: WorkspaceBudget) {
    id = .budget(place: budget.place, period: use.period)
    (block, name) = (.budgets, budget.place)
    share = use.spent.map { use.isUsedUp ? 1 : $0.share(of: use.limit) }
    let style: Style = use.isUsedUp ? .warning : .plain
    amount = StyledText(use.spent?.text ?? "unknown", use.spent == nil ? .unknown : style)
    let percent = share.map { "\(Int($0 * 100)) % of " } ?? "of "
    let least = budget.isCurrent || use.spent == nil ? "" : "at least "
    note = StyledText(use.isUsedUp ? "! used up: " : least + percent, style)
      .with(StyledText(use.limitText, use.isUsedUp ? style : .dim))
    let source =
      budget.isCurrent
      ? "The costs of all its sessions in the current \(use.period), by its server."
      : "The server was not queried: costs since the last prompt are not included."
    facts = [
      StyledText("\(use.spent?.text ?? "unknown") of \(use.limitText)", style),
      use.isUsedUp ? StyledText("Prompts to the workspace are not sent.", .warning) : StyledText(),
      StyledText(source, .dim),
      StyledText("change with: oppi config set [-w WORKSPACE] budget.\(use.period)", .dim),
    ]
  }

  /// The usage limit of a model's provider that the last turn of a session has reached; `nil` if it has
  /// reached none, or that was reset.
  init?(_ session: ListedSession, at now: Timestamp) {
    guard session.status.outcome == .limited,
      session.status.turn?.resetAt.map({ $0 > now }) ?? true
    else { return nil }
    (id, block) = (.limit(session.id), .limits)
    name = session.status.model ?? session.workspace
    amount = StyledText()
    note = StyledText(session.status.note(at: now), .warning)
    facts =
      [note, StyledText("Servers report a limit only when it is reached.", .dim), StyledText()]
      + session.detail(width: .max, at: now)
  }

  private init(_ id: ID, _ block: Block, _ name: String, _ costs: CostSummary, _ largest: Dollars) {
    (self.id, self.block, self.name, rows) = (id, block, name, costs.rows)
    amount =
      costs.isUnknown ? StyledText("unknown", .unknown) : StyledText(costs.total.text)
    share = costs.isUnknown ? nil : costs.total.share(of: largest)
    let prompts = costs.promptCount.counted("prompt")
    let unknown = costs.isUnknown ? nil : HistoryCosts.unknownNote(of: costs)
    note = StyledText([prompts, unknown].compactMap(\.self).joined(separator: "; "), .dim)
    facts = [StyledText(HistoryCosts.status(of: costs)), StyledText()]
  }

  static func days(of summary: CostSummary) -> [CostItem] {
    let days = summary.days
    let largest = days.map(\.costs.total).max() ?? .zero
    return days.map { CostItem(.day($0.day.text), .days, $0.day.text, $0.costs, largest) }
  }

  static func places(of summary: CostSummary) -> [CostItem] {
    let places = summary.places
    let largest = places.map(\.costs.total).max() ?? .zero
    return places.map { CostItem(.place($0.place), .places, $0.place, $0.costs, largest) }
  }

  // MARK: - Details

  func detail(width: Int, at now: Timestamp) -> [StyledText] {
    let head = [StyledText(name, .heading)] + facts
    let known = if case .day = id { "DAY" } else { "WORKSPACE" }
    let table = HistoryCosts.list.table(of: rows, ListView(now: now), without: known)
    return head.flatMap { $0.folded(to: width) } + table.lines(width: width)
  }

  func spoken(width: Int, at now: Timestamp) -> SpokenItem {
    let words = [amount.plain, note.plain].filter { !$0.isEmpty }.joined(separator: ", ")
    let kind = block == .budgets ? "budget of " : ""
    return SpokenItem(
      line: "\(kind)\(name): \(words)",
      state: .init(),
      detail: detail(width: width, at: now)
    )
  }

  var copyText: String { name }
}
