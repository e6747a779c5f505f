// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

/// The rows of a question and of its choices.
struct QuestionLayout: Sendable {
  struct Parts {
    var question: [StyledText]
    /// The rows of each choice.
    var choices: [[StyledText]]
    /// The choice that must be visible, if one is selected.
    var selected: Int?
  }

  private(set) var columns = 80
  var shown = ShownRows()
  /// Whether the selection changed, so that it must become visible.
  var selectsNew = false
  private var rows: [StyledText] = []
  /// The rows of each choice.
  private var choices: [Range<Int>] = []

  var visible: [StyledText] { Array(rows[shown.visible]) }

  /// Lays out the parts in `room` rows of a panel's size; without a row, nothing is shown.
  mutating func fit(_ parts: Parts, columns: Int, room: Int) {
    self.columns = columns
    rows = parts.question
    choices = parts.choices.map { choice in
      rows += choice
      return rows.count - choice.count..<rows.count
    }
    shown.fit(rows.count, room: room)
    if selectsNew, let selected = parts.selected { shown.reveal(choices[selected]) }
    selectsNew = false
  }

  /// Scrolls towards rows that were not yet shown; returns whether there are any in the direction.
  mutating func read(by step: Int) -> Bool {
    let isEnd = step > 0 ? shown.visible.upperBound == rows.count : shown.visible.lowerBound == 0
    guard !shown.isWhole, !isEnd else { return false }
    shown.scroll(by: step)
    return true
  }

  /// The visible row of a choice; `nil` if it is hidden.
  func place(ofChoice index: Int) -> Int? {
    guard choices.indices.contains(index),
      shown.visible.contains(choices[index].lowerBound)
    else { return nil }
    return choices[index].lowerBound - shown.visible.lowerBound
  }
}
