// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal

/// What a key of the console does.
enum ConsoleAction: Sendable {
  // Everywhere.
  case tab(Int)
  case nextTab
  case refresh
  case help
  case filterText
  case quit
  case copy
  // Lists.
  case up
  case down
  case pageUp
  case pageDown
  case top
  case end
  case nextFilter
  case previousFilter
  case back
  /// Show the detail of the selected item.
  case detail
  /// Ask the user about a change, and perform it if the user confirms it.
  case ask(ConsoleChange)
  case perform(ConsoleEffect)
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

/// One row of the table of keys, from which dispatch, footer and help page are made.
struct KeyRow: Sendable {
  let keys: [Key]
  /// As shown.
  let name: String
  /// One or two words for the footer; empty to leave it out there.
  let label: String
  /// For the help page.
  let help: String
  /// `nil` if the keys do nothing now.
  let action: ConsoleAction?
  /// The place and the words of the action in the line form; `nil` if it is not offered there.
  private(set) var spoken: (place: Int, words: String)?

  init(
    _ keys: [Key],
    _ name: String,
    _ label: String = "",
    help: String,
    _ action: ConsoleAction?,
    when works: Bool = true
  ) {
    (self.keys, self.name, self.label, self.help) = (keys, name, label, help)
    self.action = works ? action : nil
  }

  /// The row of a letter.
  init(
    _ letter: String,
    _ label: String = "",
    help: String,
    _ action: ConsoleAction?,
    when works: Bool = true
  ) {
    self.init([.text(letter)], letter, label, help: help, action, when: works)
  }

  /// The row of Enter, which shows an item.
  static func enter(_ action: ConsoleAction?, help: String, when works: Bool = true) -> KeyRow {
    KeyRow([.enter, .right], "Enter", "open", help: help, action, when: works)
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

  /// The keys for the footer that do something now.
  var footer: [KeyHint] {
    filter { !$0.label.isEmpty && $0.action != nil }.map { KeyHint($0.name, $0.label) }
  }

  /// The rows, whose keys do nothing now unless `works` is set.
  func when(_ works: Bool) -> [KeyRow] {
    works ? self : map { KeyRow($0.keys, $0.name, $0.label, help: $0.help, nil) }
  }
}

enum ConsoleKeys {
  /// The keys that move the selection of a list.
  static let list = [
    KeyRow([.up, .text("k")], "↑ k", help: "Select the row above", .up),
    KeyRow([.down, .text("j")], "↓ j", "select", help: "Select the row below", .down),
    KeyRow([.pageUp], "PageUp", help: "Move up by a page", .pageUp),
    KeyRow([.pageDown], "PageDown", help: "Move down by a page", .pageDown),
    KeyRow([.home, .text("g")], "Home g", help: "Sort the list and select its first row", .top),
    KeyRow([.end, .text("G")], "End G", help: "Select the last row", .end),
  ]

  /// The keys that change the group of a list, which is called `word`.
  static func groups(_ word: String) -> [KeyRow] {
    [
      KeyRow("f", "next filter", help: "Show the next \(word)", .nextFilter),
      KeyRow("F", help: "Show the previous \(word)", .previousFilter),
    ]
  }
}
