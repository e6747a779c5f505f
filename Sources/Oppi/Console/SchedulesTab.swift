// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The schedules of this machine and of the servers.
struct SchedulesTab: ConsoleTab {
  /// What takes the keys before the list.
  enum Mode: Sendable {
    case list
    case detail(ScheduleItem.ID, DetailScroll)
    case form(ScheduleForm)
    /// A change that the user is asked about.
    case ask(ConsoleQuestion)
  }

  static let rowsPerItem = 2

  private(set) var list = SteadyList<ScheduleItem.ID>()
  private(set) var items: [ScheduleItem.ID: ScheduleItem] = [:]
  /// The wanted order.
  private var order: [ScheduleItem.ID] = []
  private(set) var problems: [String] = []
  private(set) var isRead = false
  private(set) var text = ""
  private(set) var mode = Mode.list
  private(set) var area = ConsoleArea(row: 0, column: 0, rows: 20, columns: 80)

  var title: String { "Schedules" }

  func opening(in model: ConsoleModel) -> [ConsoleEffect] { [.readSchedules] }

  // MARK: - Keys

  func keys(in model: ConsoleModel) -> [KeyRow] {
    let item = list.selection.flatMap { items[$0] }
    let isOwn = item?.shortcut != nil && !model.isReadOnly
    let switching = item?.isEnabled == false ? "enable" : "disable"
    return [
      KeyRow(
        [.enter, .right],
        "Enter",
        "open",
        help: "Show the next and the last runs of the schedule",
        .open,
        when: item != nil
      ),
      KeyRow(
        [.text("e")],
        "e",
        switching,
        help: "Enable or disable the schedule of this machine; asks first",
        .enable,
        when: isOwn
      ),
      KeyRow(
        [.text("x")],
        "x",
        "run now",
        help: "Run the shortcut now; asks first",
        .runNow,
        when: isOwn
      ),
      KeyRow(
        [.text("a")],
        "a",
        "add",
        help: "Add a schedule; shows the next two runs before saving",
        .add,
        when: !model.isReadOnly
      ),
      KeyRow(
        [.text("c")],
        "c",
        "change",
        help: "Change the schedule, unless it is disabled",
        .change,
        when: isOwn && item?.isEnabled == true
      ),
    ] + ConsoleKeys.list(hasRows: !list.order.isEmpty)
  }

  func copyText(in model: ConsoleModel) -> String? { list.selection.flatMap { items[$0]?.name } }

  var takesAllKeys: Bool { if case .list = mode { false } else { true } }

  var ownHints: [KeyHint] {
    switch mode {
    case .list: []
    case .detail: [.init(keys: "↑ ↓", label: "scroll"), .init(keys: "Esc", label: "back")]
    case .form: [.init(keys: "Enter", label: "next"), .init(keys: "Esc", label: "cancel")]
    case .ask(let question): question.hints
    }
  }

  mutating func perform(
    _ action: ConsoleAction,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    if list.perform(action, page: visibleCount) {
      return action == .refresh ? [.readSchedules] : []
    }
    let item = list.selection.flatMap { items[$0] }
    switch action {
    case .open: if let item { mode = .detail(item.id, DetailScroll()) }
    case .add: mode = .form(ScheduleForm())
    case .change:
      guard let shortcut = item?.shortcut, let request = item?.request else { break }
      mode = .form(ScheduleForm(changing: shortcut, from: request))
    case .runNow: if let shortcut = item?.shortcut { mode = .ask(ConsoleQuestion(.run(shortcut))) }
    case .enable:
      guard let item, let shortcut = item.shortcut else { break }
      mode = .ask(ConsoleQuestion(.enable(shortcut, !item.isEnabled)))
    default: break
    }
    return []
  }

  mutating func filter(by text: String) {
    self.text = text
    list.deselect()
  }

  mutating func take(
    _ key: Key,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    switch mode {
    case .list: break
    case .detail(let id, var scroll):
      mode = scroll.take(key) ? .detail(id, scroll) : .list
    case .ask:
      switch answer(key, at: pressed) {
      case .waiting: break
      case .tooEarly: model.note = ConsoleQuestion.tooEarlyNotice
      case .unconfirmed(let why): model.note = why
      case .cancelled: (mode, model.note) = (.list, "nothing was changed")
      case .confirmed(let effect):
        (mode, model.note) = (.list, "waiting for confirmation")
        return [effect]
      }
    case .form(var form):
      let outcome = form.take(key, at: pressed)
      mode = .form(form)
      switch outcome {
      case .taken: break
      case .cancelled: (mode, model.note) = (.list, "not saved")
      case .plan(let name, let request): return [.plan(name, request, replaces: form.replaces)]
      case .save(let effect):
        mode = .list
        return [effect]
      }
    }
    return []
  }

  // MARK: - News

  mutating func take(
    _ news: ConsoleNews,
    at now: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    switch news {
    case .schedules(let found, let problems):
      items = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
      (order, isRead) = (found.map(\.id), true)
      self.problems = problems.map { $0.safeLine(limit: 300) }
    case .planned(let name, let request, let plan):
      guard case .form(var form) = mode else { break }
      form.take(plan, of: name, request)
      mode = .form(form)
    default: break
    }
    return []
  }

  var question: ConsoleQuestion? {
    get {
      switch mode {
      case .ask(let question): question
      case .form(let form): form.question
      case .list, .detail: nil
      }
    }
    set {
      guard let newValue else { return }
      switch mode {
      case .ask: mode = .ask(newValue)
      case .form(var form):
        form.question = newValue
        mode = .form(form)
      case .list, .detail: break
      }
    }
  }

  mutating func fit(_ layout: ConsoleLayout, _ model: ConsoleModel) {
    area = layout.list
    list.update(order.filter { text.isFound(in: [items[$0]?.text ?? ""]) })
    list.fit(visibleCount)
    guard case .detail(let id, var scroll) = mode else { return }
    let room = layout.side ?? layout.body
    scroll.fit(lines(of: id, width: room.columns).count, room: room.rows)
    mode = .detail(id, scroll)
  }

  func lines(of id: ScheduleItem.ID, width: Int) -> [StyledText] {
    items[id]?.detail(width: width) ?? [StyledText("no longer listed", .dim)]
  }

  var visibleCount: Int { max(1, (area.rows - problems.count) / Self.rowsPerItem) }
}

extension SchedulesTab {
  func draw(on canvas: inout ConsoleCanvas, _ layout: ConsoleLayout, _ model: ConsoleModel) {
    let room = layout.side ?? layout.body
    let detail = detailBlock(room)
    guard let side = layout.side else {
      return canvas.draw(detail ?? listBlock, in: layout.body)
    }
    canvas.draw(listBlock, in: layout.list)
    canvas.drawRule(leftOf: side)
    if let detail {
      canvas.draw(detail, in: side)
    } else if let item = list.selection.flatMap({ items[$0] }) {
      canvas.draw(item.detail(width: side.columns), in: side)
    }
  }

  private func detailBlock(_ area: ConsoleArea) -> ScreenBlock? {
    switch mode {
    case .list: return nil
    case .detail(let id, let scroll):
      let shown = lines(of: id, width: area.columns).shown(scroll)
      return ScreenBlock(lines: shown, cursor: (0, 0))
    case .form(let form): return form.view(width: area.columns, rows: area.rows)
    case .ask(let question): return question.view(width: area.columns, rows: area.rows)
    }
  }

  private var listBlock: ScreenBlock {
    var block = ScreenBlock(lines: [], cursor: (0, 0))
    if list.order.isEmpty {
      block.lines.append(
        ConsoleEmpty.text(
          ConsoleEmpty.schedules,
          unless: isRead ? nil : ConsoleEmpty.loading,
          isFiltered: !text.isEmpty
        )
      )
    }
    for id in list.order.dropFirst(list.top).prefix(visibleCount) {
      let isSelected = id == list.selection
      if isSelected { block.cursor = (block.lines.count, 0) }
      block.lines +=
        items[id]?.rows(width: area.columns, isSelected: isSelected)
        ?? [StyledText("  no longer listed", .dim), StyledText()]
    }
    block.lines += problems.map { StyledText("✗ \($0)", .error).truncated(to: area.columns) }
    return block
  }
}
