// SPDX-License-Identifier: MIT

import CommandTable

/// `oppi servers`: the paired servers.
enum Servers {
  static let command: Command = Command(
    "servers",
    "Show and manage paired servers",
    group: Group.setup,
    defaultSubcommand: "list",
    subcommands: [
      ServersList.command, ServersShow.command, ServersRename.command, ServersForget.command,
      ServersDefault.command, ServersTest.command, ServersDevices.command, ServersRevoke.command,
    ]
  )

  /// The argument for one server.
  static let name = RequiredPositional<String>(
    "name",
    completion: .dynamic("server"),
    "The server's name"
  )
}
