// SPDX-License-Identifier: MIT

/// One help page; empty sections are omitted.
struct HelpPage<Context, Output, Globals: Sendable> {
  let tool: CommandLineTool<Context, Output, Globals>

  /// The path to the command, starting with the tool; never empty.
  let commands: [CommandSpec<Context, Output>]

  let form: HelpForm
  let width: Int

  private var command: CommandSpec<Context, Output> { commands.last ?? tool.root }
  private var isRoot: Bool { commands.count == 1 }
  private var fullName: String { commands.map(\.name).joined(separator: " ") }

  /// The page, ending with a line break.
  var text: String {
    let sections = form == .short ? shortSections : longSections
    return sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private var shortSections: [String] {
    opening + lists + [isRoot ? globalOptions : "", footer]
  }

  private var longSections: [String] {
    opening + [Prose(command.discussion).text(width: width)] + lists
      + [globalOptions, examples, exitStatuses]
      + (isRoot ? [environment, files, topics] : [])
  }
}

// MARK: - Opening

extension HelpPage {
  private var opening: [String] { [wrapped(command.summary), usage] }

  private var usage: String {
    let line = wrapped(([fullName] + usageWords).joined(separator: " "), after: "Usage: ")
    let aliases = command.aliases.joined(separator: ", ")
    return aliases.isEmpty ? line : "\(line)\nAliases: \(aliases)"
  }

  private var usageWords: [String] {
    if isRoot { return ["[OPTION]...", "COMMAND", "[ARGUMENT]..."] }
    if command.isNoun {
      return [command.defaultSubcommand == nil ? "COMMAND" : "[COMMAND]", "[ARGUMENT]..."]
    }
    return (command.options.isEmpty ? [] : ["[OPTION]..."]) + command.positionals.map(\.usage)
  }

  private var footer: String { wrapped("See '\(fullName) --help' for more.") }

  /// Wraps a paragraph and indents its lines to the end of the heading.
  private func wrapped(_ text: String, after heading: String = "") -> String {
    let margin = String(repeating: " ", count: heading.count)
    return heading
      + Prose.wrap(text, width: width - heading.count).joined(separator: "\n\(margin)")
  }
}

// MARK: - Lists

extension HelpPage {
  private var lists: [String] {
    commandLists + [
      section("Arguments", command.positionals.map(\.helpRow)),
      section("Options", command.options.filter { !$0.isHidden }.map(\.helpRow)),
    ]
  }

  /// The commands under their headings; commands in no known group come last.
  private var commandLists: [String] {
    let visible = command.listedSubcommands
    let grouped = tool.groups.map { group in
      section(group, visible.filter { $0.group == group }.map(row))
    }
    let others = visible.filter { !tool.groups.contains($0.group) }.map(row)
    return grouped + [section("Commands", others)]
  }

  private func row(_ verb: CommandSpec<Context, Output>) -> (term: String, meaning: String) {
    let isDefault = verb.name == command.defaultSubcommand
    return (verb.name, verb.summary + (isDefault ? " (default)" : ""))
  }

  private var globalOptions: String {
    section("Global options", tool.globalArguments.filter { !$0.isHidden }.map(\.helpRow))
  }

  private var exitStatuses: String {
    let rows = tool.exitStatuses.filter { isRoot || command.exitStatuses.contains($0.status) }
    return section("Exit status", rows.map { (String($0.status), $0.meaning) })
  }

  private var environment: String {
    section("Environment", tool.environment.map { ($0.term, $0.meaning) })
  }

  private var files: String { section("Files", tool.files.map { ($0.term, $0.meaning) }) }

  private var topics: String {
    section("Topics (\(tool.name) help TOPIC)", tool.topics.map { ($0.name, $0.summary) })
  }

  private var examples: String {
    let texts = command.examples.map { example in
      "  \(example.line)\n" + wrapped(example.explanation, after: "      ")
    }
    return texts.isEmpty ? "" : "Examples:\n" + texts.joined(separator: "\n")
  }

  private func section(_ heading: String, _ rows: [(term: String, meaning: String)]) -> String {
    rows.isEmpty ? "" : "\(heading):\n\(TwoColumns(rows: rows).text(width: width))"
  }
}
