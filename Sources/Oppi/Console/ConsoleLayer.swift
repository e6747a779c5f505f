// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText

/// What lies over a tab of the console and takes the keys before it.
protocol ConsoleLayer: Sendable {
  /// The keys that work now, for the footer.
  var hints: [KeyHint] { get }

  mutating func take(_ key: Key, _ table: KeyTable) -> LayerOutcome

  /// Adapts to the layout, before each view.
  mutating func fit(_ layout: ConsoleLayout, _ table: KeyTable)

  /// Draws what it covers, and the text that is typed, in the row of notices; returns the cursor.
  func draw(on canvas: inout Canvas, _ layout: ConsoleLayout, _ table: KeyTable) -> Cursor?
}

extension ConsoleLayer {
  mutating func fit(_ layout: ConsoleLayout, _ table: KeyTable) {}
}

/// What a key did in a layer.
enum LayerOutcome: Sendable {
  case stays([ConsoleAction] = [])
  /// The key is for what lies below.
  case passes
  /// The layer is removed before the actions are performed.
  case closes([ConsoleAction] = [])
}

/// The keys of a tab and those that work everywhere, with titles.
struct KeyTable: Sendable {
  let groups: [(title: String, rows: [KeyRow])]

  /// The first rows precede the others.
  var rows: [KeyRow] { groups.flatMap(\.rows) }

  /// The actions that have a name and work now, each once.
  var commands: [KeyRow] {
    var known: Set<String> = []
    return rows.filter { row in
      !row.command.isEmpty && row.action != nil && known.insert(row.command).inserted
    }
  }
}

extension ConsoleLayout {
  /// The row of notices, where text is typed.
  var notice: Rect {
    Rect(row: size.rows - footRows, rows: min(1, footRows), columns: size.columns)
  }
}

extension Composer {
  /// Draws the text as one row behind a prompt.
  fileprivate func draw(_ prompt: String, on canvas: inout Canvas, in area: Rect) -> Cursor? {
    canvas.draw(field(prompt, below: [], area.size, maxRows: 1), in: area)
  }

  /// The text on one line, without spaces around it.
  fileprivate var words: String { text.safeLine(limit: 200).trimmed }
}

/// The text of the filter while it is typed; a second slash searches on the servers instead.
struct FilterLine: ConsoleLayer {
  private var composer = Composer.oneLine

  let hints = [KeyHint("Enter", "keep"), KeyHint("↑ ↓", "select"), KeyHint("Esc", "clear")]

  mutating func take(_ key: Key, _ table: KeyTable) -> LayerOutcome {
    switch key {
    case .escape, .control("c"): return .closes([.filter("")])
    case .up, .down, .pageUp, .pageDown: return .passes
    case .enter: return .closes(isSearch ? [.search(text)] : [])
    default:
      _ = composer.apply(key)
      return .stays([.filter(isSearch ? "" : text)])
    }
  }

  private var isSearch: Bool { composer.text.hasPrefix("/") }

  /// The text without the slashes around it.
  private var text: String {
    let text = composer.text.safeLine(limit: 200)
    let start = text.drop { $0 == "/" }
    return String(start.last == "/" ? start.dropLast() : start)
  }

  func draw(on canvas: inout Canvas, _ layout: ConsoleLayout, _ table: KeyTable) -> Cursor? {
    composer.draw("/", on: &canvas, in: layout.notice)
  }
}

/// A line that performs an action by its name, with the actions that match above it.
struct CommandLine: ConsoleLayer {
  private static let most = 8

  private var composer = Composer.oneLine
  private var choice = 0

  let hints = [
    KeyHint("Enter", "perform"), KeyHint("Tab", "complete"), KeyHint("↑ ↓", "select"),
    KeyHint("Esc", "cancel"),
  ]

  mutating func take(_ key: Key, _ table: KeyTable) -> LayerOutcome {
    let found = matches(in: table)
    switch key {
    case .escape, .control("c"): return .closes()
    case .backspace where composer.isEmpty: return .closes()
    case .up: choice = max(0, choice - 1)
    case .down: choice = max(0, min(choice + 1, found.count - 1))
    case .tab: if found.indices.contains(choice) { composer.replace(found[choice].command) }
    case .enter:
      guard found.indices.contains(choice) else { return .stays() }
      return .closes(found[choice].action.map { [$0] } ?? [])
    default:
      _ = composer.apply(key)
      choice = 0
    }
    return .stays()
  }

  /// The actions whose names begin with the text, then those whose names or meanings contain it.
  private func matches(in table: KeyTable) -> [KeyRow] {
    let (words, all) = (composer.words.lowercased(), table.commands)
    let first = all.filter { $0.command.hasPrefix(words) }
    let others = all.filter { row in
      !row.command.hasPrefix(words) && words.isFound(in: [row.command, row.help])
    }
    return first + others
  }

  func draw(on canvas: inout Canvas, _ layout: ConsoleLayout, _ table: KeyTable) -> Cursor? {
    let found = matches(in: table)
    let room = min(Self.most, layout.body.rows)
    let top = max(0, min(choice, found.count - 1) - room + 1)
    let shown = Array(found.dropFirst(top).prefix(room))
    let names = shown.map { DisplayWidth.of($0.command) }.max() ?? 0
    let keys = shown.map { DisplayWidth.of($0.name) }.max() ?? 0
    var area = layout.notice
    area.rows = max(1, shown.count)
    area.row -= area.rows
    canvas.clear(area)
    let lines = shown.map { row -> StyledText in
      StyledText(" ").with(StyledText(row.command, .name))
        .with(StyledText(String(repeating: " ", count: names - DisplayWidth.of(row.command) + 2)))
        .with(StyledText(row.name))
        .with(StyledText(String(repeating: " ", count: keys - DisplayWidth.of(row.name) + 2)))
        .with(StyledText(row.help, .dim))
    }
    canvas.draw(lines.isEmpty ? [StyledText(" no such action", .dim)] : lines, in: area)
    if !shown.isEmpty {
      canvas.select(
        Rect(row: area.row + choice - top, column: 0, rows: 1, columns: area.columns)
      )
    }
    return composer.draw(":", on: &canvas, in: layout.notice)
  }
}

/// The question whether to leave although that loses texts that were not sent.
struct LeaveQuestion: ConsoleLayer {
  let count: Int

  let hints = [KeyHint("q", "leave"), KeyHint("any key", "stay")]

  mutating func take(_ key: Key, _ table: KeyTable) -> LayerOutcome {
    if case .quit? = table.rows.action(of: key) { return .closes([.leave]) }
    return .closes()
  }

  func draw(on canvas: inout Canvas, _ layout: ConsoleLayout, _ table: KeyTable) -> Cursor? {
    let key = table.rows.first { $0.command == "quit" }?.name ?? "q"
    let words = "\(count.counted("unsent text")); \(key): leave, any key: stay"
    canvas.clear(layout.notice)
    canvas.draw([StyledText(words, .warning)], in: layout.notice)
    return nil
  }
}

/// All keys with their meaning; typed text narrows them.
struct HelpPage: ConsoleLayer {
  private var composer = Composer.oneLine
  private var scroll = DetailScroll()

  let hints = [KeyHint("↑ ↓", "scroll"), KeyHint("Esc", "close")]

  mutating func take(_ key: Key, _ table: KeyTable) -> LayerOutcome {
    switch key {
    case .escape, .control("c"), .enter: return .closes()
    case .left where composer.isEmpty, .backspace where composer.isEmpty: return .closes()
    case .up, .down, .pageUp, .pageDown, .home, .end:
      scroll.scroll(by: key)
      return .stays()
    default: break
    }
    _ = composer.apply(key)
    return .stays()
  }

  mutating func fit(_ layout: ConsoleLayout, _ table: KeyTable) {
    scroll.fit(lines(of: table, layout).count, room: layout.body.rows)
  }

  private func lines(of table: KeyTable, _ layout: ConsoleLayout) -> [StyledText] {
    let words = composer.words
    let groups = table.groups.map { title, rows in
      let found = rows.filter { row in
        !row.help.isEmpty && words.isFound(in: [row.name, row.command, row.help])
      }
      return (title: title, rows: found)
    }
    let lines = ConsoleChrome.help(groups.filter { !$0.rows.isEmpty })
    guard !lines.isEmpty else { return [StyledText("No key is for that.", .dim)] }
    return lines.flatMap { $0.folded(to: layout.size.columns) }
  }

  func draw(on canvas: inout Canvas, _ layout: ConsoleLayout, _ table: KeyTable) -> Cursor? {
    canvas.clear(layout.body)
    canvas.draw(lines(of: table, layout).shown(scroll), in: layout.body)
    return composer.draw("find › ", on: &canvas, in: layout.notice)
  }
}
