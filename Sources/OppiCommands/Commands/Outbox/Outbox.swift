// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import OppiSystem

/// `oppi outbox`: the prompts that wait for their server.
enum Outbox {
  static let command: Command = Command(
    "outbox",
    "Show and manage the prompts that wait for their server",
    group: Group.triggers,
    defaultSubcommand: "list",
    subcommands: [
      OutboxList.command, OutboxShow.command, OutboxFlush.command, OutboxRetry.command,
      OutboxDrop.command,
    ]
  )

  /// The options of a verb that is about one prompt.
  struct OnePrompt: Sendable, Equatable {
    var key: OutboxKey?

    static let argument: Argument<OnePrompt> = .positional(
      "key",
      required: true,
      completion: .dynamic("outbox"),
      \.key,
      "The prompt's key"
    )
  }
}
