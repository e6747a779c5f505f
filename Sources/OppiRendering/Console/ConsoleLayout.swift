// SPDX-License-Identifier: MIT

/// A part of the screen, in cells.
package struct ConsoleArea: Sendable, Equatable {
  package var row: Int
  package var column: Int
  package var rows: Int
  package var columns: Int

  package init(row: Int, column: Int, rows: Int, columns: Int) {
    (self.row, self.column) = (row, column)
    (self.rows, self.columns) = (max(0, rows), max(0, columns))
  }

  package var size: ScreenSize { ScreenSize(columns: columns, rows: rows) }
}

/// The parts of the console's screen: tabs, banner, list, detail and footer.
package struct ConsoleLayout: Sendable, Equatable {
  /// Screens of at least this width show a list and a detail side by side.
  package static let splitColumns = 110
  /// Screens with fewer rows have no room for a list.
  package static let leastRows = 5
  /// Screens with fewer rows show only one row of the banner.
  private static let tallRows = 20
  private static let divider = 3

  package let size: ScreenSize
  package let tabs: ConsoleArea
  package let banner: ConsoleArea
  /// Everything between the banner and the footer.
  package let body: ConsoleArea
  /// The rows of the list, which is the whole body on a narrow screen.
  package let list: ConsoleArea
  /// Next to the list; `nil` on a narrow screen.
  package let side: ConsoleArea?
  /// One row for notices.
  package let notice: ConsoleArea
  package let footer: ConsoleArea

  /// `bannerRows` is the number of rows that the banner needs.
  package init(_ size: ScreenSize, bannerRows: Int) {
    self.size = size
    let most = size.rows < Self.tallRows ? 1 : 3
    let bannerRows = min(max(0, bannerRows), most, max(0, size.rows - 4))
    let (columns, rows) = (size.columns, size.rows)
    tabs = ConsoleArea(row: 0, column: 0, rows: 1, columns: columns)
    banner = ConsoleArea(row: 1, column: 0, rows: bannerRows, columns: columns)
    let below = rows >= 4 ? 2 : 0
    notice = ConsoleArea(row: rows - below, column: 0, rows: below / 2, columns: columns)
    footer = ConsoleArea(row: rows - below / 2, column: 0, rows: below / 2, columns: columns)
    let top = 1 + bannerRows
    body = ConsoleArea(row: top, column: 0, rows: rows - below - top, columns: columns)
    guard columns >= Self.splitColumns else {
      (list, side) = (body, nil)
      return
    }
    let left = columns * 9 / 20
    list = ConsoleArea(row: top, column: 0, rows: body.rows, columns: left)
    side = ConsoleArea(
      row: top,
      column: left + Self.divider,
      rows: body.rows,
      columns: columns - left - Self.divider
    )
  }

  /// Whether the number of rows leaves no room for a list below its filters.
  package var isTooSmall: Bool { size.rows < Self.leastRows }
}

/// The screen as it is composed of its parts.
package struct ConsoleCanvas: Sendable {
  private var rows: [[(column: Int, line: StyledText)]]
  private let size: ScreenSize
  /// The position of the cursor; `nil` hides it.
  package var cursor: (row: Int, column: Int)?

  package init(_ size: ScreenSize) {
    self.size = size
    rows = Array(repeating: [], count: size.rows)
  }

  /// Draws lines in an area; what does not fit is cut off.
  package mutating func draw(_ lines: [StyledText], in area: ConsoleArea) {
    for (index, line) in lines.prefix(area.rows).enumerated()
    where rows.indices.contains(area.row + index) {
      rows[area.row + index].append((area.column, line.truncated(to: area.columns)))
    }
  }

  /// Draws a block in an area, and places the cursor if the block has one.
  package mutating func draw(_ block: ScreenBlock, in area: ConsoleArea) {
    draw(block.lines, in: area)
    guard let place = block.cursor, place.row < area.rows else { return }
    cursor = (area.row + place.row, area.column + min(place.column, max(0, area.columns - 1)))
  }

  /// Draws the vertical line between a list and the area next to it.
  package mutating func drawRule(leftOf area: ConsoleArea) {
    let rule = Array(repeating: StyledText("│", .dim), count: area.rows)
    let place = ConsoleArea(row: area.row, column: area.column - 2, rows: area.rows, columns: 1)
    draw(rule, in: place)
  }

  /// The rows of the screen; areas in one row must be drawn from left to right.
  package var lines: [StyledText] {
    rows.map { parts in
      var line = StyledText()
      var used = 0
      for (column, part) in parts {
        line.append(String(repeating: " ", count: max(0, column - used)))
        line = line.with(part)
        used = max(used, column) + DisplayWidth.of(part.plain)
      }
      return line.truncated(to: size.columns)
    }
  }
}
