// SPDX-License-Identifier: MIT

import OppiClient
import OppiTerminal
import OppiText

/// A tab of the console with a list; what it lists is its source.
struct ListTab<Source: ListSource>: ConsoleTab {
  typealias ID = Source.Item.ID

  /// What takes the keys.
  enum Mode: Sendable {
    case list
    /// The detail of an item, scrolled by keys.
    case detail(ID, DetailScroll)
    case page(any ListPage)
  }

  private(set) var source: Source
  private(set) var list = SteadyList<ID>()
  /// The position of the shown group.
  private(set) var group = 0
  private(set) var text = ""
  /// The header of the column by which the list is sorted; `nil` for the source's order.
  private(set) var sorting: String?
  /// The items that the next action is for.
  private(set) var marked: Set<ID> = []
  private(set) var mode = Mode.list
  /// The item that waited for the user when its chat was opened.
  private var inChat: ID?
  private(set) var size = ScreenSize(columns: 80, rows: 20)
  /// The rows that are not those of items.
  private var frameRows = 0
  /// The most headings between the rows.
  private var headingRows = 0
  /// The number of items that fit from the first visible one on.
  private(set) var visibleCount = 1
  /// The heading below which each item was placed: an item that changes keeps its place, too.
  private(set) var headings: [ID: String] = [:]
  /// How many items belong to each heading now.
  private(set) var headingCounts: [String: Int] = [:]

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
      if case .showChat = effect, let id = list.selection, waits(id, in: model) { inChat = id }
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
    placeHeadings(in: model)
    if !marked.isEmpty { marked.formIntersection(ids) }
  }

  private mutating func placeHeadings(in model: ConsoleModel) {
    let placed = list.isInOrder ? [:] : headings
    (headings, headingCounts) = ([:], [:])
    guard hasHeadings else { return }
    for id in list.order {
      let present = heading(of: id, in: model)
      if let present { headingCounts[present, default: 0] += 1 }
      headings[id] = placed[id] ?? present
    }
  }

  /// The heading to which an item belongs now.
  private func heading(of id: ID, in model: ConsoleModel) -> String? {
    if list.fresh.contains(id) { return "New" }
    return source.item(id, in: model).flatMap { source.heading(of: $0, sortedBy: sorting) }
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

  /// After an answer in the chat, the selection moves as after one in the list.
  mutating func wasChosen(in model: ConsoleModel) {
    if let inChat, inChat == list.selection { moveOn(in: model) }
    inChat = nil
  }

  private func waits(_ id: ID, in model: ConsoleModel) -> Bool {
    source.item(id, in: model).map { source.waits($0, in: model) } ?? false
  }

  /// Selects the next item that waits, if the selected one does no longer.
  private mutating func moveOn(in model: ConsoleModel) {
    guard let selection = list.selection, !waits(selection, in: model) else { return }
    let waiting = Set(list.order.filter { waits($0, in: model) })
    list.selectNext(where: waiting.contains)
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
    headingRows = source.headingRows(sortedBy: sorting, in: model)
    updateList(in: model)
    let frame = frame(in: model)
    frameRows =
      head(frame).count + frame.notices.count + frame.problems.count + (source.hasHeaders ? 1 : 0)
    fitRows()
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

  /// Scrolls to the selected row; how many rows there are depends on the headings between them.
  private mutating func fitRows() {
    for _ in 0...headingRows + 1 {
      let count = room(from: list.top)
      list.fit(count)
      visibleCount = min(count, room(from: list.top))
      if visibleCount == count { return }
    }
    list.fit(visibleCount)
  }

  /// The number of items that fit with their headings below the one at `top`.
  private func room(from top: Int) -> Int {
    var (rest, count) = (size.rows - frameRows, 0)
    for index in list.order.indices.dropFirst(top) {
      let rows = hasHeading(at: index, top: top) ? 2 : 1
      guard rows <= rest else { return max(1, count) }
      (rest, count) = (rest - rows, count + 1)
    }
    return max(1, count + rest)
  }

  /// Whether a heading stands above an item, if `top` is the first one on the screen.
  func hasHeading(at index: Int, top: Int) -> Bool {
    guard hasHeadings, let heading = headings[list.order[index]] else { return false }
    return index == top || headings[list.order[index - 1]] != heading
  }

  /// Screens with fewer rows have no room for headings.
  private static var leastRowsWithHeadings: Int { 14 }

  var hasHeadings: Bool {
    headingRows > 0 && size.rows >= Self.leastRowsWithHeadings
  }
}
