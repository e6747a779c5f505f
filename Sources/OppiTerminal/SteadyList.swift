// SPDX-License-Identifier: MIT

/// The order of the rows of a list that changes while a person reads it.
///
/// The first row is selected at first. As soon as a person can have read it, or has pressed a key,
/// no visible row moves: new rows are appended and marked, and rows that are gone keep their places
/// while they are visible. The wanted order is applied again only when the user asks for it, or moves
/// to the top. The selection follows the id, never the position.
package struct SteadyList<ID: Hashable & Sendable>: Sendable {
  /// The rows from top to bottom; some may be gone.
  package private(set) var order: [ID] = []
  /// The rows that were appended since the order was last applied.
  package private(set) var fresh: Set<ID> = []
  /// `nil` if there are no rows.
  package private(set) var selection: ID?
  private var hold = Hold.none
  /// The row that is selected without the user, and when it was first on the screen.
  private var shown: (id: ID, at: Duration)?
  /// The first visible position.
  package private(set) var top = 0
  /// The number of visible rows.
  private var visibleCount = 1
  private var wanted: [ID] = []

  /// Why visible rows stay where they are.
  private enum Hold {
    case none
    /// The selected row was on the screen for long enough to be read.
    case seen
    /// The user has pressed a key.
    case user
  }

  /// A row that was shown for less time cannot have been read.
  private static var glance: Duration { .milliseconds(500) }

  package init() {}

  /// The position of the selected row.
  package var position: Int? { selection.flatMap(order.firstIndex) }

  /// Whether the rows have the wanted order.
  package var isInOrder: Bool { order == wanted }

  /// Takes the ids in the wanted order.
  package mutating func update(_ ids: [ID]) {
    wanted = ids
    guard hold != .none, selection != nil else { return begin() }
    removeGone()
    let known = Set(order)
    let new = ids.filter { !known.contains($0) }
    order += new
    fresh.formUnion(new)
  }

  /// Removes the rows that are gone, except the visible ones and the selected one.
  private mutating func removeGone() {
    let present = Set(wanted)
    let visible = top..<(top + visibleCount)
    let kept = order.indices.filter { index in
      visible.contains(index) || order[index] == selection || present.contains(order[index])
    }
    guard kept.count < order.count else { return }
    top = kept.count { $0 < top }
    order = kept.map { order[$0] }
    fresh.formIntersection(order)
  }

  /// Applies the wanted order, as the user asked for it; a selected row stays selected unless it is
  /// gone.
  package mutating func sort() {
    order = wanted
    fresh = []
    if selection.map(order.contains) != true { begin() }
  }

  /// Applies the wanted order and selects its first row, until the user presses a key.
  package mutating func begin() {
    (order, fresh, hold) = (wanted, [], .none)
    selection = order.first
  }

  /// Keeps visible rows where they are, because the user has pressed a key.
  package mutating func keep() { hold = .user }

  /// Records that the list was on the screen.
  package mutating func wasShown(at now: Duration) {
    guard let selection, hold == .none else { return }
    if let shown, shown.id == selection {
      if now >= shown.at + Self.glance { hold = .seen }
    } else {
      shown = (selection, now)
    }
  }

  /// The user returns to the list: what was only seen may move again.
  package mutating func isShownAgain() {
    if hold == .seen { hold = .none }
    shown = nil
  }

  // MARK: - The selection

  /// Applies the wanted order and selects the first row.
  package mutating func moveToTop() {
    begin()
    keep()
  }

  package mutating func moveToEnd() {
    selection = order.last
    keep()
  }

  /// Selects the row that is `step` rows below; without a selection, the first row.
  package mutating func move(by step: Int) {
    keep()
    guard let position else { return moveToTop() }
    if position + step <= 0, step < 0 { return moveToTop() }
    selection = order[min(position + step, order.count - 1)]
  }

  /// Selects a row if it is in the list.
  package mutating func select(_ id: ID) {
    guard order.contains(id) else { return }
    selection = id
    keep()
  }

  /// Selects the next row of a kind, below the selected one or else from the top; keeps the selection
  /// if there is none.
  package mutating func selectNext(where isWanted: (ID) -> Bool) {
    guard let position else { return }
    let others = Array(order[(position + 1)...]) + order[..<position]
    selection = others.first(where: isWanted) ?? selection
  }

  // MARK: - The view

  /// Scrolls as little as possible so that the selected row is among `count` visible ones.
  package mutating func fit(_ count: Int) {
    let count = max(1, count)
    visibleCount = count
    if let position { top = max(min(top, position), position - count + 1) }
    top = min(max(0, top), max(0, order.count - count))
  }
}
