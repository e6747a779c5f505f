// SPDX-License-Identifier: MIT

import OppiRendering

/// Which rows of a question are seen, and what of it has been.
struct QuestionLayout: Sendable {
  /// A question in rows.
  struct Parts {
    var question: [StyledText]
    /// Each choice, which may take several rows.
    var choices: [[StyledText]]
    /// The choice that must be seen, where one is selected.
    var selected: Int?
  }

  private(set) var columns = 80
  private(set) var shown: [StyledText] = []
  /// How many rows are not seen below those that are.
  private(set) var rowsBelow = 0
  /// Whether every row of the question itself has been on the screen.
  private(set) var isQuestionSeen = false
  /// Whether another choice was selected, which is to come into sight.
  var selectsNew = false
  private var firstRow = 0
  private var room = 1
  private var questionRows = 0

  /// Scrolls by pages.
  mutating func scroll(by pages: Int) {
    firstRow += pages * max(1, room - 1)
  }

  /// Lays the parts out in so many rows.
  mutating func fit(_ parts: Parts, columns: Int, rows: Int) {
    if columns != self.columns { isQuestionSeen = false }
    (self.columns, room, questionRows) = (columns, rows, parts.question.count)
    if selectsNew, let selected = parts.selected {
      let above = parts.choices[..<selected].reduce(questionRows) { $0 + $1.count }
      let end = above + parts.choices[selected].count
      firstRow = max(min(firstRow, above), end - room)
    }
    selectsNew = false
    let all = parts.question + parts.choices.joined()
    firstRow = min(max(0, firstRow), max(0, all.count - room))
    shown = Array(all[firstRow...].prefix(room))
    rowsBelow = all.count - firstRow - shown.count
  }

  /// Takes it that the rows have been on the screen.
  mutating func wasShown() {
    isQuestionSeen = isQuestionSeen || firstRow + shown.count >= questionRows
  }
}
