// SPDX-License-Identifier: MIT

import OppiRendering

/// The visible rows of a question, and which rows were seen.
struct QuestionLayout: Sendable {
  struct Parts {
    var question: [StyledText]
    /// The rows of each choice.
    var choices: [[StyledText]]
    /// The choice that must be visible, if one is selected.
    var selected: Int?
  }

  private(set) var columns = 80
  private(set) var shown: [StyledText] = []
  /// How many rows are hidden below.
  private(set) var rowsBelow = 0
  /// Whether every row of the question itself was on the screen.
  private(set) var isQuestionSeen = false
  /// Whether the selection changed, so that it must become visible.
  var selectsNew = false
  private var firstRow = 0
  private var room = 1
  private var questionRows = 0
  /// The first row of each choice.
  private var choiceRows: [Int] = []

  mutating func scroll(by pages: Int) {
    firstRow += pages * max(1, room - 1)
  }

  /// Lays out the parts in the given size; without a row, nothing is shown.
  mutating func fit(_ parts: Parts, columns: Int, rows: Int) {
    if columns != self.columns { isQuestionSeen = false }
    (self.columns, room, questionRows) = (columns, rows, parts.question.count)
    if selectsNew, let selected = parts.selected {
      let above = parts.choices[..<selected].reduce(questionRows) { $0 + $1.count }
      let end = above + parts.choices[selected].count
      firstRow = max(min(firstRow, above), end - room)
    }
    selectsNew = false
    var next = questionRows
    choiceRows = parts.choices.map { choice in
      defer { next += choice.count }
      return next
    }
    let all = parts.question + parts.choices.joined()
    firstRow = min(max(0, firstRow), max(0, all.count - room))
    shown = Array(all[firstRow...].prefix(room))
    rowsBelow = all.count - firstRow - shown.count
  }

  /// The visible row of a choice; `nil` if it is hidden.
  func place(ofChoice index: Int) -> Int? {
    guard choiceRows.indices.contains(index) else { return nil }
    let row = choiceRows[index] - firstRow
    return shown.indices.contains(row) ? row : nil
  }

  /// Records that the rows were on the screen.
  mutating func wasShown() {
    guard !shown.isEmpty else { return }
    isQuestionSeen = isQuestionSeen || firstRow + shown.count >= questionRows
  }
}
