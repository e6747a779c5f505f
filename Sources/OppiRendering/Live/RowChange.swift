// SPDX-License-Identifier: MIT

/// The change of a displayed row into another one: where it starts, and what to write there.
///
/// Cells that stay the same at both ends are not written again, so that a moved selection takes a
/// few bytes on a slow connection.
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
    let start = zip(old, new).prefix { $0 == $1 }.count
    let isSameWidth = old.reduce(0) { $0 + $1.width } == new.reduce(0) { $0 + $1.width }
    // The end of the row stays where it is only if nothing before it is moved.
    let end =
      isSameWidth
      ? zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count : 0
    column = new[..<start].reduce(0) { $0 + $1.width }
    // The last cell of a full row is written after the erasure, which would remove it.
    bytes = (isSameWidth ? "" : Self.erasure) + Self.text(of: new[start..<(new.count - end)])
  }

  // MARK: - Cells

  /// A character and the colours before it.
  private struct Cell: Equatable {
    let text: Character
    let style: Substring
    let width: Int
  }

  /// The cells of a line; `nil` if the terminal may place them otherwise, or they have links.
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
      // Terminals differ in the width of characters with several scalars.
      guard character.unicodeScalars.count == 1 else { return nil }
      cells.append(Cell(text: character, style: style, width: DisplayWidth.of(String(character))))
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
