// SPDX-License-Identifier: MIT

/// Commands, global options and the text of the manual, in one table.
///
/// The parser, help, manual and completions read only these rows. The table must contain the hidden
/// command `__complete`, which the completion scripts call, and `help`: help pages refer to `help
/// TOPIC`.
package struct CommandLineTool<Context, Output, Globals: Sendable>: Sendable {
  /// The program itself: the root of the command tree.
  package let root: CommandSpec<Context, Output>

  /// The version that `--version` shows.
  package let version: String

  /// The options that every command accepts, including `--help` and `--version`.
  package let globalArguments: [ArgumentSpec]

  /// Returns a hint for a word in lower case that is a command of other programs.
  package let advice: @Sendable (String) -> String?

  /// The headings of the list of commands, in order; each listed command has one of them.
  package let groups: [String]

  /// Help pages about something other than a command.
  package let topics: [HelpTopic]

  /// Manual pages that cover several topics or are not in section 7.
  package var topicPages: [TopicPage] { makeTopicPages() }

  package let exitStatuses: [HelpRow]

  package let files: [HelpRow]

  package let environment: [HelpRow]

  // Lazy: the table is built at every start.
  private let makeTopicPages: @Sendable () -> [TopicPage]

  private let globals: Globals
  private let globalRows: [Argument<Globals>]

  /// Declares a tool.
  ///
  /// `globals` has the defaults of the global options, and `globalArguments` the rows that fill
  /// them; none is positional. `summary` is one line without a full stop; `discussion` is added by
  /// long help.
  package init(
    name: String,
    version: String,
    summary: String,
    discussion: String = "",
    globals: Globals,
    globalArguments: [Argument<Globals>],
    commands: [CommandSpec<Context, Output>],
    advice: @escaping @Sendable (String) -> String? = { _ in nil },
    groups: [String] = [],
    topics: [HelpTopic] = [],
    topicPages: @autoclosure @escaping @Sendable () -> [TopicPage] = [],
    exitStatuses: [HelpRow] = [],
    files: [HelpRow] = [],
    environment: [HelpRow] = []
  ) {
    self.root = CommandSpec(name, summary, discussion: discussion, subcommands: commands)
    self.version = version
    self.globalArguments = globalArguments.specs(defaults: globals) + [.help, .version]
    self.advice = advice
    self.groups = groups
    self.topics = topics
    makeTopicPages = topicPages
    self.exitStatuses = exitStatuses
    self.files = files
    self.environment = environment
    self.globals = globals
    self.globalRows = globalArguments
  }
}

// MARK: - Rows

extension CommandLineTool {
  /// The program's name as it is typed.
  package var name: String { root.name }

  package var commands: [CommandSpec<Context, Output>] { root.subcommands }

  /// Returns the commands along a path of names, the root first; nil if a name is unknown.
  package func commands(along path: [String]) -> [CommandSpec<Context, Output>]? {
    var found = [root]
    var current = root
    for name in path {
      guard let next = current.subcommand(named: name) else { return nil }
      found.append(next)
      current = next
    }
    return found
  }

  /// The listed commands under their headings.
  var commandGroups: [(heading: String, commands: [CommandSpec<Context, Output>])] {
    let all = root.listedSubcommands
    return groups.map { group in (group, all.filter { $0.group == group }) }
      .filter { !$0.1.isEmpty }
  }

  /// The meanings of the exit statuses of some commands.
  func exitStatuses(of commands: [CommandSpec<Context, Output>]) -> [HelpRow] {
    let statuses = Set(commands.flatMap(\.exitStatuses).map(String.init))
    return exitStatuses.filter { statuses.contains($0.term) }
  }

  var scanner: LineScanner<Context, Output> {
    LineScanner(root: root, globals: globalArguments, advice: advice)
  }
}

// MARK: - Parsing

extension CommandLineTool {
  /// Parses a command line without running it.
  ///
  /// A request for help or the version takes precedence over mistakes elsewhere on the line, except
  /// that help cannot be requested for an unknown command, and that the version takes no argument.
  ///
  /// - Throws: `UsageError` for the first mistake.
  package func parse(_ words: [String]) throws(UsageError) -> Invocation<Context, Output, Globals> {
    var scanner = scanner
    var mistake: UsageError?
    for word in words {
      do {
        try scanner.read(word)
      } catch {
        mistake = mistake ?? error
      }
    }
    switch (scanner.request, mistake?.kind) {
    case (.version, .unexpectedArgument), (.help, .unknownCommand), (nil, _):
      return try finish(scanner, mistake: mistake)
    case (.version, _):
      return .version
    case (.help(let form), _):
      return .help(path: scanner.path, form: form)
    }
  }

  private func finish(
    _ scanner: LineScanner<Context, Output>,
    mistake: UsageError?
  ) throws(UsageError) -> Invocation<Context, Output, Globals> {
    if let mistake { throw mistake }
    var scanner = scanner
    try scanner.finish()
    do {
      let globals = try globalRows.filling(globals, from: scanner.matches)
      let work = try scanner.command.prepare(scanner.matches)
      return .run(globals, path: scanner.path, work: work)
    } catch {
      throw scanner.locating(error)
    }
  }

  /// Returns the global options of a line that may contain a mistake, for reporting the mistake.
  ///
  /// Options that cannot be read keep their defaults.
  package func globalsIgnoringErrors(_ words: [String]) -> Globals {
    var scanner = scanner
    for word in words { try? scanner.read(word) }
    var filled = globals
    for row in globalRows { try? row.fill(&filled, from: scanner.matches) }
    return filled
  }
}

/// A term and its meaning: a command, an argument, an exit status, a file, an environment variable
/// or a member of a JSON object.
package struct HelpRow: Sendable, Equatable {
  /// The name, the path or the number.
  package let term: String

  /// The meaning, without a full stop.
  package let meaning: String

  package init(_ term: String, _ meaning: String) {
    self.term = term
    self.meaning = meaning
  }
}

/// The result of parsing a command line.
package enum Invocation<Context, Output, Globals: Sendable>: Sendable {
  /// Run a command: the global options, the full names on its path, and the prepared work.
  case run(Globals, path: [String], work: CommandSpec<Context, Output>.Work)

  /// Show a help page: about the tool if the path is empty, else about the command.
  case help(path: [String], form: HelpForm)

  case version
}
