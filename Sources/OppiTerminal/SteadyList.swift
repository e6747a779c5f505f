// SPDX-License-Identifier: MIT

/// The order of the rows of a list that changes while a person reads it.
///
/// While a row is selected, no visible row moves: new rows are appended and marked, and rows that
/// are gone keep their places while they are visible. The wanted order is applied again only when
/// the user asks for it, or moves to the top. The selection follows the id, never the position.
package struct SteadyList<ID: Hashable & Sendable>: Sendable {
  /// The rows from top to bottom; some may be gone.
  package private(set) var order: [ID] = []
  /// The rows that were appended since the order was last applied.
  package private(set) var fresh: Set<ID> = []
  /// `nil` until the user selects a row; nothing is preselected.
  package private(set) var selection: ID?
  /// The first visible position.
  package private(set) var top = 0
  /// The number of visible rows.
  private var visibleCount = 1
  private var wanted: [ID] = []

  package init() {}

  /// The position of the selected row.
  package var position: Int? { selection.flatMap(order.firstIndex) }

  /// Takes the ids in the wanted order.
  package mutating func update(_ ids: [ID]) {
    wanted = ids
    guard selection != nil else { return sort() }
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
    if let selection, !order.contains(selection) { self.selection = nil }
  }

  // MARK: - The selection

  /// Applies the wanted order and selects the first row.
  package mutating func moveToTop() {
    sort()
    selection = order.first
  }

  package mutating func moveToEnd() { selection = order.last }

  /// Selects the row that is `step` rows below; without a selection, the first row.
  package mutating func move(by step: Int) {
    guard let position else { return moveToTop() }
    if position + step <= 0, step < 0 { return moveToTop() }
    selection = order[min(position + step, order.count - 1)]
  }

  /// Selects a row if it is in the list.
  package mutating func select(_ id: ID) {
    if order.contains(id) { selection = id }
  }

  /// Selects the next row of a kind, below the selected one or else from the top; keeps the selection
  /// if there is none.
  package mutating func selectNext(where isWanted: (ID) -> Bool) {
    guard let position else { return }
    let others = Array(order[(position + 1)...]) + order[..<position]
    selection = others.first(where: isWanted) ?? selection
  }

  package mutating func deselect() { selection = nil }

  // MARK: - The view

  /// Scrolls as little as possible so that the selected row is among `count` visible ones.
  package mutating func fit(_ count: Int) {
    let count = max(1, count)
    visibleCount = count
    if let position { top = max(min(top, position), position - count + 1) }
    top = min(max(0, top), max(0, order.count - count))
  }
}
