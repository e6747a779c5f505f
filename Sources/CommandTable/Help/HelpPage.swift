// SPDX-License-Identifier: MIT

/// One help page; empty sections are omitted.
struct HelpPage<Context, Output, Globals: Sendable> {
  let tool: CommandLineTool<Context, Output, Globals>

  /// The path to the command, starting with the tool; never empty.
  let commands: [CommandSpec<Context, Output>]

  let form: HelpForm
  let width: Int
  let heading: (String) -> String

  private var command: CommandSpec<Context, Output> { commands.last ?? tool.root }
  private var isRoot: Bool { commands.count == 1 }
  private var fullName: String { commands.map(\.name).joined(separator: " ") }

  /// The page, ending with a line break.
  var text: String {
    let sections = isRoot ? rootSections : form == .short ? shortSections : longSections
    return sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private var shortSections: [String] { opening + lists + [footer] }

  private var longSections: [String] {
    opening + [Prose(command.discussion).text(width: width)] + lists
      + [globalOptions, examples, exitStatuses]
  }

  /// The page of the tool fits a screen of 24 rows; topics have the rest.
  private var rootSections: [String] {
    let visible = command.listedSubcommands
    let groups = (tool.groups + [""]).map { group in
      let isOther = { (name: String) in group.isEmpty && !tool.groups.contains(name) }
      let names = visible.filter { $0.group == group || isOther($0.group) }.map(\.name)
      return (term: group.isEmpty ? "Other" : group, meaning: names.joined(separator: ", "))
    }
    let lines = tool.groups.prefix(3).compactMap { group in
      visible.first { $0.group == group }?.examples.first.map { "  \($0.line)" }
    }
    let topics = Prose.wrap(tool.topics.map(\.name).joined(separator: ", "), width: width - 2)
    return opening + [
      section("Commands", groups.filter { !$0.meaning.isEmpty }),
      listing("Examples", lines),
      listing("Topics (\(tool.name) help TOPIC)", topics.map { "  \($0)" }),
      wrapped("See '\(tool.name) COMMAND --help' for more about a command."),
    ]
  }

  private func listing(_ title: String, _ lines: [String]) -> String {
    lines.isEmpty ? "" : ([heading("\(title):")] + lines).joined(separator: "\n")
  }
}

// MARK: - Opening

extension HelpPage {
  private var opening: [String] { [wrapped(command.summary), usage] }

  private var usage: String {
    let title = "Usage:"
    let line =
      heading(title)
      + wrapped(command.usage(as: fullName, isRoot: isRoot), after: "\(title) ")
      .dropFirst(title.count)
    let aliases = command.aliases.joined(separator: ", ")
    return aliases.isEmpty ? line : "\(line)\nAliases: \(aliases)"
  }

  private var footer: String { wrapped("See '\(fullName) --help' for more.") }

  /// Wraps a paragraph and indents its lines to the end of the heading.
  private func wrapped(_ text: String, after start: String = "") -> String {
    let margin = String(repeating: " ", count: start.count)
    return start
      + Prose.wrap(text, width: width - start.count).joined(separator: "\n\(margin)")
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
  var commandLists: [String] {
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
    let rows = tool.exitStatuses.filter { command.exitStatuses.contains($0.status) }
    return section("Exit status", rows.map { (String($0.status), $0.meaning) })
  }

  private var examples: String {
    let texts = command.examples.map { example in
      "  \(example.line)\n" + wrapped(example.explanation, after: "      ")
    }
    return listing("Examples", texts)
  }

  private func section(_ title: String, _ rows: [(term: String, meaning: String)]) -> String {
    rows.isEmpty ? "" : listing(title, [TwoColumns(rows: rows).text(width: width)])
  }
}
