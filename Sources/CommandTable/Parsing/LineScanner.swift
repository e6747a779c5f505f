// SPDX-License-Identifier: MIT

/// The grammar of the command line: reads it word by word and knows what may come next.
///
/// The parser and the completion engine share the scanner, so that they cannot disagree. After a
/// word that cannot be read, the scanner continues with the next one.
struct LineScanner<Context, Output> {
  /// A request that replaces the work.
  enum Request: Equatable {
    case help(HelpForm)
    case version
  }

  /// An option that takes the next word, whatever it is.
  typealias OpenOption = (argument: ArgumentSpec, written: String)

  private let toolName: String
  private let globals: [ArgumentSpec]
  private let advice: @Sendable (String) -> String?

  /// The command read so far; initially the tool itself.
  private(set) var command: CommandSpec<Context, Output>

  private var own: [ArgumentSpec]

  private var ofDefaultVerb: [ArgumentSpec]

  private(set) var path: [String] = []

  private(set) var matches: [ArgumentMatch] = []

  private(set) var openOption: OpenOption?

  /// The option whose value was the previous word.
  private var lastOption: ArgumentMatch?

  /// Whether `--` has been read; after it, no word is an option.
  private(set) var isPastTerminator = false

  private(set) var request: Request?

  init(
    root: CommandSpec<Context, Output>,
    globals: [ArgumentSpec],
    advice: @escaping @Sendable (String) -> String?
  ) {
    self.toolName = root.name
    self.globals = globals
    self.advice = advice
    (command, own, ofDefaultVerb) = (root, root.arguments, root.defaultCommand?.options ?? [])
  }

  mutating func read(_ word: String) throws(UsageError) {
    let before = lastOption
    lastOption = nil
    if let (argument, written) = openOption {
      openOption = nil
      let match = ArgumentMatch(argument: argument, written: written, text: word)
      matches.append(match)
      lastOption = match
    } else if isPastTerminator || word == "-" || !word.hasPrefix("-") {
      if !isPastTerminator, let before { try refuseUnit(word, behind: before) }
      try readPlain(word)
    } else if word == "--" {
      isPastTerminator = true
    } else if word.hasPrefix("--") {
      try readLong(word)
    } else if isIdentifier(word) || isNumber(word) {
      try readPlain(word)
    } else {
      try readCluster(word)
    }
  }

  /// Enters the default verb and throws if the line is incomplete.
  mutating func finish() throws(UsageError) {
    if let (argument, written) = openOption {
      throw error(.missingValue(option: written, placeholder: argument.placeholder))
    }
    while let verb = command.defaultCommand { enter(verb) }
    if command.isNoun {
      let verbs = path.isEmpty ? [] : command.visibleSubcommands.map(\.name)
      throw error(.missingSubcommand(of: fullName, choices: verbs))
    }
    if let open = openPositional, open.isRequired, !isGiven(open) {
      throw error(.missingPositional(open.placeholder))
    }
  }
}

// MARK: - Next word

extension LineScanner {
  /// The options allowed here, including those of a default verb.
  var options: [ArgumentSpec] {
    own.filter { !$0.role.isPositional } + ofDefaultVerb + globals
  }

  /// The positional argument that the next plain word fills.
  var openPositional: ArgumentSpec? {
    own.first { $0.role.isPositional && ($0.isRepeatable || !isGiven($0)) }
  }

  func isGiven(_ argument: ArgumentSpec) -> Bool {
    matches.contains { $0.argument.hasLabel(of: argument) }
  }

  /// Whether a word that begins with a hyphen is an identifier for the next positional.
  ///
  /// It is, if it cannot be read as short options. A single letter is always an option.
  func isIdentifier(_ word: String) -> Bool {
    guard openPositional?.isIdentifier == true, word.count > 2, !word.hasPrefix("--") else {
      return false
    }
    return ShortCluster(word, among: options).unknown != nil
  }

  /// Whether a word is a negative number for the next positional, which then rejects it.
  func isNumber(_ word: String) -> Bool {
    guard openPositional?.isRepeatable == false, word.count > 1 else { return false }
    return word.dropFirst().allSatisfy { $0.isASCII && $0.isNumber || $0 == "." }
      && ShortCluster(word, among: options).unknown != nil
  }
}

// MARK: - Reading

extension LineScanner {
  /// Rejects a unit that is separated from its number: `--timeout 5 minutes` does not mean 5 s.
  private func refuseUnit(_ word: String, behind option: ArgumentMatch) throws(UsageError) {
    guard option.argument.placeholder == Duration.placeholder,
      let whole = Duration.joined(option.text, word)
    else { return }
    throw error(
      .badValue(
        argument: option.written,
        value: "\(option.text) \(word)",
        reason: "expects a number and a unit without a space"
      ),
      hint: "write: \(option.written) \(whole)"
    )
  }

  private mutating func readPlain(_ word: String) throws(UsageError) {
    if request == .version {
      throw error(.unexpectedArgument(word))
    } else if command.isNoun {
      guard let next = command.subcommand(named: word) else {
        let names = command.visibleSubcommands.map(\.name)
        let advice = path.isEmpty ? advice(word.lowercased()) : nil
        throw error(
          .unknownCommand(word),
          hint: advice ?? Suggestions.hint(forCommand: word, among: names)
        )
      }
      enter(next)
    } else if let open = openPositional {
      matches.append(ArgumentMatch(argument: open, written: open.placeholder, text: word))
    } else {
      throw error(.unexpectedArgument(word))
    }
  }

  private mutating func readLong(_ word: String) throws(UsageError) {
    let long = LongOption(word)
    guard let argument = options.first(where: { $0.name == long.name }) else {
      throw unknownOption(long.name.isEmpty ? word : long.written, in: word)
    }
    try take(argument, written: long.written, value: long.value)
  }

  private mutating func readCluster(_ word: String) throws(UsageError) {
    let cluster = ShortCluster(word, among: options)
    if let unknown = cluster.unknown {
      throw unknownOption("-\(unknown)", cluster: word.count > 2 ? word : nil, in: word)
    }
    for item in cluster.items {
      try take(item.argument, written: item.written, value: item.value)
    }
  }

  /// Records an option, or waits for its value if that is the next word.
  private mutating func take(
    _ argument: ArgumentSpec,
    written: String,
    value: String?
  ) throws(UsageError) {
    if let refusal = argument.refusal { throw error(.custom(refusal)) }
    let isJoined = value != nil && argument.joinsPositional
    if value != nil, argument.role != .option, !isJoined { throw error(.flagWithValue(written)) }
    // An option of the default verb selects that verb.
    if let verb = command.defaultCommand,
      ofDefaultVerb.contains(where: { $0.hasLabel(of: argument) })
    {
      enter(verb)
    }

    switch argument.role {
    case .help:
      request = request ?? .help(written == "-h" ? .short : .long)
    case .version:
      request = request ?? .version
    case .option where value == nil:
      openOption = (argument, written)
    case .option, .flag, .positional:
      let match = ArgumentMatch(argument: argument, written: written, text: value ?? "")
      matches.append(match)
      if argument.role == .option { lastOption = match }
      if let value, isJoined { try readPlain(value) }
    }
  }

  private mutating func enter(_ next: CommandSpec<Context, Output>) {
    (command, own, ofDefaultVerb) = (next, next.arguments, next.defaultCommand?.options ?? [])
    path.append(next.name)
  }
}

// MARK: - Errors

extension LineScanner {
  private var fullName: String { ([toolName] + path).joined(separator: " ") }

  /// Adds the position of the mistake and, if there is no hint, the line of help that matters.
  func locating(_ error: UsageError) -> UsageError {
    UsageError(error.kind, hint: error.hint ?? advice(on: error.kind), commandPath: path)
  }

  private func advice(on kind: UsageError.Kind) -> String {
    switch kind {
    case .missingPositional(let name):
      if let example = command.examples.first, let meaning = meaning(of: name) {
        return "give \(meaning), for example: \(example.line)"
      }
    case .missingValue(let name, _), .badValue(let name, _, _), .flagWithValue(let name):
      if let meaning = meaning(of: name) { return "\(name): \(meaning)" }
    case .unknownOption:
      let own = (own + ofDefaultVerb).filter { !$0.isHidden && !$0.role.isPositional }
      if (1...8).contains(own.count) {
        return "options: \(own.map(\.label).joined(separator: ", "))"
      }
      return "list the options with: \(fullName) -h"
    case .unknownCommand where path.isEmpty: return "list the commands with: \(fullName) -h"
    case .unknownCommand:
      return "commands: \(command.visibleSubcommands.map(\.name).joined(separator: ", "))"
    case .unexpectedArgument, .missingSubcommand, .contradiction, .custom: break
    }
    return "usage: \(command.usage(as: fullName, isRoot: path.isEmpty))"
  }

  /// What an argument means, by its name on the command line, in lower case.
  private func meaning(of name: String) -> String? {
    (own + ofDefaultVerb + globals)
      .first { $0.label == name || $0.short.map { "-\($0)" } == name }
      .map { $0.help.prefix(1).lowercased() + $0.help.dropFirst() }
  }

  private func error(_ kind: UsageError.Kind, hint: String? = nil) -> UsageError {
    locating(UsageError(kind, hint: hint))
  }

  private func unknownOption(
    _ option: String,
    cluster: String? = nil,
    in word: String
  ) -> UsageError {
    if let textHint = textHint(word) {
      return error(.unknownOption(option, cluster: cluster), hint: textHint)
    }
    let visible = options.filter { !$0.isHidden }
    // Covers a missing hyphen, as in -json.
    let typed = "--" + (cluster ?? option).drop { $0 == "-" }
    let suggestion =
      typed.count > 3 ? Suggestions.hint(for: typed, among: visible.map(\.label)) : nil
    return error(
      .unknownOption(option, cluster: cluster),
      hint: misplacedOptionHint(option) ?? suggestion ?? identifierHint(option)
    )
  }

  /// Explains how to pass a text that begins with a hyphen.
  ///
  /// A word with a space cannot be an option.
  private func textHint(_ word: String) -> String? {
    guard openPositional != nil, word.contains(where: \.isWhitespace) else { return nil }
    return "put -- before a text that starts with a hyphen: \(fullName) -- \(word.quoted)"
  }

  /// Explains that an option of a subcommand must follow the subcommand's name.
  private func misplacedOptionHint(_ option: String) -> String? {
    let owner = command.visibleSubcommands.first { verb in
      verb.options.contains { $0.label == option || $0.short.map { "-\($0)" } == option }
    }
    return owner.map { "\(option) must follow the command: \(fullName) \($0.name) \(option)" }
  }

  /// Explains how to pass an identifier that looks like an option.
  private func identifierHint(_ option: String) -> String? {
    guard let open = openPositional, open.isIdentifier, option.hasPrefix("--") else { return nil }
    return "to use it as \(open.placeholder), write: -- \(option)"
  }
}
