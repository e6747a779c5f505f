// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

enum ShortcutsRemove {
  static let command: Command = Command(
    "remove",
    "Remove a shortcut",
    discussion: """
      Triggers of the shortcut fail from then on; its queued prompts are still delivered. A \
      shortcut with a schedule cannot be removed: run 'oppi schedule remove' first.
      """,
    exitStatuses: [0, 64, 66, 74],
    members: shape.rows,
    positional: Shortcuts.name,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    // Includes a damaged shortcut.
    _ = try context.shortcuts.existing(name)
    guard try !context.schedules.all().contains(name) else {
      throw OppiError.shortcutHasSchedule(name)
    }
    try context.shortcuts.remove(name.text)
    do {
      try await context.shortcutSessions.forget(name.text)
    } catch {
      await context.console.warn(
        "could not remove the record of its session: \(OppiError(error).message)"
      )
    }
    return Report(shape.document(of: name), status: StyledText("removed \(name.text)"))
  }

  private static let shape: JSONShape<ShortcutName> = [
    .member("name", "The shortcut that was removed") { .string($0.text) }
  ]
}
