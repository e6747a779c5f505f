// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText

/// The sizes of the parts of the console's screen: tabs, banner, list, detail and footer.
struct ConsoleLayout: Sendable, Equatable {
  /// Screens of at least this width show a list and a detail side by side.
  static let splitColumns = 110
  /// Screens with fewer rows have no room for a list.
  static let leastRows = 5
  /// Screens with fewer rows show only one row of the banner.
  private static let tallRows = 20
  private static let divider = 3

  let size: ScreenSize
  let bannerRows: Int
  /// Everything between the banner and the footer.
  let body: Rect
  /// The list, which is the whole body on a narrow screen.
  private(set) var list: Rect
  /// What is open: next to the list, or in its place.
  private(set) var detail: Rect
  /// One row for notices, and the footer.
  let footRows: Int

  /// `bannerRows` is the number of rows that the banner needs.
  init(_ size: ScreenSize, bannerRows: Int) {
    self.size = size
    let most = size.rows < Self.tallRows ? 1 : 3
    self.bannerRows = min(max(0, bannerRows), most, max(0, size.rows - 4))
    footRows = size.rows >= 4 ? 2 : 0
    let (top, columns) = (1 + self.bannerRows, size.columns)
    body = Rect(row: top, rows: max(1, size.rows - top - footRows), columns: columns)
    (list, detail) = (body, body)
    guard columns >= Self.splitColumns else { return }
    list.columns = columns * 11 / 20
    detail.column = list.columns + Self.divider
    detail.columns = columns - detail.column
  }

  /// Whether the number of rows leaves no room for a list below its filters.
  var isTooSmall: Bool { size.rows < Self.leastRows }

  /// Whether the detail is next to the list.
  var isSplit: Bool { list != body }

  /// Draws the line between the list and the detail.
  func drawDivider(on canvas: inout Canvas) {
    let area = Rect(row: body.row, column: list.columns + 1, rows: body.rows, columns: 1)
    canvas.draw(repeatElement(StyledText("│", .dim), count: body.rows), in: area)
  }
}

extension Composer {
  /// The key that shows a pasted text, while it is shown as a placeholder.
  var pasteHints: [KeyHint] {
    hasFoldedPaste ? [KeyHint("Ctrl-O", "show the pasted text")] : []
  }

  /// The field with the text in at most `maxRows` rows, below as many of the lines as fit.
  func field(
    _ prompt: String,
    below lines: [StyledText],
    _ size: ScreenSize,
    maxRows: Int
  ) -> ScreenBlock {
    let prompt = StyledText(prompt, .name)
    let field = layout(width: size.columns, prompt: prompt, maxRows: max(1, maxRows))
    return field.below(Array(lines.prefix(max(0, size.rows - field.lines.count))))
  }
}

/// A key and what it does now, for the footer.
struct KeyHint: Sendable {
  let keys: String
  let label: String

  init(_ keys: String, _ label: String) { (self.keys, self.label) = (keys, label) }

  /// With the space around it.
  fileprivate var columns: Int { DisplayWidth.of(keys) + DisplayWidth.of(label) + 3 }
}

/// The parts around the list: the tabs, the banner, the footer and the help page.
enum ConsoleChrome {
  /// A tab: its title, the number of items that need the user, and whether it is selected.
  typealias TabTitle = (title: String, count: Int, isSelected: Bool)

  /// The row of tabs; the selected one is in brackets, so that colour is not needed.
  ///
  /// On a narrow screen the last tabs show their number only; if that is not enough, all except the
  /// selected one, and these without their counts.
  static func tabs(_ tabs: [TabTitle], width: Int) -> StyledText {
    for count in (0...tabs.count).reversed() {
      let titles = tabs.enumerated().map { index, tab in
        (index < count || tab.isSelected ? tab.title : "", tab.count, tab.isSelected)
      }
      for gap in [" ", ""] {
        let line = line(titles, gap: gap)
        if DisplayWidth.of(line.plain) <= width { return line }
      }
    }
    let shortest = tabs.map { $0.isSelected ? $0 : ("", 0, false) }
    return line(shortest, gap: "").truncated(to: width)
  }

  /// In place of the tabs on a screen without room for them.
  static let tooSmall = StyledText(
    "window too small: needs \(ConsoleLayout.leastRows) rows",
    .warning
  )

  private static func line(_ tabs: [TabTitle], gap: String) -> StyledText {
    var line = StyledText()
    for (index, tab) in tabs.enumerated() {
      if index > 0 { line.append(gap) }
      let number = tabs.count > 1 ? "\(index + 1)" : ""
      let words = [number, tab.title].filter { !$0.isEmpty }.joined(separator: " ")
      line.append(tab.isSelected ? "[\(words)" : " \(words)", tab.isSelected ? .heading : .dim)
      if tab.count > 0 { line.append(" (\(tab.count))", .warning) }
      line.append(tab.isSelected ? "]" : " ", tab.isSelected ? .heading : .dim)
    }
    return line
  }

  /// The filters of a list with their numbers, in their order; the one at `chosen` is in brackets.
  ///
  /// If not all fit, as few of the first ones are left out as show the chosen one; `notes` precede them.
  static func filters(
    _ titles: [String],
    chosen: Int,
    notes: [String],
    width: Int
  ) -> StyledText {
    let start = notes.reduce(into: StyledText()) { $0.append("\($1)  ", .name) }
    guard titles.indices.contains(chosen) else { return start.truncated(to: width) }
    var words = titles.map { StyledText($0, .dim) }
    words[chosen] = StyledText("[\(titles[chosen])]", .accent)
    func line(from first: Int, to last: Int) -> StyledText {
      let start = first > 0 ? start.with(StyledText("… ", .dim)) : start
      let gap = StyledText(" · ", .dim)
      return words[first + 1..<last + 1].reduce(start.with(words[first])) { $0.with(gap).with($1) }
    }
    let first = (0..<chosen).first { first in
      DisplayWidth.of(line(from: first, to: chosen).plain) <= width
    }
    return line(from: first ?? chosen, to: words.count - 1).truncated(to: width)
  }

  // MARK: - Banner

  /// One row for each server that does not answer or refuses access, with age and remedy; then, as
  /// far as there is room, the rows with the reasons.
  ///
  /// `refreshKey` queries all servers at once; empty if no key does.
  static func banner(
    _ servers: [FleetView.Server],
    refreshKey: String,
    at now: Timestamp
  ) -> [StyledText] {
    let retrying = "retrying" + (refreshKey.isEmpty ? "" : " (\(refreshKey): now)")
    var (states, reasons): ([StyledText], [StyledText]) = ([], [])
    for server in servers {
      guard let failure = server.failure else { continue }
      var line = StyledText("✗ \(server.name) \(failure.kind.words)", .error)
      line.append(", \(server.lastAnswer(at: now) ?? "no answer yet"); ", .dim)
      // What the user has to do is plain; what happens without the user is not.
      line.append(failure.remedy ?? retrying, failure.remedy == nil ? .dim : .plain)
      states.append(line)
      let isNamed = failure.message.contains(server.name)
      reasons.append(
        StyledText("  \(isNamed ? "" : "\(server.name): ")\(failure.message)", .dim)
      )
    }
    return states + reasons
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

  /// The most keys of the footer.
  private static let mostHints = 9

  /// The keys that work now, as many as fit; the last two always fit.
  static func footer(_ hints: [KeyHint], width: Int) -> StyledText {
    let last = hints.suffix(2)
    var used = last.map(\.columns).reduce(0, +)
    let shown = hints.dropLast(2).prefix(mostHints - last.count).prefix { hint in
      used += hint.columns
      return used <= width
    }
    var line = StyledText()
    for (index, hint) in (shown + last).enumerated() {
      if index > 0 { line.append("  ") }
      line.append(hint.keys, .name)
      line.append(" \(hint.label)", .dim)
    }
    return line.truncated(to: width)
  }

  /// All keys with their meaning; those that do not work now are marked.
  static func help(_ groups: [(title: String, rows: [KeyRow])]) -> [StyledText] {
    let width = groups.flatMap(\.rows).map { DisplayWidth.of($0.name) }.max() ?? 0
    let blocks = groups.map { title, rows in
      [StyledText(title, .heading)] + rows.map { help($0, width: width) }
    }
    return Array(blocks.joined(separator: [StyledText()]))
  }

  private static func help(_ row: KeyRow, width: Int) -> StyledText {
    let works = row.action != nil
    let space = String(repeating: " ", count: width - DisplayWidth.of(row.name) + 2)
    var line = StyledText("  \(row.name)\(space)", works ? .name : .dim)
    line.append(row.help, works ? .plain : .dim)
    if !works { line.append(" (not now)", .dim) }
    return line
  }
}
