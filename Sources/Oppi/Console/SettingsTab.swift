// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The paired servers: access, devices, policy, learned rules, past decisions, notification rules.
struct SettingsTab: ConsoleTab {
  /// What takes the keys before the list.
  private enum Mode: Sendable {
    case list
    case detail(SettingsItem.ID, DetailScroll)
    /// A change that the user is asked about.
    case ask(ConsoleQuestion)
  }

  private(set) var list = SteadyList<SettingsItem.ID>()
  private var items: [SettingsItem.ID: SettingsItem] = [:]
  private var order: [SettingsItem.ID] = []
  private var isRead = false
  private var text = ""
  private var mode = Mode.list
  private var area = ConsoleArea(row: 0, column: 0, rows: 20, columns: 80)

  var title: String { "Settings" }

  func opening(in model: ConsoleModel) -> [ConsoleEffect] { [.readSettings] }

  // MARK: - Keys

  func keys(in model: ConsoleModel) -> [KeyRow] {
    let item = list.selection.flatMap { items[$0] }
    let isServer = if case .server? = item?.id { true } else { false }
    let isRule = if case .rule? = item?.id { true } else { false }
    return [
      KeyRow(
        [.enter, .right],
        "Enter",
        "open",
        help: "Show access, policy and past decisions of the server, or the times of the device",
        .open,
        when: item != nil
      ),
      KeyRow(
        [.text("x")],
        "x",
        isRule ? "remove" : "revoke",
        help: "End the access of the device, or remove the learned rule; asks first",
        .revoke,
        when: item?.isRevocable == true && !model.isReadOnly
      ),
      KeyRow(
        [.text("D")],
        "D",
        "sign out",
        help: "Remove the server from this machine; asks first",
        .signOut,
        when: isServer && !model.isReadOnly
      ),
    ] + ConsoleKeys.list(hasRows: !list.order.isEmpty)
  }

  func copyText(in model: ConsoleModel) -> String? {
    list.selection.flatMap { id in
      switch id {
      case .device(_, let deviceID): deviceID
      case .server, .rule: items[id]?.label
      }
    }
  }

  var takesAllKeys: Bool { if case .list = mode { false } else { true } }

  var ownHints: [KeyHint] {
    switch mode {
    case .list: []
    case .detail: [.init(keys: "↑ ↓", label: "scroll"), .init(keys: "Esc", label: "back")]
    case .ask(let question): question.hints
    }
  }

  mutating func perform(
    _ action: ConsoleAction,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    if list.perform(action, page: visibleCount) {
      return action == .refresh ? [.readSettings] : []
    }
    guard let item = list.selection.flatMap({ items[$0] }) else { return [] }
    let server = model.board.server(item.id.serverID)?.name ?? ""
    switch (action, item.id) {
    case (.open, _): mode = .detail(item.id, DetailScroll())
    case (.revoke, _):
      if let change = ConsoleChange.remove(item, from: server) {
        mode = .ask(ConsoleQuestion(change))
      }
    case (.signOut, .server(let serverID)):
      mode = .ask(ConsoleQuestion(.signOut(of: server, serverID)))
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
        mode = .list
        return [effect]
      }
    }
    return []
  }

  private func lines(of id: SettingsItem.ID, width: Int) -> [StyledText] {
    let detail = items[id]?.detail ?? [StyledText("no longer listed", .dim)]
    return detail.flatMap { $0.folded(to: max(1, width)) }
  }

  // MARK: - News

  mutating func take(
    _ news: ConsoleNews,
    at now: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    guard case .settings(let found) = news else { return [] }
    items = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    (order, isRead) = (found.map(\.id), true)
    return []
  }

  var question: ConsoleQuestion? {
    get { if case .ask(let question) = mode { question } else { nil } }
    set {
      if question != nil, let newValue { mode = .ask(newValue) }
    }
  }

  mutating func fit(_ layout: ConsoleLayout, _ model: ConsoleModel) {
    area = layout.list
    list.update(order.filter { text.isFound(in: [items[$0]?.label ?? ""]) })
    list.fit(visibleCount)
    guard case .detail(let id, var scroll) = mode else { return }
    let room = layout.side ?? layout.body
    scroll.fit(lines(of: id, width: room.columns).count, room: room.rows)
    mode = .detail(id, scroll)
  }

  private var visibleCount: Int { max(1, area.rows) }

  // MARK: - View

  func draw(on canvas: inout ConsoleCanvas, _ layout: ConsoleLayout, _ model: ConsoleModel) {
    let detail = detailBlock(layout.side ?? layout.body)
    guard let side = layout.side else {
      return canvas.draw(detail ?? listBlock, in: layout.body)
    }
    canvas.draw(listBlock, in: layout.list)
    canvas.drawRule(leftOf: side)
    if let detail {
      canvas.draw(detail, in: side)
    } else if let id = list.selection {
      canvas.draw(lines(of: id, width: side.columns), in: side)
    }
  }

  private func detailBlock(_ area: ConsoleArea) -> ScreenBlock? {
    switch mode {
    case .list: return nil
    case .detail(let id, let scroll):
      let shown = lines(of: id, width: area.columns).shown(scroll)
      return ScreenBlock(lines: shown, cursor: (0, 0))
    case .ask(let question): return question.view(width: area.columns, rows: area.rows)
    }
  }

  private var listBlock: ScreenBlock {
    var block = ScreenBlock(lines: [], cursor: (0, 0))
    if list.order.isEmpty {
      block.lines.append(
        ConsoleEmpty.text(
          "No servers.",
          unless: isRead ? nil : ConsoleEmpty.loading,
          isFiltered: !text.isEmpty
        )
      )
    }
    for id in list.order.dropFirst(list.top).prefix(visibleCount) {
      let isSelected = id == list.selection
      if isSelected { block.cursor = (block.lines.count, 0) }
      block.lines.append(
        items[id]?.rows(width: area.columns, isSelected: isSelected)
          ?? StyledText("  no longer listed", .dim)
      )
    }
    return block
  }
}
