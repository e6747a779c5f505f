// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiRendering
import OppiSystem

enum ServersRename {
  struct Options: Sendable, Equatable {
    var name = ""
    var newName = ""
  }

  static let command: Command = Command(
    "rename",
    "Rename a server",
    members: ServerRow.shape.rows,
    options: Options(),
    arguments: [
      .positional(
        "name",
        required: true,
        completion: .dynamic("server"),
        \.name,
        "The server's name"
      ),
      .positional("new-name", required: true, \.newName, "Its new name"),
    ],
    validate: { options throws(UsageError) in try ServerLabel.check(options.newName) },
    run: run
  )

  static func run(_ options: Options, in context: Context) async throws -> Report {
    let contents = try context.serverStore.load()
    var server = try contents.servers.named(options.name)
    let (id, oldName) = (server.id, server.name)
    let isTaken = try await context.serverStore.update { contents in
      let isTaken = contents.servers.contains {
        $0.id != id && $0.name.lowercased() == options.newName.lowercased()
      }
      if !isTaken, let index = contents.servers.firstIndex(where: { $0.id == id }) {
        contents.servers[index].name = options.newName
      }
      return isTaken
    }
    if isTaken {
      throw OppiError.serverNameTaken(options.newName)
    }
    server.name = options.newName
    let renamed = server
    return Report(
      ServerRow(server: renamed, isDefault: contents.defaultServer?.id == id).document,
      status: StyledText("renamed \(oldName) to \(renamed.name)")
    )
  }
}
