// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi servers list`.
enum ServersList {
  struct Options: Sendable, Equatable {}

  static let command = CommandSpec<Context>(
    "list",
    "List the paired servers",
    options: Options(),
    arguments: [],
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws {
    let servers = try context.serverStore.load().servers
    if context.console.policy.isJSON {
      let rows = servers.enumerated().map { ServerRow.json($1, isDefault: $0 == 0) }
      return try context.console.print(["servers": .array(rows)])
    }
    var table = Table()
    for (index, server) in servers.enumerated() {
      table.add([
        StyledText(server.name, .name),
        StyledText(server.endpoint.description),
        StyledText(index == 0 && servers.count > 1 ? "default" : "", .success),
        StyledText(server.id.text, .dim),
      ])
    }
    try context.console.print(table)
    if table.isEmpty {
      context.console.status(StyledText("no paired servers; \(OppiError.pairFirst)"))
    }
  }
}
