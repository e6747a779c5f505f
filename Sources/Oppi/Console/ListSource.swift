// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText

/// What a list of the console shows, and what can be done with its items.
///
/// ``ListTab`` has the rest: the selection, the filter, the detail, the open page and the drawing.
protocol ListSource: Sendable {
  associatedtype Item: ListItem

  var title: String { get }

  /// The number of items that need the user.
  func count(in model: ConsoleModel) -> Int

  /// What stands around the rows.
  func frame(in model: ConsoleModel) -> ListFrame

  /// The items of a group of the frame that contain a text, in the wanted order.
  func items(group: Int, matching text: String, in model: ConsoleModel) -> [Item]

  /// Whether the item still waits for the user: after an action, the selection moves to one that does.
  func waits(_ item: Item, in model: ConsoleModel) -> Bool

  /// `nil` if the item is no longer listed.
  func item(_ id: Item.ID, in model: ConsoleModel) -> Item?

  /// How many columns the subject needs beside the others.
  var needs: TableNeeds { get }

  /// The most headings that stand between the rows in the list's own order, or sorted by a column.
  func headingRows(sortedBy column: String?, in model: ConsoleModel) -> Int

  /// The heading of the rows to which an item belongs; `nil` for none.
  func heading(of item: Item, sortedBy column: String?) -> String?

  /// What is known of an item, folded to a width of at least 1.
  func detail(of item: Item, width: Int, in model: ConsoleModel) -> [StyledText]

  /// Whether the columns have headers.
  var hasHeaders: Bool { get }

  /// The columns of the list, of which the last one has the subject.
  func columns(in model: ConsoleModel) -> [ListColumn<Item>]

  /// The keys for the selected item, before those that every list has.
  func keys(for item: Item?, in model: ConsoleModel) -> [KeyRow]

  /// The keys for several marked items, of which there is at least one.
  func keys(forMarked items: [Item], in model: ConsoleModel) -> [KeyRow]

  /// Whether the list can be sorted by columns.
  var canSort: Bool { get }

  /// Whether items can be marked.
  func canMark(in model: ConsoleModel) -> Bool

  /// Whether a prompt can be sent to a new session from here.
  var canStart: Bool { get }

  /// Whether a search in all conversations may find what the filter does not.
  var canSearch: Bool { get }

  /// The keys after those that every list has; `isFiltered` is whether the filter has a text.
  func lastKeys(isFiltered: Bool, in model: ConsoleModel) -> [KeyRow]

  /// Performs an action, as far as it is the source's own; returns the page that it opens.
  mutating func perform(
    _ action: ConsoleAction,
    on item: Item?,
    in model: inout ConsoleModel
  ) -> (any ListPage)?

  /// Takes the effects with which a page closed, and returns those to perform.
  mutating func settle(
    _ effects: [ConsoleEffect],
    in model: inout ConsoleModel
  ) -> [ConsoleEffect]

  /// Takes news; returns whether other items are listed now, so that none stays selected.
  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> Bool

  /// Adapts the source and the open page to the model; returns whether that replaced the page, or
  /// what it is about, so that a key pressed for the earlier one does not count.
  mutating func adapt(_ page: inout (any ListPage)?, to model: inout ConsoleModel) -> Bool

  /// Searches a text on the servers; `nil` if the source has no such search.
  mutating func search(_ text: String) -> [ConsoleEffect]?

  /// The filter has changed, so that the result of a search is no longer shown.
  mutating func endSearch()

  /// The effects when the list is shown or sorted, such as reading its data.
  var opening: [ConsoleEffect] { get }
}

extension ListSource {
  func count(in model: ConsoleModel) -> Int { 0 }

  func waits(_ item: Item, in model: ConsoleModel) -> Bool { true }

  func item(_ id: Item.ID, in model: ConsoleModel) -> Item? {
    items(group: 0, matching: "", in: model).first { $0.id == id }
  }

  var needs: TableNeeds { .table }
  var hasHeaders: Bool { true }
  func headingRows(sortedBy column: String?, in model: ConsoleModel) -> Int { 0 }
  func heading(of item: Item, sortedBy column: String?) -> String? { nil }
  func keys(forMarked items: [Item], in model: ConsoleModel) -> [KeyRow] { [] }
  func canMark(in model: ConsoleModel) -> Bool { false }
  var canSort: Bool { false }
  var canStart: Bool { true }
  var canSearch: Bool { false }

  func detail(of item: Item, width: Int, in model: ConsoleModel) -> [StyledText] {
    item.detail(width: width, at: model.now)
  }

  /// The visible rows of the table of items, of which some may no longer be listed; the first line has
  /// the headers if there are any.
  func table(
    of ids: [Item.ID],
    visible: Range<Int>,
    width: Int,
    in model: ConsoleModel
  ) -> [StyledText] {
    let columns = columns(in: model)
    var view = ListView(
      now: model.now,
      isOnlyServer: model.board.servers.count == 1,
      ageColumns: "59 min".count
    )
    view.lost = Set(model.board.servers.filter { $0.failure != nil }.map(\.id))
    let gone =
      Array(repeating: StyledText(), count: max(0, columns.count - 1))
      + [StyledText("no longer listed", .dim)]
    let cells = ids.map { id in item(id, in: model).map { columns.cells(of: $0, view) } ?? gone }
    return columns.table(of: cells, isFolded: false, needs: needs).lines(width: width, of: visible)
  }

  func lastKeys(isFiltered: Bool, in model: ConsoleModel) -> [KeyRow] { [] }

  mutating func perform(
    _ action: ConsoleAction,
    on item: Item?,
    in model: inout ConsoleModel
  ) -> (any ListPage)? { nil }

  mutating func settle(
    _ effects: [ConsoleEffect],
    in model: inout ConsoleModel
  ) -> [ConsoleEffect] { effects }

  mutating func take(_ news: ConsoleNews, in model: inout ConsoleModel) -> Bool { false }
  mutating func adapt(_ page: inout (any ListPage)?, to model: inout ConsoleModel) -> Bool { false }
  mutating func search(_ text: String) -> [ConsoleEffect]? { nil }
  mutating func endSearch() {}
  var opening: [ConsoleEffect] { [] }
}

/// An item of a list, on the screen and in the line form.
protocol ListItem: Identifiable, Sendable where ID: Sendable {
  /// What is known of it, folded to a width of at least 1.
  func detail(width: Int, at now: Timestamp) -> [StyledText]

  /// What the line form tells of it.
  func spoken(width: Int, at now: Timestamp) -> SpokenItem

  /// The text that `y` copies.
  var copyText: String { get }
}

/// What the line form tells of an item of a list.
struct SpokenItem: Sendable {
  /// What the user knows of an item: a choice is refused if it has changed.
  struct State: Sendable, Equatable {
    var text = ""
    var request: HumanRequest?
  }

  /// The item in one line, without its number.
  var line: String
  /// The first line of the item's page; `nil` for ``line``.
  var title: String?
  var state: State
  var detail: [StyledText] = []
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
}
