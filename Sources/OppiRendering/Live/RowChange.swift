// SPDX-License-Identifier: MIT

/// The change of a displayed row into another one: where it starts, and what to write there.
///
/// Cells that stay the same at both ends are not written again, so that a moved selection takes a
/// few bytes on a slow connection. Terminals differ in the width of characters, so a change starts
/// only where the column is certain, and the end of a row stays only if nothing before it can move.
struct RowChange: Equatable {
  /// From 0.
  let column: Int
  let bytes: String

  private static let erasure = "\u{1B}[K"

  /// `old` and `new` are rendered lines, with no other control sequences than colours and links.
  init(from old: String, to new: String) {
    guard let old = Self.cells(of: old), let new = Self.cells(of: new) else {
      (column, bytes) = (0, Self.erasure + new)
      return
    }
    let same = zip(old, new).prefix { $0 == $1 && $0.text.isASCII }
    let start = same.count
    column = start
    let end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
    let (before, after) = (old[start..<(old.count - end)], new[start..<(new.count - end)])
    if Self.haveSameWidth(before, after) {
      bytes = Self.text(of: after)
    } else {
      bytes = Self.erasure + Self.text(of: new[start...])
    }
  }

  // MARK: - Cells

  /// A character and the colours before it.
  private struct Cell: Equatable {
    let text: Character
    let style: Substring
  }

  /// The mark of the selected row, which has one column in every terminal that shows it right.
  private static let selection: Character = "▸"

  /// Whether two texts take the same columns in any terminal: their characters of uncertain width
  /// are the same, in the same order.
  private static func haveSameWidth(_ old: ArraySlice<Cell>, _ new: ArraySlice<Cell>) -> Bool {
    func uncertain(_ cells: ArraySlice<Cell>) -> [Character] {
      cells.map(\.text).filter { !$0.isASCII && $0 != selection }
    }
    return old.count == new.count && uncertain(old) == uncertain(new)
  }

  /// The cells of a line; `nil` if it has links, or characters that terminals may combine otherwise.
  private static func cells(of line: String) -> [Cell]? {
    var cells: [Cell] = []
    var style: Substring = ""
    var rest = line[...]
    while let character = rest.first {
      guard character != "\u{1B}" else {
        guard rest.hasPrefix("\u{1B}["), let end = rest.firstIndex(of: "m") else { return nil }
        style = rest[...end]
        rest = rest[rest.index(after: end)...]
        if style == reset { style = "" }
        continue
      }
      guard character.unicodeScalars.count == 1 else { return nil }
      cells.append(Cell(text: character, style: style))
      rest = rest.dropFirst()
    }
    return cells
  }

  private static let reset: Substring = "\u{1B}[0m"

  private static func text(of cells: ArraySlice<Cell>) -> String {
    var text = ""
    var style: Substring = ""
    for cell in cells {
      if cell.style != style {
        if !style.isEmpty { text += reset }
        text += cell.style
        style = cell.style
      }
      text.append(cell.text)
    }
    return style.isEmpty ? text : text + reset
  }
}
