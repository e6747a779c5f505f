// SPDX-License-Identifier: MIT

import CommandTable

/// `oppi examples`: how to set up triggers.
enum Examples {
  static let command: Command = Command(
    "examples",
    "Show examples for triggers, hotkeys and status bars",
    group: Group.triggers,
    defaultSubcommand: "list",
    subcommands: [ExamplesList.command, ExamplesShow.command]
  )
}
