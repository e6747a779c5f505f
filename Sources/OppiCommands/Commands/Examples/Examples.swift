// SPDX-License-Identifier: MIT

import CommandTable

/// `oppi examples`: how triggers are set up.
enum Examples {
  static let command: Command = Command(
    "examples",
    "Show how triggers, keys and bars are set up",
    group: Group.triggers,
    defaultSubcommand: "list",
    subcommands: [ExamplesList.command, ExamplesShow.command]
  )
}
