// SPDX-License-Identifier: MIT

/// The rows of a request: which are visible, and which have been on the screen in the present size.
///
/// Every panel that takes a decision uses it: whatever lets the agent continue needs the whole text,
/// choices included, to have been on the screen. Another text needs a new value.
package struct ShownRows: Sendable, Equatable {
  /// Narrower rows cannot be read.
  private static let leastColumns = 8

  private var columns = 0
  private var rows = 0
  package private(set) var count = 0
  package private(set) var visible = 0..<0
  private var room = 0
  /// The rows that were not yet on the screen.
  private var unseen = RangeSet<Int>()
  private var isFitted = false

  package init() {}

  /// Whether every row has been on the screen.
  package var isWhole: Bool { count > 0 && unseen.isEmpty }

  /// Takes the size of the panel; in another size every row must be shown again.
  ///
  /// Returns whether rows that were never shown may appear now, so that keys need a new pause.
  package mutating func resize(columns: Int, rows: Int) -> Bool {
    guard (columns, rows) != (self.columns, self.rows) else { return false }
    let isSurprising = isFitted && !isWhole
    (self.columns, self.rows, count) = (columns, rows, 0)
    return isSurprising
  }

  /// Lays out a text of `count` rows, `room` of which fit in the size.
  package mutating func fit(_ count: Int, room: Int) {
    if count != self.count { unseen = RangeSet(0..<count) }
    (self.count, isFitted) = (count, true)
    self.room = columns < Self.leastColumns ? 0 : max(0, room)
    scroll(by: 0)
  }

  package mutating func scroll(by rows: Int) {
    let first = min(max(0, visible.lowerBound + rows), max(0, count - room))
    visible = first..<min(count, first + room)
  }

  /// Scrolls by pages that overlap by a row.
  package mutating func scroll(byPages pages: Int) { scroll(by: pages * max(1, room - 1)) }

  /// Scrolls as little as possible to show a part.
  package mutating func reveal(_ part: Range<Int>) {
    let first = max(min(visible.lowerBound, part.lowerBound), part.upperBound - room)
    scroll(by: first - visible.lowerBound)
  }

  /// Records that the visible rows were on the screen.
  package mutating func wasShown() { unseen.remove(contentsOf: visible) }

  /// Records that the whole text was printed, and stays on the terminal.
  package mutating func wasPrinted() { (count, unseen) = (max(1, count), RangeSet()) }

  // MARK: - What is left

  /// The rows that neither were on the screen nor are visible now.
  private var hidden: RangeSet<Int> {
    var hidden = unseen
    hidden.remove(contentsOf: visible)
    return hidden
  }

  package var hiddenCount: Int { hidden.ranges.reduce(0) { $0 + $1.count } }

  /// Whether a row that was never shown is further down.
  package var hasHiddenBelow: Bool {
    hidden.ranges.last.map { $0.lowerBound >= visible.upperBound } ?? false
  }
}
