// SPDX-License-Identifier: MIT

/// The manual page of the whole tool, made from the table alone.
public enum ManPage {
  /// Returns the page for section 1 as mdoc(7) source.
  ///
  /// - Parameters:
  ///   - tool: The table.
  ///   - date: The day of the page, such as `November 21, 2026`.
  /// - Returns: The source, no line longer than 80 bytes unless a word is.
  public static func mdoc<Context, Output, Globals>(
    for tool: CommandLineTool<Context, Output, Globals>,
    date: String
  ) -> String {
    var writer = MdocWriter()
    writer.macro("Dd \(MdocWriter.words(date))")
    writer.macro("Dt \(MdocWriter.words(tool.name.uppercased())) 1")
    writer.macro("Os \(MdocWriter.words("\(tool.name) \(tool.version)"))")
    writer.heading("Sh", "NAME")
    writer.macro("Nm \(MdocWriter.words(tool.name))")
    writer.macro("Nd \(MdocWriter.words(tool.root.summary))")
    writer.writeSynopsis()
    writer.section("DESCRIPTION") {
      $0.prose(Prose(tool.root.discussion.isEmpty ? tool.root.summary + "." : tool.root.discussion))
    }
    writer.section("GLOBAL OPTIONS") {
      $0.paragraph("These stand before or after the command.")
      $0.list(tool.globalArguments.manualItems)
    }
    writer.heading("Sh", "COMMANDS")
    for command in tool.commandsInOrder { writer.write(command, after: tool.name) }
    writer.writeReference(tool)
    return writer.text
  }
}

// MARK: - Sections

extension MdocWriter {
  /// Writes a section.
  fileprivate mutating func section(_ title: String, _ body: (inout MdocWriter) -> Void) {
    heading("Sh", title)
    body(&self)
  }

  fileprivate mutating func writeSynopsis() {
    section("SYNOPSIS") {
      $0.macro("Nm")
      $0.macro("Op Ar option ...")
      $0.macro("Ar command")
      $0.macro("Op Ar argument ...")
    }
  }

  /// Writes a command and, after it, its verbs.
  fileprivate mutating func write<Context, Output>(
    _ command: CommandSpec<Context, Output>,
    after prefix: String
  ) {
    let name = "\(prefix) \(command.name)"
    heading("Ss", name)
    paragraphBreak()
    macro("Nm \(Self.words(prefix))")
    macro("Cm \(Self.words(command.name))")
    for line in command.synopsis { macro(line) }
    paragraph(command.summary + ".")
    if !command.aliases.isEmpty { paragraph("Also called \(command.aliases.alternatives).") }
    if let verb = command.defaultSubcommand { paragraph("Without a command: \(verb).") }
    prose(Prose(command.discussion))
    list(command.positionals.manualItems + command.options.manualItems)
    for example in command.examples {
      paragraph(example.explanation + ":")
      display([example.line])
    }
    if !command.exitStatuses.isEmpty {
      paragraph("Of the exit statuses, these matter most: \(command.exitStatusList).")
    }
    for verb in command.visibleSubcommands { write(verb, after: name) }
  }

  /// Writes what is the same for all commands.
  fileprivate mutating func writeReference<Context, Output, Globals>(
    _ tool: CommandLineTool<Context, Output, Globals>
  ) {
    let topics = tool.topics.filter { $0.reference == nil }
    if !topics.isEmpty { heading("Sh", "TOPICS") }
    for topic in topics {
      heading("Ss", topic.summary)
      write(topic)
    }
    reference("ENVIRONMENT", .environment, "Ev", in: tool)
    reference("FILES", .files, "Pa", in: tool)
    reference("EXIT STATUS", .exitStatuses, "Li", in: tool)
  }

  private mutating func write(_ topic: HelpTopic) {
    prose(Prose(topic.body))
    for list in topic.lists {
      paragraph("\(list.heading):")
      self.list(list.rows.map { ("Li \(Self.words($0.term))", "\($0.meaning).") })
    }
  }

  /// Writes a list of the tool, and behind it what its page says.
  private mutating func reference<Context, Output, Globals>(
    _ title: String,
    _ reference: HelpTopic.Reference,
    _ macro: String,
    in tool: CommandLineTool<Context, Output, Globals>
  ) {
    let rows = tool.rows(of: reference)
    guard !rows.isEmpty else { return }
    section(title) { writer in
      writer.list(rows.map { ("\(macro) \(Self.words($0.term))", $0.meaning + ".") })
      for topic in tool.topics where topic.reference == reference { writer.write(topic) }
    }
  }
}

// MARK: - Rows as macros

extension CommandLineTool {
  /// The visible commands in the order of their headings.
  fileprivate var commandsInOrder: [CommandSpec<Context, Output>] {
    let visible = root.visibleSubcommands
    return groups.flatMap { group in visible.filter { $0.group == group } }
      + visible.filter { !groups.contains($0.group) }
  }
}

extension CommandSpec {
  /// The arguments as lines of a synopsis.
  fileprivate var synopsis: [String] {
    if isNoun {
      return [defaultSubcommand == nil ? "Ar command" : "Op Ar command", "Op Ar argument ..."]
    }
    return (options.filter { !$0.isHidden } + positionals).map(\.synopsis)
  }

  fileprivate var exitStatusList: String {
    exitStatuses.map(String.init).joined(separator: ", ")
  }
}

extension [ArgumentSpec] {
  /// The visible rows as items of a list.
  fileprivate var manualItems: [(term: String, meaning: String)] {
    filter { !$0.isHidden }.map { ($0.manualTerm, $0.manualMeaning) }
  }
}

extension ArgumentSpec {
  private var value: String {
    placeholder.isEmpty ? "" : " Ar \(MdocWriter.words(placeholder))"
  }

  fileprivate var synopsis: String {
    let dots = isRepeatable ? " ..." : ""
    if isRequired { return "Ar \(MdocWriter.words(placeholder))\(dots)" }
    if role.isPositional { return "Op Ar \(MdocWriter.words(placeholder))\(dots)" }
    let flag = short.map(String.init) ?? (negatedLabel == nil ? "-\(name)" : "-[no-]\(name)")
    return isRepeatable ? "Oo Fl \(flag)\(value) Oc Ns ..." : "Op Fl \(flag)\(value)"
  }

  fileprivate var manualTerm: String {
    if role.isPositional {
      return "Ar \(MdocWriter.words(placeholder))" + (isRepeatable ? " ..." : "")
    }
    let letter = short.map { "Fl \($0) , " } ?? ""
    let negation = negatedLabel == nil ? "" : " , Fl -no-\(name)"
    return "\(letter)Fl -\(name)\(negation)\(value)"
  }

  fileprivate var manualMeaning: String {
    notes.isEmpty ? "\(help)." : "\(help) (\(notes.joined(separator: "; ")))."
  }
}
