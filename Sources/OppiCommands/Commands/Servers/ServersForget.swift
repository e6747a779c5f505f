// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

enum ServersForget {
  static let command: Command = Command(
    "forget",
    "Remove a server, its token and its cached workspaces",
    discussion: """
      The token stays valid until you run 'oppi token rotate' on the server's machine.
      """,
    members: ServerRow.shape.rows,
    positional: Servers.name,
    run: run
  )

  static func run(_ name: String, in context: Context) async throws -> Report {
    let contents = try context.serverStore.load()
    let server = try contents.servers.named(name)
    let isDefault = contents.defaultServer?.id == server.id
    try await context.credentials.remove(server.id)
    try await context.serverStore.update { $0.servers.removeAll { $0.id == server.id } }
    await context.cache.remove(server.id)
    return Report(
      ServerRow(server: server, isDefault: isDefault).document,
      status: StyledText("removed \(server.name)")
    )
  }
}
