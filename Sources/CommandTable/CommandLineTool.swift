// SPDX-License-Identifier: MIT

/// The whole command line in one table: commands, global options, and what the manual says about
/// them all.
///
/// Parser, help, manual and completions read only these rows. The completion scripts call the
/// hidden command `__complete`, and help tells the reader that `help TOPIC` prints a topic; both
/// are ordinary commands of the table.
public struct CommandLineTool<Context, Output, Globals: Sendable>: Sendable {
  /// The program itself as the noun above all commands.
  public let root: CommandSpec<Context, Output>

  /// The version that `--version` shows.
  public let version: String

  /// The options that every command takes, `--help` and `--version` among them.
  public let globalArguments: [ArgumentSpec]

  /// What to do instead, for words that are commands of other programs.
  public let advice: [String: String]

  /// The headings of the list of commands in their order.
  public let groups: [String]

  /// Pages of help about something other than a command.
  public let topics: [HelpTopic]

  /// Pages of the manual that have several topics, or are in another section than 7.
  public var topicPages: [TopicPage] { makeTopicPages() }

  /// What each exit status means.
  public let exitStatuses: [ExitStatusRow]

  /// The files that the program reads and writes.
  public let files: [HelpRow]

  /// The environment variables that the program reads.
  public let environment: [HelpRow]

  // Made when it is asked for: the table is read at every start.
  private let makeTopicPages: @Sendable () -> [TopicPage]

  private let globals: Globals
  private let globalRows: [Argument<Globals>]

  /// Declares a tool.
  ///
  /// - Parameters:
  ///   - name: The program's name as it is typed.
  ///   - version: The version, such as `1.2.0`.
  ///   - summary: One line about the program, without a full stop.
  ///   - discussion: What long help adds.
  ///   - globals: The defaults of the global options.
  ///   - globalArguments: The rows that fill the global options; none is positional.
  ///   - commands: The commands.
  ///   - advice: What to do instead, for words that are commands of other programs.
  ///   - groups: The headings of the list of commands in their order.
  ///   - topics: Pages of help about something other than a command.
  ///   - topicPages: Pages of the manual that have several topics, or are in another section than 7.
  ///   - exitStatuses: What each exit status means.
  ///   - files: The files that the program reads and writes.
  ///   - environment: The environment variables that the program reads.
  public init(
    name: String,
    version: String,
    summary: String,
    discussion: String = "",
    globals: Globals,
    globalArguments: [Argument<Globals>],
    commands: [CommandSpec<Context, Output>],
    advice: [String: String] = [:],
    groups: [String] = [],
    topics: [HelpTopic] = [],
    topicPages: @autoclosure @escaping @Sendable () -> [TopicPage] = [],
    exitStatuses: [ExitStatusRow] = [],
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
  public var name: String { root.name }

  /// The commands in the order of the table.
  public var commands: [CommandSpec<Context, Output>] { root.subcommands }

  /// Finds the commands along a path of names or aliases, the program itself first; nil when a name
  /// is unknown.
  public func commands(along path: [String]) -> [CommandSpec<Context, Output>]? {
    var found = [root]
    var current = root
    for name in path {
      guard let next = current.subcommand(named: name) else { return nil }
      found.append(next)
      current = next
    }
    return found
  }

  /// A scanner at the start of a command line.
  var scanner: LineScanner<Context, Output> {
    LineScanner(root: root, globals: globalArguments, advice: advice)
  }
}

// MARK: - Parsing

extension CommandLineTool {
  /// Says what a command line asks for, without doing any of it.
  ///
  /// A request for help or the version wins over mistakes elsewhere on the line, except that there
  /// is no help about an unknown command.
  ///
  /// - Parameter words: The words after the program's name.
  /// - Returns: The work, or the request for help or the version.
  /// - Throws: `UsageError` for the first mistake.
  public func parse(_ words: [String]) throws(UsageError) -> Invocation<Context, Output, Globals> {
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
    case (.version, _):
      return .version
    case (.help, .unknownCommand), (nil, _):
      return try finish(scanner, mistake: mistake)
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

  /// Returns the global options of a line that may be wrong, so that the mistake can be reported as
  /// the user asked.
  ///
  /// Whatever cannot be read is passed over and keeps its default.
  public func globalsIgnoringErrors(_ words: [String]) -> Globals {
    var scanner = scanner
    for word in words { try? scanner.read(word) }
    var filled = globals
    for row in globalRows { try? row.fill(&filled, from: scanner.matches) }
    return filled
  }
}

/// An exit status with what it means.
public struct ExitStatusRow: Sendable, Equatable {
  /// The number.
  public let status: Int32

  /// What it means, without a full stop.
  public let meaning: String

  /// Creates a row.
  public init(_ status: Int32, _ meaning: String) {
    self.status = status
    self.meaning = meaning
  }
}

/// A file, an environment variable or a member of an object with what it is for.
public struct HelpRow: Sendable, Equatable {
  /// The path or the name.
  public let term: String

  /// What it is for, without a full stop.
  public let meaning: String

  /// Creates a row.
  public init(_ term: String, _ meaning: String) {
    self.term = term
    self.meaning = meaning
  }
}
