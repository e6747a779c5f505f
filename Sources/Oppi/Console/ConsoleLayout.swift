// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// A part of the screen, in cells.
struct ConsoleArea: Sendable, Equatable {
  var row: Int
  var column: Int
  var rows: Int
  var columns: Int

  init(row: Int, column: Int, rows: Int, columns: Int) {
    (self.row, self.column) = (row, column)
    (self.rows, self.columns) = (max(0, rows), max(0, columns))
  }

  var size: ScreenSize { ScreenSize(columns: columns, rows: rows) }
}

/// The parts of the console's screen: tabs, banner, list, detail and footer.
struct ConsoleLayout: Sendable, Equatable {
  /// Screens of at least this width show a list and a detail side by side.
  static let splitColumns = 110
  /// Screens with fewer rows have no room for a list.
  static let leastRows = 5
  /// Screens with fewer rows show only one row of the banner.
  private static let tallRows = 20
  private static let divider = 3

  let size: ScreenSize
  let tabs: ConsoleArea
  let banner: ConsoleArea
  /// Everything between the banner and the footer.
  let body: ConsoleArea
  /// The rows of the list, which is the whole body on a narrow screen.
  let list: ConsoleArea
  /// Next to the list; `nil` on a narrow screen.
  let side: ConsoleArea?
  /// The area of what is open: next to the list, or in its place.
  var detail: ConsoleArea { side ?? body }
  /// One row for notices.
  let notice: ConsoleArea
  let footer: ConsoleArea

  /// `bannerRows` is the number of rows that the banner needs.
  init(_ size: ScreenSize, bannerRows: Int) {
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
  var isTooSmall: Bool { size.rows < Self.leastRows }
}

/// The screen as it is composed of its parts.
struct ConsoleCanvas: Sendable {
  private var rows: [[(column: Int, line: StyledText)]]
  private let size: ScreenSize
  /// The position of the cursor; `nil` hides it.
  var cursor: (row: Int, column: Int)?

  init(_ size: ScreenSize) {
    self.size = size
    rows = Array(repeating: [], count: size.rows)
  }

  /// Draws lines in an area; what does not fit is cut off.
  mutating func draw(_ lines: [StyledText], in area: ConsoleArea) {
    for (index, line) in lines.prefix(area.rows).enumerated()
    where rows.indices.contains(area.row + index) {
      rows[area.row + index].append((area.column, line.truncated(to: area.columns)))
    }
  }

  /// Draws a block in an area, and places the cursor if the block has one.
  mutating func draw(_ block: ScreenBlock, in area: ConsoleArea) {
    draw(block.lines, in: area)
    guard let place = block.cursor, place.row < area.rows else { return }
    cursor = (area.row + place.row, area.column + min(place.column, max(0, area.columns - 1)))
  }

  /// Draws the vertical line between a list and the area next to it.
  mutating func drawRule(leftOf area: ConsoleArea) {
    let rule = Array(repeating: StyledText("│", .dim), count: area.rows)
    let place = ConsoleArea(row: area.row, column: area.column - 2, rows: area.rows, columns: 1)
    draw(rule, in: place)
  }

  /// The rows of the screen; areas in one row must be drawn from left to right.
  var lines: [StyledText] {
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

/// A key and what it does now, for the footer.
struct KeyHint: Sendable {
  var keys: String
  var label: String
}

/// The parts around the list: the tabs, the banner, the footer and the help page.
enum ConsoleChrome {
  /// A tab: its title, the number of items that need the user, and whether it is selected.
  typealias TabTitle = (title: String, count: Int, isSelected: Bool)

  /// The row of tabs; the selected one is in brackets, so that colour is not needed.
  ///
  /// On a narrow screen the other tabs show their number only.
  static func tabs(_ tabs: [TabTitle], width: Int) -> StyledText {
    let whole = line(tabs) { $0.title }
    guard DisplayWidth.of(whole.plain) > width else { return whole }
    let short = line(tabs) { $0.isSelected ? $0.title : String($0.title.prefix(4)) }
    guard DisplayWidth.of(short.plain) > width else { return short }
    return line(tabs) { $0.isSelected ? $0.title : "" }.truncated(to: width)
  }

  /// In place of the tabs on a screen without room for them.
  static let tooSmall = StyledText(
    "window too small: needs \(ConsoleLayout.leastRows) rows",
    .warning
  )

  private static func line(_ tabs: [TabTitle], name: (TabTitle) -> String) -> StyledText {
    var line = StyledText()
    for (index, tab) in tabs.enumerated() {
      if index > 0 { line.append(" ") }
      let number = tabs.count > 1 ? "\(index + 1)" : ""
      let words = [number, name(tab)].filter { !$0.isEmpty }.joined(separator: " ")
      line.append(tab.isSelected ? "[\(words)" : " \(words)", tab.isSelected ? .heading : .dim)
      if tab.count > 0 { line.append(" (\(tab.count))", .warning) }
      line.append(tab.isSelected ? "]" : " ", tab.isSelected ? .heading : .dim)
    }
    return line
  }

  /// The filters of a list with their numbers; the one at `chosen` is in brackets, and comes first if
  /// not all fit.
  ///
  /// `text` is the text of the filter; `new` is the number of rows that were added below.
  static func filters(
    _ titles: [String],
    chosen: Int,
    text: String,
    new: Int,
    width: Int
  ) -> StyledText {
    var start = StyledText()
    if new > 0 { start.append("\(new) new below, Home: sort  ", .name) }
    if !text.isEmpty { start.append("/\(text.safeLine(limit: 40))  ", .name) }
    var words = titles.map { StyledText("\($0) ", .dim) }
    words[chosen] = StyledText("[\(titles[chosen])] ", .name)
    let whole = words.reduce(start) { $0.with($1) }
    guard DisplayWidth.of(whole.plain) > width else { return whole }
    words.insert(words.remove(at: chosen), at: 0)
    return words.reduce(start) { $0.with($1) }.truncated(to: width)
  }

  // MARK: - Banner

  /// One row for each server that does not answer or refuses access, with age and remedy; then, as
  /// far as there is room, the rows with the reasons.
  static func banner(
    _ servers: [ConsoleBoard.Server],
    at now: Timestamp
  ) -> [StyledText] {
    let failed = servers.filter { $0.failure != nil }
    let reasons = failed.compactMap { server in
      server.failure.map { StyledText("  \(server.name): \($0.message)", .dim) }
    }
    return failed.compactMap { server in
      guard let failure = server.failure else { return nil }
      let age = server.contactAt.map { contact in
        "last answer \(RelativeTime.ago(contact, at: now))"
      }
      var line = StyledText("✗ \(server.name) \(failure.kind.words)", .error)
      line.append(", \(age ?? "no answer yet")", .warning)
      line.append("; \(failure.remedy ?? "retrying (r: now)")")
      return line
    } + reasons
  }

  /// The rows of the banner that fit; the last one counts the servers without a row.
  static func fitted(_ banner: [StyledText], rows: Int) -> [StyledText] {
    let servers = banner.count / 2
    guard servers > rows, rows > 0 else { return Array(banner.prefix(max(0, rows))) }
    var shown = Array(banner.prefix(rows))
    let more = StyledText("✗ +\(servers - rows) more; ", .error)
    shown[rows - 1] = more.with(shown[rows - 1])
    return shown
  }

  // MARK: - Keys

  /// The keys that work now, as many as fit; the last two always fit.
  static func footer(_ hints: [KeyHint], width: Int) -> StyledText {
    let last = hints.suffix(2)
    let lastWidth = columns(of: last)
    var used = 0
    var shown: [KeyHint] = []
    for hint in hints.dropLast(2) {
      let next = used + columns(of: [hint][...])
      guard next + lastWidth <= width else { break }
      used = next
      shown.append(hint)
    }
    var line = StyledText()
    for (index, hint) in (shown + last).enumerated() {
      if index > 0 { line.append("  ") }
      line.append(hint.keys, .code)
      line.append(" \(hint.label)", .dim)
    }
    return line.truncated(to: width)
  }

  private static func columns(of hints: ArraySlice<KeyHint>) -> Int {
    hints.reduce(0) { $0 + DisplayWidth.of($1.keys) + DisplayWidth.of($1.label) + 3 }
  }

  /// All keys with their meaning; those that do not work now are marked.
  static func help(_ groups: [(title: String, rows: [KeyRow])]) -> [StyledText] {
    let width = groups.flatMap(\.rows).map { DisplayWidth.of($0.name) }.max() ?? 0
    let blocks = groups.map { title, rows in
      [StyledText(title, .heading)]
        + rows.map { row in
          let works = row.action != nil
          let space = String(repeating: " ", count: width - DisplayWidth.of(row.name) + 2)
          var line = StyledText("  \(row.name)\(space)", works ? .code : .dim)
          line.append(row.help, works ? .plain : .dim)
          if !works { line.append(" (not now)", .dim) }
          return line
        }
    }
    return Array(blocks.joined(separator: [StyledText()]))
  }
}
