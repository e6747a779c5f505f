// SPDX-License-Identifier: MIT

import OppiClient
import OppiModel
import OppiTerminal
import OppiText

/// What a key of the console does.
enum ConsoleAction: Sendable {
  // Everywhere.
  case tab(Int)
  case nextTab
  case refresh
  case help
  case commandLine
  case filterText
  /// Show the rows of the list that contain a text; all for an empty one.
  case filter(String)
  /// Search a text in all conversations.
  case search(String)
  /// Leave the console; asks first if a text was not sent.
  case quit
  case leave
  case copy
  /// Switch the mouse on or off.
  case mouse
  // Lists.
  case up
  case down
  case pageUp
  case pageDown
  case top
  case end
  case nextFilter
  case previousFilter
  /// Sort the list by the next of its columns.
  case sort
  /// Mark the selected item, or remove its mark.
  case mark
  case back
  /// Show the detail of the selected item.
  case detail
  /// Ask the user about a change, and perform it if the user confirms it.
  case ask(ConsoleChange)
  case perform(ConsoleEffect)
  /// Send a prompt to a new session.
  case newPrompt
  /// Write to the agent of the chat.
  case write
  /// An action of a tab.
  case own(any TabAction)

  /// The action of a tab; `nil` for other actions.
  func own<Action: TabAction>(_ type: Action.Type = Action.self) -> Action? {
    if case .own(let action) = self { action as? Action } else { nil }
  }
}

/// What a key does in a tab, such as opening a page.
protocol TabAction: Sendable {}

extension SteadyList {
  /// Performs an action that moves the selection or sorts the list; returns false for any other.
  mutating func perform(_ action: ConsoleAction, page rows: Int) -> Bool {
    let page = max(1, rows - 1)
    switch action {
    case .up: move(by: -1)
    case .down: move(by: 1)
    case .pageUp: move(by: -page)
    case .pageDown: move(by: page)
    case .top: moveToTop()
    case .end: moveToEnd()
    case .refresh: sort()
    default: return false
    }
    return true
  }
}

/// One row of the table of keys, from which dispatch, footer, command line and help are made.
struct KeyRow: Sendable {
  private(set) var keys: [Key]
  /// As shown.
  private(set) var name: String
  /// The name of the action in the command line and in the setting `keys`; empty for none.
  let command: String
  /// Whether the footer may show it.
  private(set) var isHint = true
  /// For the help page.
  let help: String
  /// `nil` if the keys do nothing now.
  private(set) var action: ConsoleAction?
  /// The place and the words of the action in the line form; `nil` if it is not offered there.
  private(set) var spoken: (place: Int, words: String)?

  init(
    _ keys: [Key],
    _ name: String,
    _ command: String = "",
    help: String,
    _ action: ConsoleAction?,
    when works: Bool = true
  ) {
    (self.keys, self.name, self.command, self.help) = (keys, name, command, help)
    self.action = works ? action : nil
  }

  /// The row of a letter.
  init(
    _ letter: String,
    _ command: String = "",
    help: String,
    _ action: ConsoleAction?,
    when works: Bool = true
  ) {
    self.init([.text(letter)], letter, command, help: help, action, when: works)
  }

  /// The row of Enter, which shows an item.
  static func enter(_ action: ConsoleAction?, help: String, when works: Bool = true) -> KeyRow {
    KeyRow([.enter, .right], "Enter", "open", help: help, action, when: works)
  }

  /// For the footer.
  var hint: KeyHint? {
    guard isHint, !command.isEmpty, action != nil else { return nil }
    return KeyHint(name, command.split(separator: "-").joined(separator: " "))
  }

  /// The row, which the footer does not show.
  var withoutHint: KeyRow {
    var row = self
    row.isHint = false
    return row
  }

  func with(_ key: Key, named name: String) -> KeyRow {
    var row = self
    (row.keys, row.name) = ([key], name)
    return row
  }

  /// The row without keys that another row has; it can still be performed by its name.
  func without(_ taken: [Key]) -> KeyRow {
    var row = self
    row.keys.removeAll(where: taken.contains)
    if row.keys.isEmpty, !keys.isEmpty { (row.name, row.isHint) = ("", false) }
    return row
  }

  /// The row, whose keys do nothing now unless `works` is set.
  func when(_ works: Bool) -> KeyRow {
    var row = self
    if !works { row.action = nil }
    return row
  }

  /// The row with the place and the words of its action in the line form.
  func spoken(_ place: Int, _ words: String) -> KeyRow {
    var row = self
    row.spoken = (place, words)
    return row
  }
}

extension [KeyRow] {
  /// The action of a key; `nil` if it does nothing now.
  func action(of key: Key) -> ConsoleAction? {
    first { $0.action != nil && $0.keys.contains(key) }?.action
  }

  /// The keys for the footer that do something now, each once.
  var footer: [KeyHint] {
    var known: Set<String> = []
    return compactMap(\.hint).filter { known.insert($0.keys).inserted }
  }

  /// The rows, whose keys do nothing now unless `works` is set.
  func when(_ works: Bool) -> [KeyRow] { map { $0.when(works) } }
}

extension KeyBindings {
  /// The rows with the keys that the user has chosen, which the other rows lose.
  func applied(to rows: [KeyRow]) -> [KeyRow] {
    guard !all.isEmpty else { return rows }
    return rows.map { row in
      all.first { $0.action == row.command }.map { row.with($0.key, named: $0.name) }
        ?? row.without(all.map(\.key))
    }
  }
}

enum ConsoleKeys {
  /// The keys that the user has chosen.
  ///
  /// - Throws: `OppiError` if the setting is invalid, or names an action that the console lacks.
  static func bindings(of settings: ConfigFile.Settings) throws(OppiError) -> KeyBindings {
    let bindings = try settings.keyBindings()
    guard !bindings.all.isEmpty else { return bindings }
    let screen = ConsoleScreen(
      tabs: ConsoleCommand.tabs { "" },
      selected: ConsoleCommand.firstTab,
      isReadOnly: false,
      now: Timestamp(milliseconds: 0)
    )
    let rows = screen.tabs.flatMap { $0.keys(in: screen.model) } + screen.keys
    let known = Set(rows.map { $0.command })
    if let unknown = bindings.all.first(where: { !known.contains($0.action) }) {
      throw settings.unusable(.keys, "names no action of the console: \(unknown.action)")
    }
    return bindings
  }

  /// The keys that move the selection of a list.
  static let list = [
    KeyRow([.up, .text("k")], "↑ k", help: "Select the row above", .up),
    KeyRow([.down, .text("j")], "↓ j", "select", help: "Select the row below", .down),
    KeyRow([.pageUp], "PageUp", help: "Move up by a page", .pageUp),
    KeyRow([.pageDown], "PageDown", help: "Move down by a page", .pageDown),
    KeyRow([.home], "Home", help: "Sort the list and select its first row", .top),
    KeyRow([.end, .text("G")], "End G", help: "Select the last row", .end),
  ]

  /// The keys that change the group of a list, which is called `word`.
  static func groups(_ word: String) -> [KeyRow] {
    [
      KeyRow("f", "next-filter", help: "Show the next \(word)", .nextFilter),
      KeyRow("F", "previous-filter", help: "Show the previous \(word)", .previousFilter)
        .withoutHint,
    ]
  }
}
