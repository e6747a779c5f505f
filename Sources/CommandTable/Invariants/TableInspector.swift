// SPDX-License-Identifier: MIT

struct TableInspector<Context, Output, Globals: Sendable> {
  let tool: CommandLineTool<Context, Output, Globals>
  let command: CommandSpec<Context, Output>

  let path: [String]

  /// The defects; each line begins with the command's full name.
  var defects: [String] {
    let name = ([tool.name] + path).joined(separator: " ")
    let defects =
      ownDefects + nameDefects + argumentDefects + orderDefects + exampleDefects + memberDefects
    return defects.map { "\(name): \($0)" }
  }
}

// MARK: - The command itself

extension TableInspector {
  private var ownDefects: [String] {
    var defects = command.summary.lineDefects(of: "summary")
    if !command.name.isLegalName { defects.append("illegal name") }
    if command.defaultSubcommand != nil, command.defaultCommand == nil {
      defects.append("unknown default command")
    }
    if path.count == 1, !command.isHidden, !tool.groups.isEmpty,
      !tool.groups.contains(command.group)
    {
      defects.append("unknown group \(command.group.quoted)")
    }
    let known = tool.exitStatuses.map(\.status)
    for status in command.exitStatuses where !known.contains(status) {
      defects.append("unexplained exit status \(status)")
    }
    for form in [HelpForm.short, .long]
    where Help.text(for: path, in: tool, form: form, width: 80)?.isTooWide == true {
      defects.append("\(form) help is wider than 80 columns")
    }
    return defects
  }

  /// Names declared twice, and illegal aliases.
  private var nameDefects: [String] {
    let verbs = command.subcommands.flatMap { [$0.name] + $0.aliases }
    let options = command.options + tool.globalArguments + (command.defaultCommand?.options ?? [])
    let labels =
      options.map(\.label) + options.compactMap(\.negatedLabel)
      + command.positionals.map(\.label)
    let letters = options.compactMap { option in option.short.map { "-\($0)" } }
    return (verbs + labels + letters).repeated.map { "\($0) is declared twice" }
      + command.subcommands.flatMap(\.aliases).filter { !$0.isLegalName }
      .map { "illegal alias \($0.quoted)" }
  }
}

// MARK: - Arguments

extension TableInspector {
  /// The arguments of this level; for the tool itself, the global ones.
  private var rows: [ArgumentSpec] { path.isEmpty ? tool.globalArguments : command.arguments }

  private var argumentDefects: [String] {
    rows.flatMap { row in
      var defects = row.help.lineDefects(of: row.label)
      if !row.name.isLegalName { defects.append("illegal name \(row.name.quoted)") }
      if let short = row.short, !(short.isASCII && (short.isLetter || short.isNumber)) {
        defects.append("illegal letter of \(row.label)")
      }
      if row.role == .option, row.placeholder.isEmpty {
        defects.append("\(row.label) has no placeholder")
      }
      return defects
    }
  }

  /// Positional arguments that no word can reach.
  private var orderDefects: [String] {
    let positionals = command.positionals
    return zip(positionals, positionals.dropFirst()).flatMap { earlier, later in
      var defects: [String] = []
      if earlier.isRepeatable { defects.append("\(later.label) follows \(earlier.label)...") }
      if later.isRequired, !earlier.isRequired {
        defects.append("required \(later.label) follows optional \(earlier.label)")
      }
      return defects
    }
  }
}

// MARK: - Members

extension TableInspector {
  private var memberDefects: [String] {
    command.members.map(\.term).repeated.map { "member \($0) is declared twice" }
      + command.members.flatMap {
        $0.meaning.lineDefects(of: "meaning of member \($0.term)", limit: 160)
      }
  }
}

// MARK: - Examples

extension TableInspector {
  private var exampleDefects: [String] {
    command.examples.flatMap { example in
      example.explanation.lineDefects(of: "explanation of \(example.line.quoted)", limit: 160)
        + parseDefects(of: example.line)
    }
  }

  /// Checks that every call of the tool in a line parses, and that the last one is of this command.
  ///
  /// A line may pipe other programs into it.
  private func parseDefects(of line: String) -> [String] {
    let calls = ShellLine(line).commands.filter { $0.first == tool.name }
    var lastPath: [String]?
    do {
      for call in calls {
        switch try tool.parse(Array(call.dropFirst())) {
        case .run(_, let path, _), .help(let path, _): lastPath = path
        case .version: lastPath = []
        }
      }
    } catch {
      return ["\(line.quoted) does not parse: \(error.message)"]
    }
    return lastPath == path ? [] : ["\(line.quoted) is not about this command"]
  }
}
