// SPDX-License-Identifier: MIT

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
      .flatMap { option in
        let undo = option.negatedLabel.map { CompletionCandidate($0, "Undo \(option.label)") }
        return [CompletionCandidate(option.label, option.help)] + (undo.map { [$0] } ?? [])
      }
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
