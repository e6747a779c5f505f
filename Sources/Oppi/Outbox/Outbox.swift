// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// `oppi outbox`: the queued prompts.
enum Outbox {
  static let command: Command = Command(
    "outbox",
    "Show and manage queued prompts",
    group: Group.triggers,
    defaultSubcommand: "list",
    subcommands: [
      OutboxList.command, OutboxShow.command, OutboxFlush.command, OutboxRetry.command,
      OutboxDrop.command,
    ]
  )

  /// The argument for one prompt.
  static let key = RequiredPositional<OutboxKey>(
    "key",
    completion: .dynamic("outbox"),
    "The prompt's key"
  )
}
