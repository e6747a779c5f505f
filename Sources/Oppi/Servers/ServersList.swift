// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ServersList {
  struct Options: Sendable, Equatable {}

  static let command: Command = Command(
    "list",
    "List paired servers",
    discussion: """
      In a pipe each line has, separated by tabs: name, address, the word default (if there are \
      several servers), and identity.
      """,
    members: shape.rows,
    options: Options(),
    arguments: [],
    run: run
  )
  .listing("servers")

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let servers = try context.serverStore.load().servers
    let rows = servers.enumerated().map { ServerRow(server: $1, isDefault: $0 == 0) }
    let table = Table(
      rows,
      roles: [.kept, .decides, .kept, .detail(1)],
      headers: ["NAME", "ADDRESS", "DEFAULT", "ID"]
    ) { row in
      [
        StyledText(row.server.name, .name),
        StyledText(row.server.endpoint.description),
        StyledText(row.isDefault && servers.count > 1 ? "default" : "", .success),
        StyledText(row.server.id.text, .dim),
      ]
    }
    return Report(
      shape.document(of: rows),
      .table(table),
      status: rows.isEmpty ? StyledText("no paired servers; \(OppiError.pairFirst)") : nil
    )
  }

  private static let shape: JSONShape<[ServerRow]> = [
    .list("servers", "The paired servers", ServerRow.shape) { $0 }
  ]
}
