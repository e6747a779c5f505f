// SPDX-License-Identifier: MIT

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

  /// The number of rows of each item.
  func rowCount(width: Int) -> Int

  /// The rows of an item, which may no longer be listed.
  func rows(of id: Item.ID, as row: ListRow, in model: ConsoleModel) -> [StyledText]

  /// The keys for the selected item, before those that every list has.
  func keys(for item: Item?, in model: ConsoleModel) -> [KeyRow]

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

  func rows(of id: Item.ID, as row: ListRow, in model: ConsoleModel) -> [StyledText] {
    item(id, in: model)?.rows(as: row, at: model.now)
      ?? row.gone(count: rowCount(width: row.width))
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
  func rows(as row: ListRow, at now: Timestamp) -> [StyledText]

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

  /// The number of rows that are not those of items.
  var rowCount: Int {
    (groups.isEmpty && search == nil ? 0 : 1) + notices.count + problems.count
  }
}

/// How an item is shown in a list.
struct ListRow: Sendable {
  /// Lists of at least this width show one row for each request or session.
  private static let singleColumns = 100
  /// The part of a single row for its subject: a half.
  private static let subjectShare = 2

  var width: Int
  var isSelected: Bool
  /// Whether the item was added below while a row was selected.
  var isNew: Bool

  /// The number of rows of a subject with its details.
  static func count(width: Int) -> Int { width >= singleColumns ? 1 : 2 }

  /// The begin of an item's first row.
  var mark: StyledText { StyledText(isSelected ? "▸ " : "  ", .name) }

  /// The subject of an item and what is known about it, in one or two rows.
  func rows(_ subject: StyledText, _ details: StyledText) -> [StyledText] {
    var first = mark
    if isNew { first.append("new ", .name) }
    first = first.with(subject)
    guard Self.count(width: width) == 1 else {
      return [first.truncated(to: width), StyledText("    ").with(details).truncated(to: width)]
    }
    let room = width / Self.subjectShare
    let start = first.truncated(to: room)
    let space = String(repeating: " ", count: room - DisplayWidth.of(start.plain) + 2)
    return [start.with(StyledText(space)).with(details).truncated(to: width)]
  }

  /// The rows of an item that is no longer listed, but keeps its place in the list.
  func gone(count: Int) -> [StyledText] {
    [mark.with(StyledText("no longer listed", .dim))]
      + Array(repeating: StyledText(), count: count - 1)
  }
}
