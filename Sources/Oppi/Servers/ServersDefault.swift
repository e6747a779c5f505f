// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ServersDefault {
  static let command: Command = Command(
    "default",
    "Set the default server",
    discussion:
      "'oppi new' uses the first workspace of this server if no workspace was used before.",
    members: ServerRow.shape.rows,
    positional: Servers.name,
    run: run
  )

  static func run(_ name: String, in context: Context) async throws -> Report {
    let server = try context.serverStore.load().servers.named(name)
    try await context.serverStore.update { contents in
      guard let index = contents.servers.firstIndex(where: { $0.id == server.id }) else { return }
      contents.servers.insert(contents.servers.remove(at: index), at: 0)
    }
    return Report(
      ServerRow(server: server, isDefault: true).document,
      status: StyledText("\(server.name) is the default server")
    )
  }
}
