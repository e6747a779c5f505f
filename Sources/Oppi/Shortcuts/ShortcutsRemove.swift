// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering

enum ShortcutsRemove {
  static let command: Command = Command(
    "remove",
    "Remove a shortcut",
    discussion: """
      Triggers of the shortcut fail afterwards; its queued prompts are still delivered. A shortcut \
      with a schedule cannot be removed: run 'oppi schedule remove' first.
      """,
    exitStatuses: [0, 64, 66, 74],
    members: shape.rows,
    positional: Shortcuts.name,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    try await EditShortcuts(in: context.intents).remove(name)
    return Report(shape.document(of: name), status: StyledText("removed \(name.text)"))
  }

  private static let shape: JSONShape<ShortcutName> = [
    .text("name", "The shortcut that was removed") { $0.text }
  ]
}
