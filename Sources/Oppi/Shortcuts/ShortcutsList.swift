// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ShortcutsList {
  struct Options: Sendable, Equatable {}

  static let command: Command = Command(
    "list",
    "List the shortcuts",
    discussion: """
      In a pipe each line has, separated by tabs: name, workspace, options, required \
      placeholders, and prompt.
      """,
    members: shape.rows,
    options: Options(),
    arguments: [],
    run: run
  )
  .listing("shortcuts")

  static func run(_ options: Options, in context: Context) async throws -> Report {
    var rows: [NamedShortcut] = []
    var defects: [OppiError] = []
    for name in try context.shortcuts.all() {
      do {
        rows.append(NamedShortcut(name: name, shortcut: try context.shortcuts.shortcut(name)))
      } catch {
        defects.append(OppiError(error))
      }
    }
    let found = rows
    return Report(
      shape.document(of: found),
      .table { table(of: found, promptLimit: 60) },
      pipe: .table { table(of: found, promptLimit: 2000) },
      status: found.isEmpty && defects.isEmpty ? "no shortcuts" : nil,
      notes: defects.dropFirst().map { .warning($0.message) },
      failure: defects.first
    )
  }

  private static func table(of rows: [NamedShortcut], promptLimit: Int) -> Table {
    Table(
      rows,
      roles: [.kept, .context, .detail(1), .detail(2), .decides],
      headers: ["NAME", "WORKSPACE", "OPTIONS", "NEEDS", "PROMPT"]
    ) { row in
      [
        StyledText(row.name.text, .name),
        StyledText(row.shortcut.workspace?.safeLine(limit: 120) ?? ""),
        StyledText(row.manner, .dim),
        StyledText(row.needed.joined(separator: " "), .dim),
        StyledText(row.shortcut.prompt.safeLine(limit: promptLimit)),
      ]
    }
  }

  private static let shape: JSONShape<[NamedShortcut]> = [
    .list("shortcuts", "The shortcuts, sorted by name", NamedShortcut.shape) { $0 }
  ]
}
