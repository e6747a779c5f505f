// SPDX-License-Identifier: MIT

extension CommandLineTool {
  /// Lists the defects of the table, one per line, for a test that expects none.
  ///
  /// Checks that names are unique and legal, help lines are short, examples parse, options named in
  /// prose exist, and every help page fits 80 columns.
  public func defects() -> [String] {
    let everything = allCommands(under: root, path: [])
    return toolDefects
      + everything.flatMap { entry in
        TableInspector(tool: self, command: entry.command, path: entry.path).defects
      }
      + proseDefects(in: everything.map(\.command))
  }

  /// The commands at any depth, including hidden ones, with their paths.
  private func allCommands(
    under noun: CommandSpec<Context, Output>,
    path: [String]
  ) -> [(command: CommandSpec<Context, Output>, path: [String])] {
    [(noun, path)]
      + noun.subcommands.flatMap { allCommands(under: $0, path: path + [$0.name]) }
  }

  private var toolDefects: [String] {
    let pages = topics.map(\.name) + commands.flatMap { [$0.name] + $0.aliases }
    return pages.repeated.map { "help page \($0.quoted) is declared twice" }
      + manualDefects
      + exitStatuses.map(\.status).repeated.map { "exit status \($0) is declared twice" }
      + topics.flatMap { $0.summary.lineDefects(of: "topic \($0.name)") }
      + topics.filter { Help.text(topic: $0.name, in: self, width: 80)?.isTooWide == true }
      .map { "topic \($0.name) is wider than 80 columns" }
      + globalArguments.filter(\.role.isPositional).map { "global \($0.label) is positional" }
  }

  /// Topics that manual pages name but the table lacks, and topics on two pages.
  private var manualDefects: [String] {
    let placed = topicPages.flatMap(\.topics)
    let names = topicPages.map { "\($0.name)(\($0.section))" }
    return placed.repeated.map { "topic \($0.quoted) is on two pages of the manual" }
      + placed.filter { name in !topics.contains { $0.name == name } }
      .map { "the manual has unknown topic \($0.quoted)" }
      + names.repeated.map { "page \($0) is declared twice" }
      + topicPages.flatMap { $0.summary.lineDefects(of: "page \($0.name)") }
  }

  /// Options that prose names but the table lacks.
  private func proseDefects(in commands: [CommandSpec<Context, Output>]) -> [String] {
    let arguments = globalArguments + commands.flatMap(\.arguments)
    let known = Set(
      arguments.map(\.label) + arguments.compactMap(\.negatedLabel)
    )
    let prose =
      topics.flatMap { [$0.summary, $0.body] } + topicPages.flatMap(\.ownTexts)
      + (files + environment + topics.flatMap(\.lists).flatMap(\.rows)).map(\.meaning)
      + exitStatuses.map(\.meaning) + arguments.map(\.help)
      + commands.flatMap { command in
        [command.summary, command.discussion] + command.examples.map(\.explanation)
      }
    return prose.flatMap(\.namedOptions).filter { !known.contains($0) }
      .map { "prose names unknown option \($0)" }
  }
}
