// SPDX-License-Identifier: MIT

/// One row of the command table: a command with its arguments, or a noun with its verbs.
///
/// The row knows how to turn a command line into work but does none itself.
public struct CommandSpec<Context, Output>: Sendable {
  /// What a command does once its arguments are known, and what comes of it.
  public typealias Work = @Sendable (Context) async throws -> Output

  /// The word that names the command.
  public let name: String

  /// Other words for the command, accepted but not advertised by completion.
  public let aliases: [String]

  /// One line of help, imperative, without a full stop.
  public let summary: String

  /// What long help says beyond the summary: paragraphs parted by blank lines, indented lines kept
  /// as they are.
  public var discussion: String { makeDiscussion() }

  /// Command lines that help shows.
  public let examples: [CommandExample]

  /// The exit statuses that matter to this command, explained by the tool's own rows.
  public let exitStatuses: [Int32]

  /// What the command prints for programs: each member with its meaning.
  public var members: [HelpRow] { makeMembers() }

  /// The heading that the command stands under in the list of commands.
  public let group: String

  /// Whether help, completion and suggestions leave the command out.
  public let isHidden: Bool

  /// Whether lists of commands in help show the command; completion and the manual have it anyway.
  public let isListed: Bool

  /// The command's own arguments, without the global ones.
  public var arguments: [ArgumentSpec] { makeArguments() }

  /// The verbs of a noun; empty for a command.
  public let subcommands: [CommandSpec]

  /// The verb that a noun alone stands for.
  public let defaultSubcommand: String?

  // Made when they are asked for: the table is read at every start, for one command of it.
  private let makeDiscussion: @Sendable () -> String
  private let makeMembers: @Sendable () -> [HelpRow]
  private let makeArguments: @Sendable () -> [ArgumentSpec]

  /// Turns the occurrences on a command line into work.
  let prepare: @Sendable ([ArgumentMatch]) throws(UsageError) -> Work

  /// Declares a command.
  ///
  /// - Parameters:
  ///   - name: The word that names the command.
  ///   - aliases: Other words for it.
  ///   - summary: One line of help, imperative, without a full stop.
  ///   - discussion: What long help adds.
  ///   - examples: Command lines that help shows.
  ///   - exitStatuses: The exit statuses that matter to this command.
  ///   - members: What the command prints for programs: each member with its meaning.
  ///   - group: The heading in the list of commands.
  ///   - isHidden: Whether help, completion and suggestions leave the command out.
  ///   - isListed: Whether lists of commands in help show the command.
  ///   - options: The defaults.
  ///   - arguments: The rows that fill the options.
  ///   - validate: Refuses options that contradict each other, before any work.
  ///   - run: Does the work.
  public init<Options: Sendable>(
    _ name: String,
    aliases: [String] = [],
    _ summary: String,
    discussion: @autoclosure @escaping @Sendable () -> String = "",
    examples: [CommandExample] = [],
    exitStatuses: [Int32] = [],
    members: @autoclosure @escaping @Sendable () -> [HelpRow] = [],
    group: String = "",
    isHidden: Bool = false,
    isListed: Bool = true,
    options: Options,
    arguments: @autoclosure @escaping @Sendable () -> [Argument<Options>],
    validate: (@Sendable (Options) throws(UsageError) -> Void)? = nil,
    run: @escaping @Sendable (Options, Context) async throws -> Output
  ) {
    self.init(
      name,
      aliases: aliases,
      summary,
      discussion: discussion,
      examples: examples,
      exitStatuses: exitStatuses,
      members: members,
      group: group,
      isHidden: isHidden,
      isListed: isListed,
      specs: { arguments().specs(defaults: options) },
      prepare: { (matches) throws(UsageError) in
        let filled = try arguments().filling(options, from: matches)
        try validate?(filled)
        return { context in try await run(filled, context) }
      }
    )
  }

  /// Declares a command by the parts that the other declarations make.
  init(
    _ name: String,
    aliases: [String],
    _ summary: String,
    discussion: @escaping @Sendable () -> String,
    examples: [CommandExample],
    exitStatuses: [Int32],
    members: @escaping @Sendable () -> [HelpRow],
    group: String,
    isHidden: Bool,
    isListed: Bool = true,
    specs: @escaping @Sendable () -> [ArgumentSpec],
    prepare: @escaping @Sendable ([ArgumentMatch]) throws(UsageError) -> Work
  ) {
    self.name = name
    self.aliases = aliases
    self.summary = summary
    makeDiscussion = discussion
    self.examples = examples
    self.exitStatuses = exitStatuses
    makeMembers = members
    self.group = group
    self.isHidden = isHidden
    self.isListed = isListed
    makeArguments = specs
    subcommands = []
    defaultSubcommand = nil
    self.prepare = prepare
  }

  /// Declares a noun, whose verbs do the work.
  ///
  /// - Parameters:
  ///   - name: The word that names the noun.
  ///   - aliases: Other words for it.
  ///   - summary: One line of help, imperative, without a full stop.
  ///   - discussion: What long help adds.
  ///   - group: The heading in the list of commands.
  ///   - isHidden: Whether help, completion and suggestions leave the noun out.
  ///   - defaultSubcommand: The verb that the noun alone stands for; without one a verb is
  ///     required.
  ///   - subcommands: The verbs.
  public init(
    _ name: String,
    aliases: [String] = [],
    _ summary: String,
    discussion: @autoclosure @escaping @Sendable () -> String = "",
    group: String = "",
    isHidden: Bool = false,
    defaultSubcommand: String? = nil,
    subcommands: [CommandSpec]
  ) {
    self.name = name
    self.aliases = aliases
    self.summary = summary
    makeDiscussion = discussion
    self.examples = []
    self.exitStatuses = []
    makeMembers = { [] }
    self.group = group
    self.isHidden = isHidden
    self.isListed = true
    makeArguments = { [] }
    self.subcommands = subcommands
    self.defaultSubcommand = defaultSubcommand
    // Never called: the scanner goes on to a verb or fails.
    self.prepare = { _ throws(UsageError) in
      throw UsageError(.missingSubcommand(of: name, choices: subcommands.map(\.name)))
    }
  }
}

// MARK: - Lookup

extension CommandSpec {
  /// Whether the row is a noun, which needs a verb.
  public var isNoun: Bool { !subcommands.isEmpty }

  /// The options among the arguments.
  public var options: [ArgumentSpec] { arguments.filter { !$0.role.isPositional } }

  /// The positional arguments in order.
  public var positionals: [ArgumentSpec] { arguments.filter(\.role.isPositional) }

  /// The verbs that are not hidden.
  public var visibleSubcommands: [CommandSpec] { subcommands.filter { !$0.isHidden } }

  /// The verbs that lists of commands in help show.
  var listedSubcommands: [CommandSpec] { visibleSubcommands.filter(\.isListed) }

  /// The verb that the noun alone stands for.
  var defaultCommand: CommandSpec? { defaultSubcommand.flatMap(subcommand(named:)) }

  /// Finds a verb by its name or an alias.
  func subcommand(named name: String) -> CommandSpec? {
    for command in subcommands where command.name == name || command.aliases.contains(name) {
      return command
    }
    return nil
  }
}

/// A command line that help shows, with what it does.
public struct CommandExample: Sendable, Equatable {
  /// The line as it is typed, from the program's name on.
  public let line: String

  /// What the line does, imperative, without a full stop.
  public let explanation: String

  /// Creates an example.
  public init(_ line: String, _ explanation: String) {
    self.line = line
    self.explanation = explanation
  }
}
