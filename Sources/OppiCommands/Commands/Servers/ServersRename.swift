// SPDX-License-Identifier: MIT

import CommandTable
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// `oppi servers rename`.
enum ServersRename {
  struct Options: Sendable, Equatable {
    var name = ""
    var newName = ""
  }

  static let command = CommandSpec<Context>(
    "rename",
    "Call a server otherwise",
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

  static func run(_ options: Options, in context: Context) async throws {
    let server = try context.serverStore.load().servers.named(options.name)
    let isTaken = try await context.serverStore.update { contents in
      let isTaken = contents.servers.contains {
        $0.id != server.id && $0.name.lowercased() == options.newName.lowercased()
      }
      if !isTaken, let index = contents.servers.firstIndex(where: { $0.id == server.id }) {
        contents.servers[index].name = options.newName
      }
      return isTaken
    }
    if isTaken {
      throw OppiError(.usage, "another server is called '\(options.newName)'")
    }
    context.console.status(StyledText("\(server.name) is now called \(options.newName)"))
  }
}
