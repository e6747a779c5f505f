// SPDX-License-Identifier: MIT

/// A command with its arguments, or a noun with its verbs.
///
/// It turns a command line into work, but does not run the work.
package struct CommandSpec<Context, Output>: Sendable {
  /// The work of a command whose arguments are known.
  package typealias Work = @Sendable (Context) async throws -> Output

  /// The word that names the command.
  package let name: String

  /// One line of help, imperative, without a full stop.
  package let summary: String

  /// The text that long help adds: paragraphs separated by blank lines; indented lines are
  /// verbatim.
  package var discussion: String { makeDiscussion() }

  package let examples: [CommandExample]

  /// The exit statuses that help lists for this command; the tool's rows explain them.
  package let exitStatuses: [Int32]

  package var members: [HelpRow] { makeMembers() }

  /// The heading in the list of commands.
  package let group: String

  /// Whether help, completion and suggestions omit the command.
  package let isHidden: Bool

  /// Whether the overview lists the command.
  ///
  /// Completion always includes it; the manual has its page, which another page must name.
  package let isListed: Bool

  /// The command's own arguments, without the global ones.
  package var arguments: [ArgumentSpec] { makeArguments() }

  /// The verbs of a noun; empty for a command.
  package var subcommands: [CommandSpec] { makeSubcommands?() ?? [] }

  /// The verb that runs if the noun stands alone.
  package private(set) var defaultSubcommand: String?

  /// The members of the JSON output that are the rows of the command's list; empty for a command
  /// that prints no list.
  package var lists: [String] { makeLists() }

  // Lazy: the table is read at every start, for one command.
  private let makeDiscussion: @Sendable () -> String
  private var makeMembers: @Sendable () -> [HelpRow]
  private var makeLists: @Sendable () -> [String] = { [] }
  private var makeArguments: @Sendable () -> [ArgumentSpec]
  private var makeSubcommands: (@Sendable () -> [CommandSpec])?

  private(set) var prepare: @Sendable ([ArgumentMatch]) throws(UsageError) -> Work

  /// Declares a command.
  ///
  /// `options` has the defaults and `arguments` the rows that fill them. `validate` rejects
  /// contradictory options before any work; `run` does the work. The other parameters are stored in
  /// the properties of the same name.
  package init<Options: Sendable>(
    _ name: String,
    _ summary: String,
    discussion: @autoclosure @escaping @Sendable () -> String = "",
    examples: [CommandExample] = [],
    exitStatuses: [Int32] = [],
    members: @autoclosure @escaping @Sendable () -> [HelpRow] = [],
    group: String = "",
    isHidden: Bool = false,
    isListed: Bool = true,
    options: Options,
    arguments: @autoclosure @escaping @Sendable () -> [Argument<Options>] = [],
    validate: (@Sendable (Options) throws(UsageError) -> Void)? = nil,
    run: @escaping @Sendable (Options, Context) async throws -> Output
  ) {
    self.name = name
    self.summary = summary
    self.examples = examples
    self.exitStatuses = exitStatuses
    self.group = group
    self.isHidden = isHidden
    self.isListed = isListed
    makeDiscussion = discussion
    makeMembers = members
    makeArguments = { arguments().specs(defaults: options) }
    prepare = { (matches) throws(UsageError) in
      let filled = try arguments().filling(options, from: matches)
      try validate?(filled)
      return { context in try await run(filled, context) }
    }
  }

  /// Declares a noun, whose verbs do the work.
  ///
  /// Without `defaultSubcommand`, a verb is required. The other parameters are those of a command.
  package init(
    _ name: String,
    _ summary: String,
    discussion: @autoclosure @escaping @Sendable () -> String = "",
    group: String = "",
    isHidden: Bool = false,
    defaultSubcommand: String? = nil,
    subcommands: @autoclosure @escaping @Sendable () -> [CommandSpec]
  ) {
    self.init(
      name,
      summary,
      discussion: discussion(),
      group: group,
      isHidden: isHidden,
      options: NoOptions(),
      // Never called: the scanner enters a verb or fails.
      run: { _, _ in
        throw UsageError(.missingSubcommand(of: name, choices: subcommands().map(\.name)))
      }
    )
    makeSubcommands = subcommands
    self.defaultSubcommand = defaultSubcommand
  }
}

/// The options of a command without arguments.
package struct NoOptions: Sendable, Equatable {
  package init() {}
}

// MARK: - Lists

extension CommandSpec {
  /// Returns the command as one that prints lists, with further arguments that change its work.
  ///
  /// - Parameters:
  ///   - lists: The members of its JSON output that are the rows.
  ///   - members: The members of these lists, which precede the others.
  ///   - options: The defaults of the further arguments.
  ///   - arguments: The further arguments.
  ///   - change: Returns the work for the values of these arguments.
  /// - Returns: The command.
  package func printing<Options: Sendable>(
    lists: @autoclosure @escaping @Sendable () -> [String],
    members: @autoclosure @escaping @Sendable () -> [HelpRow],
    options: Options,
    arguments: @autoclosure @escaping @Sendable () -> [Argument<Options>],
    _ change: @escaping @Sendable (Options, @escaping Work) throws(UsageError) -> Work
  ) -> CommandSpec {
    var command = self
    command.makeLists = lists
    command.makeMembers = { [makeMembers] in members() + makeMembers() }
    command.makeArguments = { [makeArguments] in
      makeArguments() + arguments().specs(defaults: options)
    }
    command.prepare = { [prepare] (matches) throws(UsageError) in
      let work = try prepare(matches)
      return try change(try arguments().filling(options, from: matches), work)
    }
    return command
  }
}

// MARK: - Lookup

extension CommandSpec {
  /// Whether this is a noun, which needs a verb.
  package var isNoun: Bool { makeSubcommands != nil }

  package var options: [ArgumentSpec] { arguments.filter { !$0.role.isPositional } }

  package var positionals: [ArgumentSpec] { arguments.filter(\.role.isPositional) }

  package var visibleSubcommands: [CommandSpec] { subcommands.filter { !$0.isHidden } }

  var listedSubcommands: [CommandSpec] { visibleSubcommands.filter(\.isListed) }

  var defaultCommand: CommandSpec? { defaultSubcommand.flatMap(subcommand(named:)) }

  func subcommand(named name: String) -> CommandSpec? {
    // At every start: the generic `first(where:)` looks its types up at run time.
    let commands = subcommands
    for index in 0..<commands.count where commands[index].name == name { return commands[index] }
    return nil
  }
}

/// An example on a help page: a command line that starts with the program's name, and what it does,
/// imperative and without a full stop.
package typealias CommandExample = (line: String, explanation: String)
