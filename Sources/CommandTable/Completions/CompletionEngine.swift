// SPDX-License-Identifier: MIT

/// Completes the last word of an unfinished command line.
package enum CompletionEngine {
  /// Returns the completions of the last word.
  ///
  /// Mistakes earlier on the line are ignored. Candidates begin with the typed text; if there are
  /// none, case is ignored. The last of `words`, which exclude the program's name, is being typed
  /// and may be empty. `dynamic` lists the current words of a kind, such as identifiers.
  package static func candidates<Context, Output, Globals>(
    words: [String],
    in tool: CommandLineTool<Context, Output, Globals>,
    dynamic: @escaping (_ kind: String) -> [CompletionCandidate]
  ) -> CompletionAnswer {
    var scanner = tool.scanner
    for word in words.dropLast() {
      do {
        try scanner.read(word)
      } catch {
        if case .unknownCommand = error.kind { return .candidates([]) }
      }
    }
    return CompletionSearch(scanner: scanner, typed: words.last ?? "", dynamic: dynamic).answer
  }
}

/// Completes one word at the position of a scanner.
struct CompletionSearch<Context, Output> {
  /// The scanner after all complete words.
  let scanner: LineScanner<Context, Output>

  let typed: String

  let dynamic: (String) -> [CompletionCandidate]

  var answer: CompletionAnswer {
    if let open = scanner.openOption { return values(of: open.argument) }
    if scanner.isPastTerminator || !typed.hasPrefix("-") { return plain }
    if let (argument, value) = attachedValue {
      return values(of: argument, after: String(typed.dropLast(value.count)))
    }
    return .candidates(matching(optionCandidates) + hyphenatedIdentifiers)
  }
}

// MARK: - Words that are not options

extension CompletionSearch {
  private var plain: CompletionAnswer {
    if scanner.command.isNoun {
      let verbs = scanner.command.visibleSubcommands
      return .candidates(matching(verbs.map { CompletionCandidate($0.name, $0.summary) }))
    }
    guard let open = scanner.openPositional else { return .candidates([]) }
    let answer = values(of: open)
    guard case .candidates(let candidates) = answer else { return answer }
    return .candidates(candidates.filter { isPositional($0.value) })
  }

  /// Identifiers for the next positional that begin with a hyphen, as the typed word does.
  private var hyphenatedIdentifiers: [CompletionCandidate] {
    guard scanner.openPositional?.isIdentifier == true, case .candidates(let found) = plain else {
      return []
    }
    return found
  }

  /// Whether the parser reads the word as a positional argument.
  private func isPositional(_ word: String) -> Bool {
    scanner.isPastTerminator || word == "-" || !word.hasPrefix("-") || scanner.isIdentifier(word)
  }
}

// MARK: - Options and their values

extension CompletionSearch {
  /// The option and the incomplete value in `--name=value` or `-nvalue`.
  private var attachedValue: (ArgumentSpec, value: String)? {
    if typed.hasPrefix("--") {
      let long = LongOption(typed)
      guard let value = long.value else { return nil }
      return scanner.options.first { $0.label == long.written }.map { ($0, value) }
    }
    let cluster = ShortCluster(typed, among: scanner.options)
    guard cluster.unknown == nil, let last = cluster.items.last, let value = last.value else {
      return nil
    }
    return (last.argument, value)
  }

  /// The options not given yet, or the typed letters if they form a complete cluster.
  private var optionCandidates: [CompletionCandidate] {
    let cluster = ShortCluster(typed, among: scanner.options)
    if cluster.unknown == nil, let last = cluster.items.last {
      return [CompletionCandidate(typed, last.argument.help)]
    }
    return scanner.options
      .filter { !$0.isHidden && ($0.isRepeatable || !scanner.isGiven($0)) }
      .map { CompletionCandidate($0.label, $0.help) }
  }

  private func values(of argument: ArgumentSpec, after prefix: String = "") -> CompletionAnswer {
    let found: [CompletionCandidate]
    switch argument.completion {
    case .none:
      found = []
    case .choices(let words):
      found = words.map { CompletionCandidate($0) }
    case .dynamic(let kind):
      found = dynamic(kind)
    case .file where prefix.isEmpty || prefix.hasPrefix("--"):
      return .files
    case .directory where prefix.isEmpty || prefix.hasPrefix("--"):
      return .directories
    case .file, .directory:
      // Shells do not complete file names attached to a short option.
      found = []
    }
    return .candidates(
      matching(found.map { CompletionCandidate(prefix + $0.value, $0.description) })
    )
  }

  private func matching(_ candidates: [CompletionCandidate]) -> [CompletionCandidate] {
    let exact = candidates.filter { $0.value.hasPrefix(typed) }
    guard exact.isEmpty else { return exact }
    let folded = typed.lowercased()
    return candidates.filter { $0.value.lowercased().hasPrefix(folded) }
  }
}

/// The reply to a completion script.
package enum CompletionAnswer: Sendable, Equatable {
  /// Offer these words and no others.
  case candidates([CompletionCandidate])

  /// Let the shell complete file names.
  case files

  /// Let the shell complete folder names.
  case directories

  /// The answer as `__complete` prints it.
  ///
  /// One line per candidate: value, tab, description; or the single line `:files` or
  /// `:directories`. Candidates that contain control characters are omitted.
  package var text: String {
    switch self {
    case .candidates(let candidates):
      candidates.filter { !$0.value.contains(where: \.isControl) }
        .map { "\($0.value)\t\($0.description.filter { !$0.isControl })\n" }
        .joined()
    case .files:
      ":files\n"
    case .directories:
      ":directories\n"
    }
  }
}

extension Character {
  fileprivate var isControl: Bool {
    unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

/// A word that completion offers.
package struct CompletionCandidate: Sendable, Equatable {
  /// The whole word as the program would receive it, unquoted.
  package let value: String

  /// The description; may be empty.
  package let description: String

  package init(_ value: String, _ description: String = "") {
    self.value = value
    self.description = description
  }
}

/// The completion of an argument's value.
package enum Completion: Sendable, Equatable {
  /// No completion: free text.
  case none

  /// File names, completed by the shell itself.
  case file

  /// Folder names, completed by the shell itself.
  case directory

  case choices([String])

  /// Words of a kind known at run time, such as `workspace`.
  case dynamic(String)
}
