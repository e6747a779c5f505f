// SPDX-License-Identifier: MIT

import OppiRendering

/// Finished rows that wait to be printed: for the next frame, or until the program is in the
/// foreground.
struct WaitingRows: Sendable {
  /// The most rows that are kept in the background.
  static let limit = 10_000

  private var rows: [StyledText] = []
  private var droppedCount = 0

  /// Adds rows; in the background, the oldest beyond the limit are dropped and counted.
  mutating func add(_ more: [StyledText], isInForeground: Bool) {
    rows += more
    let surplus = rows.count - Self.limit
    guard surplus > 0, !isInForeground else { return }
    rows.removeFirst(surplus)
    droppedCount += surplus
  }

  /// Removes and returns the rows, after a notice about those that were dropped.
  mutating func take() -> [StyledText] {
    defer { self = WaitingRows() }
    guard droppedCount > 0 else { return rows }
    let text = "\(droppedCount) rows were not kept in the background; 'oppi show' has them"
    return [StyledText(text, .warning)] + rows
  }
}
