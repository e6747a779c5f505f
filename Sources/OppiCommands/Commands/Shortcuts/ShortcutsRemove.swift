// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi shortcuts remove`.
enum ShortcutsRemove {
  static let command: Command = Command(
    "remove",
    "Remove a shortcut",
    discussion: """
      What triggers it fails from then on; what is in the outbox is delivered. One that has a schedule is \
      not removed before that: 'oppi schedule remove' does it.
      """,
    exitStatuses: [0, 64, 66, 74],
    members: shape.rows,
    positional: Shortcuts.name,
    run: run
  )

  static func run(_ name: ShortcutName, in context: Context) async throws -> Report {
    // A damaged one is removed, too.
    _ = try context.shortcuts.existing(name)
    guard try !context.schedules.all().contains(name) else {
      throw OppiError(
        .usage,
        "the shortcut \(name.text) has a schedule, which would fail from now on",
        hints: ["remove that first: oppi schedule remove \(name.text)"]
      )
    }
    try context.shortcuts.remove(name.text)
    do {
      try await context.shortcutSessions.forget(name.text)
    } catch {
      await context.console.warn("its session is still remembered: \(OppiError(error).message)")
    }
    return Report(shape.document(of: name), status: StyledText("removed \(name.text)"))
  }

  private static let shape: JSONShape<ShortcutName> = [
    .member("name", "The shortcut that was removed") { .string($0.text) }
  ]
}
