// SPDX-License-Identifier: MIT

extension Manual {
  func source(of command: CommandSpec<Context, Output>) -> String {
    let own = reference(to: command)
    let all = command.withVisibleSubcommands
    var writer = MdocWriter()
    begin(&writer, own, summary: command.summary)
    writer.section("SYNOPSIS") { writer in
      writer.writeSynopsis(of: command, after: tool.name, isDefault: false)
    }
    writer.section("DESCRIPTION") { writer in
      writer.writeDescription(of: command)
      if !command.isNoun { pointToGlobals(all, from: &writer) }
    }
    if command.isNoun {
      writer.section("COMMANDS") { writer in
        for verb in command.visibleSubcommands {
          writer.write(verb, after: "\(tool.name) \(command.name)")
        }
      }
      writer.section("GLOBAL OPTIONS") { pointToGlobals(all, from: &$0) }
    } else if !command.visibleArguments.isEmpty {
      writer.section("OPTIONS") { $0.list(command.visibleArguments.manualRows) }
    }
    let rows = tool.exitStatuses(of: all)
    if !rows.isEmpty { writer.section("EXIT STATUS") { $0.list(rows, "Li") } }
    if !command.examples.isEmpty {
      writer.section("EXAMPLES") { $0.write(command.examples) }
    }
    writer.seeAlso(references(from: all).union([overview]).subtracting([own]))
    return writer.text
  }

  /// Writes references to the pages about the global options and the JSON output.
  private func pointToGlobals(
    _ commands: [CommandSpec<Context, Output>],
    from writer: inout MdocWriter
  ) {
    writer.paragraph("The global options are described in")
    writer.macro("\(overview.macro) .")
    if commands.contains(where: { !$0.members.isEmpty }),
      let topic = tool.topics.first(where: { $0.explains.contains("--json") }),
      let page = owner(ofTopic: topic.name)
    {
      writer.sentences("The output of --json is described in")
      writer.macro("\(page.macro) .")
    }
  }

  /// The pages that the commands' texts name, and those that explain their values and output.
  private func references(from commands: [CommandSpec<Context, Output>]) -> Set<PageReference> {
    let texts = commands.flatMap { command in
      [command.summary, command.discussion] + command.visibleArguments.map(\.help)
    }
    var terms = Set(commands.flatMap(\.visibleArguments).map(\.placeholder))
    if commands.contains(where: { !$0.members.isEmpty }) { terms.insert("--json") }
    let explaining = tool.topics.filter { !terms.isDisjoint(with: $0.explains) }
    return references(in: texts).union(explaining.compactMap { owner(ofTopic: $0.name) })
  }
}

// MARK: - Parts of a command's page

extension MdocWriter {
  /// Writes one synopsis line for a command, or one for each of its subcommands.
  fileprivate mutating func writeSynopsis<Context, Output>(
    of command: CommandSpec<Context, Output>,
    after prefix: String,
    isDefault: Bool
  ) {
    guard !command.isNoun else {
      for verb in command.visibleSubcommands {
        writeSynopsis(
          of: verb,
          after: "\(prefix) \(command.name)",
          isDefault: verb.name == command.defaultSubcommand
        )
      }
      return
    }
    macro("Nm \(Self.words(prefix))")
    macro("\(isDefault ? "Op " : "")Cm \(Self.words(command.name))")
    for argument in command.options.filter({ !$0.isHidden }) + command.positionals {
      macro(argument.synopsis)
    }
  }

  fileprivate mutating func writeDescription<Context, Output>(
    of command: CommandSpec<Context, Output>
  ) {
    paragraph(command.summary + ".")
    if let verb = command.defaultSubcommand {
      paragraph("If no command is given, \(verb) is implied.")
    }
    prose(Prose(command.discussion))
  }

  /// Writes a subcommand, followed by its own subcommands.
  fileprivate mutating func write<Context, Output>(
    _ command: CommandSpec<Context, Output>,
    after prefix: String
  ) {
    let name = "\(prefix) \(command.name)"
    heading("Ss", name)
    writeDescription(of: command)
    list(command.visibleArguments.manualRows)
    write(command.examples)
    if !command.exitStatuses.isEmpty {
      let statuses = command.exitStatuses.map(String.init).joined(separator: ", ")
      paragraph("Exit statuses: \(statuses).")
    }
    for verb in command.visibleSubcommands { write(verb, after: name) }
  }

  fileprivate mutating func write(_ examples: [CommandExample]) {
    for example in examples {
      paragraph(example.explanation + ":")
      display([example.line])
    }
  }
}

extension CommandSpec {
  fileprivate var withVisibleSubcommands: [CommandSpec] {
    [self] + visibleSubcommands.flatMap(\.withVisibleSubcommands)
  }

  /// The arguments that the manual shows, positionals first.
  fileprivate var visibleArguments: [ArgumentSpec] {
    (positionals + options).filter { !$0.isHidden }
  }
}

extension [ArgumentSpec] {
  /// The visible arguments in a list; each term is a macro.
  var manualRows: [HelpRow] { filter { !$0.isHidden }.map { HelpRow($0.manualTerm, $0.meaning) } }
}

extension ArgumentSpec {
  var synopsis: String {
    if role.isPositional { return (isRequired ? "" : "Op ") + manualTerm }
    let flag = short.map(String.init) ?? "-\(name)"
    return isRepeatable ? "Oo Fl \(flag)\(value) Oc Ns ..." : "Op Fl \(flag)\(value)"
  }

  private var value: String {
    placeholder.isEmpty ? "" : " Ar \(MdocWriter.words(placeholder))"
  }

  fileprivate var manualTerm: String {
    if role.isPositional {
      return "Ar \(MdocWriter.words(placeholder))" + (isRepeatable ? " ..." : "")
    }
    let letter = short.map { "Fl \($0) , " } ?? ""
    return "\(letter)Fl -\(name)\(value)"
  }
}

extension Manual {
  func source(of page: TopicPage) -> String {
    let own = reference(to: page)
    var writer = MdocWriter()
    begin(&writer, own, summary: page.summary)
    for part in page.parts {
      writer.section(part.title) { writer in
        writer.prose(Prose(part.text))
        writer.list(part.files, "Pa")
        for list in part.lists {
          writer.heading("Ss", list.heading)
          writer.list(list.rows, "Li")
        }
      }
    }
    let texts = page.parts.flatMap { [$0.text] + $0.files.map(\.meaning) }
    writer.seeAlso(references(in: texts).union([overview]).subtracting([own]))
    return writer.text
  }
}
