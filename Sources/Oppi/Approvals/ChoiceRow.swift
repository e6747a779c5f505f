// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// A choice that a letter selects.
protocol LetterChoice: Equatable, Sendable {
  var letter: String { get }
  var label: String { get }
}

/// Choices on the screen, at most one of which is selected: Enter confirms it only after it was shown
/// as selected.
struct ChoiceRow<Choice: LetterChoice>: Sendable {
  /// In the order of their letters on the screen.
  let all: [Choice]
  private(set) var selection: Choice?
  /// When the current selection was first on the screen.
  private var shownAt: Duration?

  init(_ all: [Choice]) { self.all = all }

  mutating func select(_ choice: Choice?) {
    if selection != choice { shownAt = nil }
    selection = choice
  }

  mutating func select(next step: Int) {
    guard let selection, let index = all.firstIndex(of: selection) else {
      return select(step > 0 ? all.first : all.last)
    }
    select(all[(index + step + all.count) % all.count])
  }

  mutating func wasShown(at now: Duration) {
    if selection != nil { shownAt = shownAt ?? now }
  }

  /// Whether the selection was on the screen for long enough.
  func isSeen(at now: Duration) -> Bool {
    shownAt.map { now >= $0 + ApprovalPolicy.selectionGlance } ?? false
  }

  // MARK: - View

  private static var gap: Int { 2 }

  /// The mark, the letter, a space and the label.
  private static func width(of choice: Choice) -> Int { choice.label.count + 3 }

  /// The choices in as few rows as their order allows, so that a small window shows the request.
  private func rows(columns: Int) -> [[Choice]] {
    var (rows, used): ([[Choice]], Int) = ([], 0)
    for choice in all {
      let next = used + Self.gap + Self.width(of: choice)
      if rows.isEmpty || next > columns {
        rows.append([choice])
        used = Self.width(of: choice)
      } else {
        rows[rows.count - 1].append(choice)
        used = next
      }
    }
    return rows
  }

  func rowCount(columns: Int) -> Int { rows(columns: columns).count }

  /// The rows; `style` is that of labels that are not selected.
  func lines(columns: Int, isListening: Bool, _ style: Style) -> [StyledText] {
    let gap = StyledText(String(repeating: " ", count: Self.gap))
    return rows(columns: columns).map { row in
      row.enumerated().reduce(StyledText()) { line, item in
        let isSelected = item.element == selection
        var text = StyledText(isSelected ? "▸" : " ", isSelected ? .name : .dim)
        text.append("\(item.element.letter) ", isListening ? .code : .dim)
        text.append(item.element.label, isSelected ? .name : style)
        return line.with(item.offset > 0 ? gap.with(text) : text)
      }
    }
  }

  /// The place of the selected choice below `top` rows; the first row of all if none is selected.
  func cursor(columns: Int, below top: Int) -> (row: Int, column: Int) {
    guard let selection else { return (0, 0) }
    let rows = rows(columns: columns)
    let row = rows.firstIndex { $0.contains(selection) } ?? 0
    let before = rows[row].prefix { $0 != selection }
    return (top + row, before.reduce(0) { $0 + Self.width(of: $1) + Self.gap })
  }
}
