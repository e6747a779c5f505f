// SPDX-License-Identifier: MIT

/// Help pages for the terminal, generated from the table.
package enum Help {
  /// Wider lines are hard to read, and narrower ones too short for the lists.
  private static let columns = 40...80

  /// Returns the page about a command, ending with a line break; nil if the command is unknown.
  ///
  /// `path` has the names that lead to the command; it is empty for the tool itself. At most 80 of
  /// the terminal's `width` columns are used. `heading` styles each heading.
  package static func text<Context, Output, Globals>(
    for path: [String],
    in tool: CommandLineTool<Context, Output, Globals>,
    form: HelpForm,
    width: Int,
    heading: @escaping (String) -> String = { $0 }
  ) -> String? {
    tool.commands(along: path).map { commands in
      HelpPage(tool: tool, commands: commands, form: form, width: clamp(width), heading: heading)
        .text
    }
  }

  /// Returns the page of a topic, ending with a line break; nil if the topic is unknown.
  ///
  /// At most 80 of the terminal's `width` columns are used. `heading` styles each heading.
  package static func text<Context, Output, Globals>(
    topic: String,
    in tool: CommandLineTool<Context, Output, Globals>,
    width: Int,
    heading: @escaping (String) -> String = { $0 }
  ) -> String? {
    guard let topic = tool.topics.first(where: { $0.name == topic }) else { return nil }
    let width = clamp(width)
    let root = HelpPage(
      tool: tool,
      commands: [tool.root],
      form: .long,
      width: width,
      heading: heading
    )
    let reference: [String] =
      switch topic.reference {
      case .commands?: root.commandLists
      case let reference?: [tool.rows(of: reference).text(width: width)]
      case nil: []
      }
    let lists = topic.lists.map { list in
      "\(heading("\(list.heading):"))\n\n\(list.rows.text(width: width))"
    }
    return ([topic.summary] + reference + [Prose(topic.body).text(width: width)] + lists)
      .filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private static func clamp(_ width: Int) -> Int {
    min(max(width, columns.lowerBound), columns.upperBound)
  }
}

extension CommandLineTool {
  func rows(of reference: HelpTopic.Reference) -> [HelpRow] {
    switch reference {
    case .exitStatuses: exitStatuses
    case .files: files
    case .environment: environment
    case .commands: root.listedSubcommands.map { HelpRow($0.name, $0.summary) }
    case .options: globalArguments.helpRows
    }
  }
}

/// The length of a help page.
package enum HelpForm: Sendable, Equatable {
  /// The page of `-h`: summary, usage, commands and options.
  case short

  /// The page of `--help`: everything.
  case long
}

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
      + [
        section("Global options", tool.globalArguments.helpRows), examples,
        section("Exit status", tool.exitStatuses(of: [command])),
      ]
  }

  /// The page of the tool fits a screen of 24 rows; topics have the rest.
  private var rootSections: [String] {
    let groups = tool.commandGroups.map { heading, commands in
      HelpRow(heading, commands.map(\.name).joined(separator: ", "))
    }
    let lines = tool.commandGroups.prefix(3).compactMap { group in
      group.commands.first?.examples.first.map { "  \($0.line)" }
    }
    let topics = Prose.wrap(tool.topics.map(\.name).joined(separator: ", "), width: width - 2)
    return opening + [
      section("Commands", groups),
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
    return heading(title)
      + wrapped(command.usage(as: fullName, isRoot: isRoot), after: "\(title) ")
      .dropFirst(title.count)
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
      section("Arguments", command.positionals.helpRows),
      section("Options", command.options.helpRows),
    ]
  }

  /// The commands, of the tool under their headings.
  var commandLists: [String] {
    let groups = isRoot ? tool.commandGroups : [("Commands", command.listedSubcommands)]
    return groups.map { heading, commands in
      let rows = commands.map { verb in
        let isDefault = verb.name == command.defaultSubcommand
        return HelpRow(verb.name, verb.summary + (isDefault ? " (default)" : ""))
      }
      return section(heading, rows)
    }
  }

  private var examples: String {
    let texts = command.examples.map { example in
      "  \(example.line)\n" + wrapped(example.explanation, after: "      ")
    }
    return listing("Examples", texts)
  }

  private func section(_ title: String, _ rows: [HelpRow]) -> String {
    rows.isEmpty ? "" : listing(title, [rows.text(width: width)])
  }
}

extension CommandSpec {
  /// The usage line of the command with the given full name.
  func usage(as fullName: String, isRoot: Bool) -> String {
    let words =
      isRoot
      ? ["[OPTION]...", "COMMAND", "[ARGUMENT]..."]
      : isNoun
        ? [defaultSubcommand == nil ? "COMMAND" : "[COMMAND]", "[ARGUMENT]..."]
        : (options.isEmpty ? [] : ["[OPTION]..."]) + positionals.map(\.usage)
    return ([fullName] + words).joined(separator: " ")
  }
}

extension ArgumentSpec {
  /// The argument in a usage line, such as `[PROMPT...]`.
  var usage: String { isRequired ? term : "[\(term)]" }

  /// The argument in a list of arguments.
  fileprivate var term: String {
    if role.isPositional { return placeholder + (isRepeatable ? "..." : "") }
    let start = short.map { "-\($0), " } ?? "    "
    return start + label + (placeholder.isEmpty ? "" : " \(placeholder)")
  }
}

extension [ArgumentSpec] {
  /// The visible arguments in a list.
  fileprivate var helpRows: [HelpRow] {
    filter { !$0.isHidden }.map { HelpRow($0.term, $0.meaning) }
  }
}
