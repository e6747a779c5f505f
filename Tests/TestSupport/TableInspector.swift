// SPDX-License-Identifier: MIT

package import CommandTable

extension CommandLineTool {
  /// Lists the defects of the table, one per line.
  ///
  /// Checks that names are unique and legal, help lines are short, examples parse, options named in
  /// prose exist, and every help page fits 80 columns.
  package func defects() -> [String] {
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
    let pages = topics.map(\.name) + commands.map(\.name)
    return pages.repeated.map { "help page \($0.quoted) is declared twice" }
      + manualDefects
      + exitStatuses.map(\.term).repeated.map { "exit status \($0) is declared twice" }
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
    let known = Set(arguments.map(\.label))
    let prose =
      topics.flatMap { [$0.summary, $0.body] } + topicPages.flatMap(\.parts).map(\.text)
      + (files + environment + topics.flatMap(\.lists).flatMap(\.rows)).map(\.meaning)
      + exitStatuses.map(\.meaning) + arguments.map(\.help)
      + commands.flatMap { command in
        [command.summary, command.discussion] + command.examples.map(\.explanation)
      }
    return prose.flatMap(\.namedOptions).filter { !known.contains($0) }
      .map { "prose names unknown option \($0)" }
  }
}

private struct TableInspector<Context, Output, Globals: Sendable> {
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
  private var defaultCommand: CommandSpec<Context, Output>? {
    command.subcommands.first { $0.name == command.defaultSubcommand }
  }

  private var ownDefects: [String] {
    var defects = command.summary.lineDefects(of: "summary")
    if !command.name.isLegalName { defects.append("illegal name") }
    if command.defaultSubcommand != nil, defaultCommand == nil {
      defects.append("unknown default command")
    }
    if path.count == 1, !command.isHidden, !tool.groups.contains(command.group) {
      defects.append("unknown group \(command.group.quoted)")
    }
    let known = tool.exitStatuses.map(\.term)
    for status in command.exitStatuses where !known.contains("\(status)") {
      defects.append("unexplained exit status \(status)")
    }
    for form in [HelpForm.short, .long]
    where Help.text(for: path, in: tool, form: form, width: 80)?.isTooWide == true {
      defects.append("\(form) help is wider than 80 columns")
    }
    return defects
  }

  /// Names declared twice.
  private var nameDefects: [String] {
    let verbs = command.subcommands.map(\.name)
    let options = command.options + tool.globalArguments + (defaultCommand?.options ?? [])
    let labels = options.map(\.label) + command.positionals.map(\.label)
    let letters = options.compactMap { option in option.short.map { "-\($0)" } }
    return (verbs + labels + letters).repeated.map { "\($0) is declared twice" }
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

/// A shell line split into commands and their words.
///
/// Removes quotation marks and backslashes, and expands nothing: enough for the examples of a
/// manual.
package struct ShellLine {
  /// The commands, separated by pipes, redirections and other operators; each is a list of words.
  package private(set) var commands: [[String]] = [[]]

  package init(_ line: String) {
    var word: String?
    var quote: Character?
    var rest = line[...]
    while let character = rest.popFirst() {
      switch (character, quote) {
      case ("\\", nil), ("\\", "\""):
        word = (word ?? "") + (rest.popFirst().map(String.init) ?? "")
      case (quote, _?):
        quote = nil
      case (_, _?):
        word?.append(character)
      case ("'", _), ("\"", _):
        quote = character
        word = word ?? ""
      case (" ", _):
        finish(&word)
      case _ where "|&;<>".contains(character):
        finish(&word)
        commands.append([])
      case ("#", _) where word == nil:
        rest = ""
      case _:
        word = (word ?? "") + String(character)
      }
    }
    finish(&word)
  }

  private mutating func finish(_ word: inout String?) {
    if let word { commands[commands.count - 1].append(word) }
    word = nil
  }
}

extension String {
  fileprivate var quoted: String { "'\(self)'" }

  fileprivate func lineDefects(of subject: String, limit: Int = 60) -> [String] {
    var defects: [String] = []
    if isEmpty { defects.append("\(subject) is empty") }
    if count > limit { defects.append("\(subject) is longer than \(limit) columns") }
    if hasSuffix(".") { defects.append("\(subject) ends with a full stop") }
    if contains(where: \.isNewline) { defects.append("\(subject) has several lines") }
    return defects
  }

  /// Whether the text is legal as the name of a command or an argument.
  fileprivate var isLegalName: Bool {
    !isEmpty && !hasPrefix("-")
      && allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-_".contains($0) }
  }

  fileprivate var isTooWide: Bool { split(separator: "\n").contains { $0.count > 80 } }

  fileprivate var namedOptions: [String] {
    split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-")) }
      .filter { $0.hasPrefix("--") && $0.dropFirst(2).first?.isLetter == true }
      .map(String.init)
  }
}

extension Sequence where Element: Hashable {
  /// Every occurrence of an element after its first.
  fileprivate var repeated: [Element] {
    var seen: Set<Element> = []
    return filter { !seen.insert($0).inserted }
  }
}
