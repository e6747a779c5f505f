// SPDX-License-Identifier: MIT

import OppiClient
import OppiTerminal
import OppiText

/// A tab of the console with a list; what it lists is its source.
struct ListTab<Source: ListSource>: ConsoleTab {
  typealias ID = Source.Item.ID

  /// What takes the keys.
  private enum Mode: Sendable {
    case list
    /// The detail of an item, scrolled by keys.
    case detail(ID, DetailScroll)
    case page(any ListPage)
  }

  private(set) var source: Source
  private(set) var list = SteadyList<ID>()
  /// The position of the shown group.
  private var group = 0
  private var text = ""
  /// The header of the column by which the list is sorted; `nil` for the source's order.
  private var sorting: String?
  /// The items that the next action is for.
  private var marked: Set<ID> = []
  private var mode = Mode.list
  private var size = ScreenSize(columns: 80, rows: 20)
  /// The rows that are not those of items.
  private var frameRows = 0
  /// The most headings between the rows.
  private var headingRows = 0

  init(_ source: Source) { self.source = source }

  var title: String { source.title }

  func count(in model: ConsoleModel) -> Int { source.count(in: model) }

  func opening(in model: ConsoleModel) -> [ConsoleEffect] { source.opening }

  /// The page that takes the keys; `nil` for none.
  private(set) var page: (any ListPage)? {
    get { if case .page(let page) = mode { page } else { nil } }
    set {
      // A call on no page also sets none, and must not close a detail.
      if let newValue { mode = .page(newValue) } else if page != nil { mode = .list }
    }
  }

  // MARK: - Keys

  private func selected(in model: ConsoleModel) -> Source.Item? {
    list.selection.flatMap { source.item($0, in: model) }
  }

  private func markedItems(in model: ConsoleModel) -> [Source.Item] {
    list.order.filter(marked.contains).compactMap { source.item($0, in: model) }
  }

  func keys(in model: ConsoleModel) -> [KeyRow] {
    let moving = ConsoleKeys.list.when(!list.order.isEmpty)
    let mark = KeyRow(
      [.text(" ")],
      "Space",
      "mark",
      help: "Mark the selected row for an action on all marked ones, or remove its mark",
      .mark,
      when: !list.order.isEmpty && source.canMark(in: model)
    )
    guard marked.isEmpty else {
      let unmark = KeyRow([.escape], "Esc", "unmark-all", help: "Remove all marks", .back)
      return source.keys(forMarked: markedItems(in: model), in: model) + [mark, unmark] + moving
    }
    let sort = KeyRow(
      "o",
      "sort",
      help: "Sort the list by its next column",
      .sort,
      when: source.canSort
    )
    let own = source.keys(for: selected(in: model), in: model)
    return [searchKey] + own + [newKey(beside: own, in: model)] + moving
      + [mark.withoutHint, sort.withoutHint]
      + source.lastKeys(isFiltered: !text.isEmpty, in: model)
  }

  /// Searches on the servers what the filter does not find.
  private var searchKey: KeyRow {
    KeyRow(
      [.enter],
      "Enter",
      "search",
      help: "Search the text of a filter that finds nothing in all conversations",
      .search(text),
      when: source.canSearch && list.order.isEmpty && !text.isEmpty
    )
  }

  /// Sends a prompt to a new session, unless the list has another use for the key.
  private func newKey(beside own: [KeyRow], in model: ConsoleModel) -> KeyRow {
    let isFree = !own.contains { $0.keys.contains(.text("n")) }
    return KeyRow(
      "n",
      "new",
      help: "Send a prompt to a new session",
      .newPrompt,
      when: isFree && source.canStart && !model.isReadOnly
    )
  }

  /// The columns by which the list can be sorted.
  private func sortings(in model: ConsoleModel) -> [ListColumn<Source.Item>] {
    source.columns(in: model).filter { $0.precedes != nil }
  }

  func copyText(in model: ConsoleModel) -> String? { selected(in: model)?.copyText }

  var ownHints: [KeyHint]? {
    switch mode {
    case .list: nil
    case .detail: [KeyHint("↑ ↓", "scroll"), KeyHint("Esc", "back")]
    case .page(let page): page.hints
    }
  }

  mutating func perform(_ action: ConsoleAction, in model: inout ConsoleModel) -> [ConsoleEffect] {
    let item = selected(in: model)
    list.keep()
    if let page = source.perform(action, on: item, in: &model) { return show(page) }
    if list.perform(action, page: visibleCount) {
      if case .refresh = action { return source.opening }
      return []
    }
    switch action {
    case .nextFilter: changeGroup(by: 1, in: model)
    case .previousFilter: changeGroup(by: -1, in: model)
    case .back:
      if marked.isEmpty { filter(by: "") } else { marked = [] }
    case .sort: sort(in: model)
    case .mark: toggleMark()
    case .detail: mode = list.selection.map { .detail($0, DetailScroll()) } ?? .list
    case .newPrompt: return show(NewPrompt(in: &model))
    case .ask(let change): return show(ConsoleQuestion(change))
    case .perform(let effect):
      marked = []
      return [effect]
    default: break
    }
    return []
  }

  private mutating func show(_ page: any ListPage) -> [ConsoleEffect] {
    mode = .page(page)
    return page.opening
  }

  private mutating func changeGroup(by step: Int, in model: ConsoleModel) {
    let count = max(1, source.frame(in: model).groups.count)
    group = (group + step + count) % count
    updateList(in: model)
    list.sort()
  }

  private mutating func sort(in model: ConsoleModel) {
    let all = sortings(in: model).map(\.header)
    let next = all.firstIndex { $0 == sorting }.map { $0 + 1 } ?? 0
    sorting = all.indices.contains(next) ? all[next] : nil
    updateList(in: model)
    list.sort()
  }

  private mutating func toggleMark() {
    guard let selection = list.selection else { return }
    if marked.remove(selection) == nil { marked.insert(selection) }
    list.move(by: 1)
  }

  mutating func search(_ text: String) -> [ConsoleEffect]? { source.search(text) }

  mutating func filter(by text: String) {
    self.text = text
    source.endSearch()
    list.begin()
  }

  private mutating func updateList(in model: ConsoleModel) {
    var items = source.items(group: group, matching: text, in: model)
    if let sorting,
      let precedes = sortings(in: model).first(where: { $0.header == sorting })?.precedes
    {
      // The sort of the standard library is not documented to be stable.
      items = items.enumerated()
        .sorted { precedes($0.1, $1.1) || !precedes($1.1, $0.1) && $0.0 < $1.0 }.map(\.1)
    }
    let ids = items.map(\.id)
    list.update(ids)
    if !marked.isEmpty { marked.formIntersection(ids) }
  }

  mutating func take(_ key: Key, in model: inout ConsoleModel) -> [ConsoleEffect] {
    guard !adapt(to: &model) else { return [] }
    switch mode {
    case .list: return []
    case .detail(let id, var scroll):
      mode = scroll.take(key) ? .detail(id, scroll) : .list
      return []
    case .page(var page):
      let outcome = page.take(key, in: &model)
      mode = .page(page)
      switch outcome {
      case .stays(let effects): return effects
      case .closes(let effects):
        mode = .list
        let settled = source.settle(effects, in: &model)
        if !settled.isEmpty {
          marked = []
          moveOn(in: model)
        }
        return settled
      }
    }
  }

  /// Selects the next item that waits, if the selected one does no longer.
  private mutating func moveOn(in model: ConsoleModel) {
    func waits(_ id: ID) -> Bool {
      source.item(id, in: model).map { source.waits($0, in: model) } ?? false
    }
    if let selection = list.selection, !waits(selection) { list.selectNext(where: waits) }
  }

  /// A click selects a row, a second one opens it, and the wheel moves the selection; what is open
  /// takes no clicks.
  mutating func point(
    _ event: MouseEvent,
    _ layout: ConsoleLayout,
    in model: ConsoleModel
  ) -> Bool {
    guard !takesAllKeys, layout.list.contains(row: event.row, column: event.column) else {
      return false
    }
    switch event.action {
    case .wheelUp: list.move(by: -Self.wheelRows)
    case .wheelDown: list.move(by: Self.wheelRows)
    case .release: break
    case .press:
      let rows = listRows(model)
      let index = event.row - layout.list.row
      guard rows.indices.contains(index), let id = rows[index].id else { break }
      list.select(id)
      return event.isDouble
    }
    return false
  }

  private static var wheelRows: Int { 3 }

  // MARK: - Time and news

  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> [ConsoleEffect] {
    if source.take(news, in: &model) { list.begin() }
    _ = adapt(to: &model)
    return page?.take(news, in: model) ?? []
  }

  private mutating func adapt(to model: inout ConsoleModel) -> Bool {
    var open = page
    let isReplaced = source.adapt(&open, to: &model)
    if page != nil { page = open }
    return isReplaced
  }

  mutating func wasShown(at now: Duration) {
    list.wasShown(at: now)
    page?.wasShown(at: now)
  }

  mutating func wait(in model: inout ConsoleModel) -> [ConsoleEffect] {
    page?.wait(at: model.moment)
    _ = adapt(to: &model)
    return []
  }

  mutating func isShownAgain() {
    list.isShownAgain()
    page?.isShownAgain()
  }

  mutating func fit(_ layout: ConsoleLayout, _ model: ConsoleModel) {
    size = layout.list.size
    updateList(in: model)
    let frame = source.frame(in: model)
    (frameRows, headingRows) = (
      head(frame).count + frame.notices.count + frame.problems.count,
      source.headingRows(sortedBy: sorting, in: model)
    )
    list.fit(visibleCount)
    switch mode {
    case .list: break
    case .detail(let id, var scroll):
      let count = detail(of: id, width: layout.detail.columns, in: model).count
      scroll.fit(count, room: layout.detail.rows)
      mode = .detail(id, scroll)
    case .page(var page):
      page.fit((page.coversList ? layout.body : layout.detail).size, model)
      mode = .page(page)
    }
  }

  /// One row is for the names of the columns, or for new rows.
  private var visibleCount: Int {
    max(1, size.rows - frameRows - 1 - (hasHeadings ? headingRows : 0))
  }

  /// Screens with fewer rows have no room for headings.
  private static var leastRowsWithHeadings: Int { 14 }

  private var hasHeadings: Bool {
    headingRows > 0 && size.rows >= Self.leastRowsWithHeadings
  }

  private func detail(of id: ID, width: Int, in model: ConsoleModel) -> [StyledText] {
    source.item(id, in: model).map { source.detail(of: $0, width: width, in: model) }
      ?? [StyledText("no longer listed", .dim)]
  }

  // MARK: - View

  func draw(on canvas: inout Canvas, _ layout: ConsoleLayout, _ model: ConsoleModel) -> Cursor? {
    if let page, page.coversList {
      return canvas.draw(page.view(layout.body.size, in: model), in: layout.body)
    }
    let open = openBlock(layout, model)
    if let open, !layout.isSplit { return canvas.draw(open, in: layout.body) }
    let listed = drawList(on: &canvas, in: layout.list, model)
    // An empty list has nothing beside it.
    guard layout.isSplit, let beside = open ?? preview(layout, model) else { return listed }
    layout.drawDivider(on: &canvas)
    return canvas.draw(beside, in: layout.detail) ?? listed
  }

  /// The detail of the selected item.
  private func preview(_ layout: ConsoleLayout, _ model: ConsoleModel) -> ScreenBlock? {
    list.selection.map {
      ScreenBlock(lines: detail(of: $0, width: layout.detail.columns, in: model))
    }
  }

  /// What is open in place of the list, or next to it; `nil` for nothing.
  private func openBlock(_ layout: ConsoleLayout, _ model: ConsoleModel) -> ScreenBlock? {
    switch mode {
    case .list: return nil
    case .detail(let id, let scroll):
      let lines = detail(of: id, width: layout.detail.columns, in: model)
      return ScreenBlock(lines: lines.shown(scroll), cursor: .focus())
    case .page(let page): return page.view(layout.detail.size, in: model)
    }
  }

  private func drawList(on canvas: inout Canvas, in area: Rect, _ model: ConsoleModel) -> Cursor? {
    let cursor = canvas.draw(listBlock(model), in: area)
    if let cursor, list.position != nil {
      canvas.select(
        Rect(row: cursor.row, column: area.column, rows: 1, columns: area.columns)
      )
    }
    return cursor
  }

  private func listBlock(_ model: ConsoleModel) -> ScreenBlock {
    let rows = listRows(model)
    let selected = rows.firstIndex { $0.id != nil && $0.id == list.selection }
    return ScreenBlock(lines: rows.map(\.line), cursor: .focus(row: selected ?? 0))
  }

  /// A row of the list, and the item that it shows; `nil` for a row around the items.
  private typealias Row = (id: ID?, line: StyledText)

  private func listRows(_ model: ConsoleModel) -> [Row] {
    let frame = source.frame(in: model)
    var lines = head(frame) + frame.notices
    if list.order.isEmpty {
      let isFiltered = group != 0 || !text.isEmpty || frame.search != nil
      lines.append(ConsoleEmpty.text(frame.empty, unless: frame.unknown, isFiltered: isFiltered))
      lines += frame.emptyNote.map { StyledText($0, .dim).folded(to: size.columns) } ?? []
    }
    let problems = frame.problems.map { StyledText("✗ \($0)", .error) }
    return lines.map { (nil, $0) } + itemRows(model) + problems.map { (nil, $0) }
  }

  /// The visible items, below the names of the columns and with their headings.
  private func itemRows(_ model: ConsoleModel) -> [Row] {
    let margin = marginWidth
    var table = source.table(of: list.order, width: size.columns - margin, in: model)
    var rows: [Row] = []
    if table.count > list.order.count {
      let space = StyledText(String(repeating: " ", count: margin))
      rows.append((nil, space.with(table.removeFirst())))
    }
    let headings = hasHeadings ? list.order.map { heading(of: $0, in: model) } : []
    for (index, line) in table.enumerated().dropFirst(list.top).prefix(visibleCount) {
      if hasHeadings, let heading = headings[index],
        index == list.top || headings[index - 1] != heading
      {
        let title = "\(heading) · \(headings.count { $0 == heading })"
        rows.append((nil, Self.line(of: title, width: size.columns)))
      }
      let id = list.order[index]
      rows.append((id, self.margin(of: id).with(line)))
    }
    return rows
  }

  private func heading(of id: ID, in model: ConsoleModel) -> String? {
    if list.fresh.contains(id) { return "New" }
    return source.item(id, in: model).flatMap { source.heading(of: $0, sortedBy: sorting) }
  }

  private static func line(of heading: String, width: Int) -> StyledText {
    let rest = max(0, width - DisplayWidth.of(heading) - 4)
    return StyledText("── ", .dim).with(StyledText(heading, .heading))
      .with(StyledText(" " + String(repeating: "─", count: rest), .dim))
  }

  private var marginWidth: Int { marked.isEmpty ? 2 : 4 }

  /// Which row is selected, which are marked, and which were added below.
  private func margin(of id: ID) -> StyledText {
    let mark = marked.contains(id) ? "▣ " : "  "
    let all = marked.isEmpty ? StyledText() : StyledText(mark, .name)
    if id == list.selection { return StyledText("▸ ", .accent).with(all) }
    return (list.fresh.contains(id) ? StyledText("+ ", .accent) : StyledText("  ")).with(all)
  }

  /// The groups with their numbers, the chosen one in brackets; or that a search has a result.
  private func head(_ frame: ListFrame) -> [StyledText] {
    if let search = frame.search { return [StyledText(search, .warning)] }
    let notes = [
      marked.isEmpty ? nil : "\(marked.count) marked",
      list.fresh.isEmpty ? nil : "\(list.fresh.count) new below, Home: sort",
      sorting.map { "by \($0.lowercased())" },
      text.isEmpty ? nil : "/\(text.safeLine(limit: 40))",
    ]
    .compactMap(\.self)
    guard !frame.groups.isEmpty || !marked.isEmpty else { return [] }
    return [
      ConsoleChrome.filters(frame.groups, chosen: group, notes: notes, width: size.columns)
    ]
  }
}
