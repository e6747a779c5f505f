// SPDX-License-Identifier: MIT

import CommandTable

/// `oppi servers`: the paired servers.
enum Servers {
  static let command: Command = Command(
    "servers",
    "Show and manage the paired servers",
    group: Group.servers,
    defaultSubcommand: "list",
    subcommands: [
      ServersList.command, ServersShow.command, ServersRename.command, ServersForget.command,
      ServersDefault.command, ServersTest.command,
    ]
  )

  /// The options of a verb that is about one server.
  struct OneServer: Sendable, Equatable {
    var name = ""

    static let argument: Argument<OneServer> = .positional(
      "name",
      required: true,
      completion: .dynamic("server"),
      \.name,
      "The server's name"
    )
  }
}
