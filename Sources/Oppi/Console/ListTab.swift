// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// What a list of the console shows, and what can be done with its items.
///
/// ``ListTab`` has the rest: the selection, the filter, the detail, the open page and the drawing.
protocol ListSource: Sendable {
  associatedtype ID: Hashable & Sendable

  var title: String { get }

  /// The number of items that need the user.
  func count(in model: ConsoleModel) -> Int

  /// What stands around the rows.
  func frame(in model: ConsoleModel) -> ListFrame

  /// The items of a group of the frame that contain a text, in the wanted order.
  func ids(group: Int, matching text: String, in model: ConsoleModel) -> [ID]

  /// The number of rows of each item.
  func rowCount(width: Int) -> Int

  /// The rows of an item; `nil` if it is no longer listed.
  func rows(of id: ID, as row: ListRow, in model: ConsoleModel) -> [StyledText]?

  /// What is known of an item, folded to a width; `nil` if it is no longer listed.
  func detail(of id: ID, width: Int, in model: ConsoleModel) -> [StyledText]?

  /// What the line form tells of an item; `nil` if it is no longer listed.
  func spoken(_ id: ID, width: Int, in model: ConsoleModel) -> SpokenItem?

  /// The text that `y` copies of an item; `nil` for none.
  func copyText(of id: ID, in model: ConsoleModel) -> String?

  /// The keys for the selected item, before those that every list has.
  func keys(for id: ID?, in model: ConsoleModel) -> [KeyRow]

  /// The keys after those that every list has; `isFiltered` is whether the filter has a text.
  func lastKeys(isFiltered: Bool, in model: ConsoleModel) -> [KeyRow]

  /// Performs an action, as far as it is the source's own; returns the page that it opens.
  mutating func perform(
    _ action: ConsoleAction,
    on id: ID?,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> (any ListPage)?

  /// Takes the result with which a page closed.
  mutating func take(
    _ result: PageResult,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect]

  /// Takes news; returns whether other items are listed now, so that none stays selected.
  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> Bool

  /// Adapts the source and the open page to the model; returns whether that replaced the page, or
  /// what it is about, so that a key pressed for the earlier one does not count.
  mutating func adapt(_ page: inout (any ListPage)?, to model: inout ConsoleModel) -> Bool

  /// The filter has changed, so that the result of a search is no longer shown.
  mutating func endSearch()

  /// The effects when the list is shown or sorted, such as reading its data.
  var opening: [ConsoleEffect] { get }
}

extension ListSource {
  func count(in model: ConsoleModel) -> Int { 0 }
  func lastKeys(isFiltered: Bool, in model: ConsoleModel) -> [KeyRow] { [] }

  mutating func perform(
    _ action: ConsoleAction,
    on id: ID?,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> (any ListPage)? { nil }

  mutating func take(
    _ result: PageResult,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] { [] }

  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> Bool { false }
  mutating func adapt(_ page: inout (any ListPage)?, to model: inout ConsoleModel) -> Bool { false }
  mutating func endSearch() {}
  var opening: [ConsoleEffect] { [] }
}

/// A list that is read as a whole, and not from the board.
protocol ItemSource: ListSource where ID == Item.ID {
  associatedtype Item: ListItem

  /// `nil` until they were read.
  var items: [Item]? { get }
}

/// An item of a list that is read as a whole.
protocol ListItem: Identifiable, Sendable {
  /// The text that the filter searches.
  var text: String { get }

  func rows(width: Int, isSelected: Bool) -> [StyledText]

  /// What is known of it, folded to a width.
  func detail(width: Int) -> [StyledText]

  /// What the line form tells of it.
  func spoken(width: Int) -> SpokenItem
}

extension ItemSource {
  func item(_ id: ID?) -> Item? { items?.first { $0.id == id } }

  func ids(group: Int, matching text: String, in model: ConsoleModel) -> [ID] {
    (items ?? []).filter { text.isFound(in: [$0.text]) }.map(\.id)
  }

  func rows(of id: ID, as row: ListRow, in model: ConsoleModel) -> [StyledText]? {
    item(id)?.rows(width: row.width, isSelected: row.isSelected)
  }

  func detail(of id: ID, width: Int, in model: ConsoleModel) -> [StyledText]? {
    item(id)?.detail(width: max(1, width))
  }

  func spoken(_ id: ID, width: Int, in model: ConsoleModel) -> SpokenItem? {
    item(id)?.spoken(width: width)
  }
}

/// The texts around the rows of a list.
struct ListFrame: Sendable {
  /// The titles of the groups, with their numbers; empty for a list without groups.
  var groups: [String] = []
  /// Takes the place of the groups while the result of a search is shown.
  var search: String?
  /// Below the groups.
  var notices: [StyledText] = []
  /// Below the rows.
  var problems: [String] = []
  /// The text of a list that is known to be empty.
  var empty: String
  /// Why nothing is listed although there may be something.
  var unknown: String?
  /// Below the text of an empty list.
  var emptyNote: String?

  /// The number of rows that are not those of items.
  fileprivate var rowCount: Int {
    (groups.isEmpty && search == nil ? 0 : 1) + notices.count + problems.count
  }
}

/// How an item is shown in a list.
struct ListRow: Sendable {
  var width: Int
  var isSelected: Bool
  /// Whether the item was added below while a row was selected.
  var isNew: Bool
}

/// A tab of the console with a list; what it lists is its source.
struct ListTab<Source: ListSource>: ConsoleTab {
  /// What takes the keys.
  private enum Mode: Sendable {
    case list
    /// The detail of an item, scrolled by keys.
    case detail(Source.ID, DetailScroll)
    case page(any ListPage)
  }

  private(set) var source: Source
  private(set) var list = SteadyList<Source.ID>()
  /// The position of the shown group.
  private var group = 0
  private var text = ""
  private var mode = Mode.list
  private var area = ConsoleArea(row: 0, column: 0, rows: 20, columns: 80)
  private var frameRows = 0

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

  func keys(in model: ConsoleModel) -> [KeyRow] {
    source.keys(for: list.selection, in: model)
      + ConsoleKeys.list(hasRows: !list.order.isEmpty)
      + source.lastKeys(isFiltered: !text.isEmpty, in: model)
  }

  func copyText(in model: ConsoleModel) -> String? {
    list.selection.flatMap { source.copyText(of: $0, in: model) }
  }

  var takesAllKeys: Bool { if case .list = mode { false } else { true } }

  var ownHints: [KeyHint] {
    switch mode {
    case .list: []
    case .detail: [.init(keys: "↑ ↓", label: "scroll"), .init(keys: "Esc", label: "back")]
    case .page(let page): page.hints
    }
  }

  mutating func perform(
    _ action: ConsoleAction,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    if let page = source.perform(action, on: list.selection, at: pressed, in: &model) {
      mode = .page(page)
      return page.opening
    }
    if list.perform(action, page: visibleCount) {
      return action == .refresh ? source.opening : []
    }
    switch action {
    case .nextFilter: changeGroup(by: 1, in: model)
    case .previousFilter: changeGroup(by: -1, in: model)
    case .back: filter(by: "")
    case .detail: mode = list.selection.map { .detail($0, DetailScroll()) } ?? .list
    case .ask(let change): mode = .page(ConsoleQuestion(change))
    case .perform(let effect): return [effect]
    default: break
    }
    return []
  }

  private mutating func changeGroup(by step: Int, in model: ConsoleModel) {
    let count = max(1, source.frame(in: model).groups.count)
    group = (group + step + count) % count
    list.update(ids(in: model))
    list.sort()
  }

  mutating func filter(by text: String) {
    self.text = text
    source.endSearch()
    list.deselect()
  }

  private func ids(in model: ConsoleModel) -> [Source.ID] {
    source.ids(group: group, matching: text, in: model)
  }

  mutating func take(
    _ key: Key,
    at pressed: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    guard !adapt(to: &model) else { return [] }
    switch mode {
    case .list: return []
    case .detail(let id, var scroll):
      mode = scroll.take(key) ? .detail(id, scroll) : .list
      return []
    case .page(var page):
      let outcome = page.take(key, at: pressed, in: &model)
      mode = .page(page)
      switch outcome {
      case .stays(let effects): return effects
      case .closes(let effects):
        mode = .list
        return effects
      case .returns(let result):
        mode = .list
        return source.take(result, at: pressed, in: &model)
      }
    }
  }

  // MARK: - Time and news

  mutating func take(
    _ news: ConsoleNews,
    at now: Duration,
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] {
    if source.take(news, in: &model) { list.deselect() }
    _ = adapt(to: &model)
    return page?.take(news, in: model) ?? []
  }

  private mutating func adapt(to model: inout ConsoleModel) -> Bool {
    var open = page
    let isReplaced = source.adapt(&open, to: &model)
    if page != nil { page = open }
    return isReplaced
  }

  mutating func wasShown(at now: Duration) { page?.wasShown(at: now) }

  mutating func wait(at now: Duration, in model: inout ConsoleModel) -> [ConsoleEffect] {
    page?.wait(at: now)
    _ = adapt(to: &model)
    return []
  }

  mutating func isShownAgain() { page?.isShownAgain() }

  mutating func fit(_ layout: ConsoleLayout, _ model: ConsoleModel) {
    area = layout.list
    frameRows = source.frame(in: model).rowCount
    list.update(ids(in: model))
    list.fit(visibleCount)
    switch mode {
    case .list: break
    case .detail(let id, var scroll):
      let count = lines(of: id, width: layout.detail.columns, in: model).count
      scroll.fit(count, room: layout.detail.rows)
      mode = .detail(id, scroll)
    case .page(var page):
      page.fit((page.coversList ? layout.body : layout.detail).size, model)
      mode = .page(page)
    }
  }

  private var visibleCount: Int {
    max(1, (area.rows - frameRows) / source.rowCount(width: area.columns))
  }

  private func lines(of id: Source.ID, width: Int, in model: ConsoleModel) -> [StyledText] {
    source.detail(of: id, width: width, in: model) ?? [StyledText("no longer listed", .dim)]
  }

  // MARK: - View

  func draw(on canvas: inout ConsoleCanvas, _ layout: ConsoleLayout, _ model: ConsoleModel) {
    if let page, page.coversList { return canvas.draw(page.view(in: model), in: layout.body) }
    let detail = openBlock(layout.detail, model)
    guard let side = layout.side else {
      return canvas.draw(detail ?? listBlock(model), in: layout.body)
    }
    canvas.draw(listBlock(model), in: layout.list)
    canvas.drawRule(leftOf: side)
    if let detail {
      canvas.draw(detail, in: side)
    } else if let id = list.selection {
      canvas.draw(source.detail(of: id, width: side.columns, in: model) ?? [], in: side)
    }
  }

  private func openBlock(_ area: ConsoleArea, _ model: ConsoleModel) -> ScreenBlock? {
    switch mode {
    case .list: return nil
    case .detail(let id, let scroll):
      let shown = lines(of: id, width: area.columns, in: model).shown(scroll)
      return ScreenBlock(lines: shown, cursor: (0, 0))
    case .page(let page): return page.view(in: model)
    }
  }

  private func listBlock(_ model: ConsoleModel) -> ScreenBlock {
    let frame = source.frame(in: model)
    var block = ScreenBlock(lines: head(frame) + frame.notices, cursor: (0, 0))
    if list.order.isEmpty {
      let isFiltered = group != 0 || !text.isEmpty || frame.search != nil
      block.lines.append(
        ConsoleEmpty.text(frame.empty, unless: frame.unknown, isFiltered: isFiltered)
      )
      block.lines += frame.emptyNote.map { StyledText($0, .dim).folded(to: area.columns) } ?? []
    }
    for id in list.order.dropFirst(list.top).prefix(visibleCount) {
      let isSelected = id == list.selection
      if isSelected { block.cursor = (block.lines.count, 0) }
      let row = ListRow(
        width: area.columns,
        isSelected: isSelected,
        isNew: list.fresh.contains(id)
      )
      let count = source.rowCount(width: area.columns)
      block.lines +=
        source.rows(of: id, as: row, in: model)
        ?? RequestRows.gone(isSelected: isSelected, count: count)
    }
    block.lines += frame.problems.map { StyledText("✗ \($0)", .error) }
    return block
  }

  /// The groups with their numbers, the chosen one in brackets; or that a search has a result.
  private func head(_ frame: ListFrame) -> [StyledText] {
    if let search = frame.search { return [StyledText(search, .warning)] }
    guard !frame.groups.isEmpty else { return [] }
    let (groups, new, width) = (frame.groups, list.fresh.count, area.columns)
    return [ConsoleChrome.filters(groups, chosen: group, text: text, new: new, width: width)]
  }
}
