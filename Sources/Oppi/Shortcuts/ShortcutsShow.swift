// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ShortcutsShow {
  static let command: Command = Command(
    "show",
    "Show a shortcut with its full prompt",
    exitStatuses: [0, 64, 66, 74, 78],
    members: NamedShortcut.shape.rows,
    positional: Shortcuts.name,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    let store = context.shortcuts
    let row = NamedShortcut(name: name, shortcut: try store.shortcut(name))
    let file = try store.load(name.text)
    let texts = [file?.text, file?.prompt].compactMap(\.self)
    let lines = texts.flatMap { text in
      text.safeBlock().split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    }
    return Report(
      NamedShortcut.shape.document(of: row),
      .lines(lines.map { StyledText(String($0)) }),
      status: StyledText(store.path(of: name.text), .dim)
    )
  }
}
