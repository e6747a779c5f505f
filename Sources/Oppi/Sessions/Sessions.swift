// SPDX-License-Identifier: MIT

import CommandTable

/// `oppi sessions`: the sessions of all servers.
enum Sessions {
  static let command: Command = Command(
    "sessions",
    "List the sessions of all servers and delete old ones",
    group: Group.watching,
    defaultSubcommand: "list",
    subcommands: [SessionsList.command, SessionsDelete.command]
  )
}
