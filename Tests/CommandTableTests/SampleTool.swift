// SPDX-License-Identifier: MIT

import CommandTable
import Testing

/// The options that the commands ran with, in order.
actor Journal {
  private(set) var entries: [any Sendable] = []

  func write(_ entry: any Sendable) { entries.append(entry) }
}

/// A small tool with every kind of row.
enum SampleTool {
  typealias Command = CommandSpec<Journal, Void>
  typealias Tool = CommandLineTool<Journal, Void, SampleGlobals>

  static let tool = Tool(
    name: "oppi",
    version: "1.2.3",
    summary: "Fire prompts at coding agents",
    globals: SampleGlobals(),
    globalArguments: globalArguments,
    commands: [ask, sessions, stop, servers, schedule, completions, complete],
    advice: { $0 == "login" ? "pair with a server: oppi pair INVITE" : nil },
    groups: ["Asking", "Looking after things"],
    topics: [
      HelpTopic(
        name: "durations",
        summary: "How to write durations",
        body: "A number with a unit, as in --timeout.\n\n  500ms\n  5s"
      )
    ],
    exitStatuses: [
      HelpRow("0", "Done"),
      HelpRow("1", "The turn failed"),
      HelpRow("64", "The command line is wrong"),
    ]
  )

  static let globalArguments: [Argument<SampleGlobals>] = [
    .flag("json", \.json, "Print JSON"),
    .flag("quiet", short: "q", \.quiet, "Print no progress"),
    .flag("verbose", short: "v", \.verbose, "Print every step"),
    .option("color", \.color, "When to use colour"),
    .option("timeout", \.timeout, "Give up after this long"),
  ]

  static let ask = Command(
    "ask",
    "Send a prompt",
    discussion: """
      The words of the prompt are joined by spaces. A single - reads standard input.
      """,
    examples: [
      ("oppi ask -w home 'fix the tests'", "Send a prompt to the workspace home"),
      ("git diff | oppi ask -", "Send what another command prints"),
    ],
    exitStatuses: [0, 1],
    group: "Asking",
    options: AskOptions(),
    arguments: [
      .option(
        "workspace",
        short: "w",
        placeholder: "WORKSPACE",
        completion: .dynamic("workspace"),
        \.workspaces,
        "Where to send it"
      ),
      .option("model", short: "m", placeholder: "MODEL", \.model, "Which model answers"),
      .option("thinking", short: "t", placeholder: "LEVEL", \.level, "How hard to think"),
      .option(
        "session",
        short: "s",
        completion: .dynamic("session"),
        \.session,
        "Go on with a session instead of starting one"
      ),
      .option(
        "file",
        short: "F",
        placeholder: "FILE",
        completion: .file,
        \.file,
        "Read the prompt from a file"
      ),
      .flag("wait", \.wait, "Wait for the answer"),
      .flag("follow", \.follow, "Show the work as it is done"),
      .flag("dry-run", short: "n", \.dryRun, "Only say what would be sent"),
      .option("key", isHidden: true, \.key, "Send at most once"),
      .positional("prompt", \.prompt, "The prompt"),
    ],
    validate: { (options) throws(UsageError) in
      if options.wait, options.follow {
        throw UsageError(.contradiction("--wait and --follow exclude each other"))
      }
    },
    run: { options, journal in await journal.write(options) }
  )

  static let sessions = Command(
    "sessions",
    "List sessions",
    group: "Looking after things",
    options: SessionsOptions(),
    arguments: [
      .option("limit", short: "n", \.limit, "Show at most so many"),
      .flag("all", short: "a", \.all, "Include ended sessions"),
      .positional("workspace", completion: .dynamic("workspace"), \.workspace, "Only this one"),
    ],
    run: { options, journal in await journal.write(options) }
  )

  static let stop = Command(
    "stop",
    "Stop a turn",
    group: "Asking",
    options: StopOptions(),
    arguments: [
      .flag("session", \.session, "Stop the whole session"),
      .positional("session", completion: .dynamic("session"), \.$id, "Which session"),
    ],
    run: { options, journal in await journal.write(options) }
  )
}

extension SampleTool.Tool {
  /// A tool without global options, with the rows that a test needs; its commands are in the group G.
  init(
    commands: [SampleTool.Command] = [],
    topics: [HelpTopic] = [],
    topicPages: [TopicPage] = [],
    files: [HelpRow] = []
  ) {
    self.init(
      name: "oppi",
      version: "1",
      summary: "Do things",
      globals: SampleGlobals(),
      globalArguments: [],
      commands: commands,
      groups: ["G"],
      topics: topics,
      topicPages: topicPages,
      files: files
    )
  }
}

extension SampleTool {
  /// A noun with a default verb.
  static let servers = Command(
    "servers",
    "Manage servers",
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

extension SampleTool {
  /// Runs the command of a line and returns its options.
  static func options<Options>(
    _ words: [String],
    as type: Options.Type = Options.self
  ) async throws -> Options {
    guard case .run(_, _, let work) = try tool.parse(words) else {
      throw ParsedOtherwise()
    }
    let journal = Journal()
    try await work(journal)
    return try #require(await journal.entries.last as? Options)
  }

  private struct ParsedOtherwise: Error {}
}
