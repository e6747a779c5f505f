// SPDX-License-Identifier: MIT

import CommandTable

extension SampleTool {
  /// A noun with a default verb.
  static let servers = Command(
    "servers",
    "Manage servers",
    discussion: "A server is known by the name it was paired with.",
    group: "Looking after things",
    defaultSubcommand: "list",
    subcommands: [
      Command(
        "list",
        "List servers",
        options: ServersOptions(),
        arguments: [.flag("offline", short: "o", \.offline, "Ask no server")],
        run: { options, journal in await journal.write(options) }
      ),
      Command(
        "rename",
        "Rename a server",
        options: RenameOptions(),
        arguments: [
          .positional(
            "name",
            required: true,
            completion: .dynamic("server"),
            \.name,
            "The name it has"
          ),
          .positional("new-name", \.newName, "The name it shall have"),
        ],
        run: { options, journal in await journal.write(options) }
      ),
    ]
  )

  /// A noun that needs a verb.
  static let schedule = Command(
    "schedule",
    "Run shortcuts by the clock",
    group: "Looking after things",
    subcommands: [
      Command(
        "add",
        "Add a timer",
        options: ScheduleOptions(),
        arguments: [
          .positional("name", required: true, \.name, "The shortcut to run"),
          .positional("time", required: true, \.times, "When to run it"),
        ],
        run: { options, journal in await journal.write(options) }
      ),
      Command(
        "remove",
        aliases: ["rm"],
        "Remove a timer",
        options: ScheduleOptions(),
        arguments: [.positional("name", required: true, \.name, "The shortcut")],
        run: { options, journal in await journal.write(options) }
      ),
    ]
  )

  static let completions = Command(
    "completions",
    "Print a completion script",
    group: "Looking after things",
    options: CompletionsOptions(),
    arguments: [
      .option("folder", short: "d", completion: .directory, \.folder, "Where to write it"),
      .positional("shell", \.shell, "The shell"),
    ],
    run: { options, journal in await journal.write(options) }
  )

  static let complete = Command(
    "__complete",
    "Answer a completion script",
    isHidden: true,
    options: CompleteOptions(),
    arguments: [.positional("word", \.words, "A word of the line")],
    run: { options, journal in await journal.write(options) }
  )
}
