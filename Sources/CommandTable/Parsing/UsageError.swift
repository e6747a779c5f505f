// SPDX-License-Identifier: MIT

/// A mistake on the command line.
package struct UsageError: Error, Equatable {
  package enum Kind: Sendable, Equatable {
    /// An unknown option; `cluster` is the whole word if the option is one letter of several.
    case unknownOption(String, cluster: String? = nil)

    case unknownCommand(String)

    /// The line ends where the option's value is expected.
    case missingValue(option: String, placeholder: String)

    case badValue(argument: String, value: String, reason: String)

    case missingPositional(String)

    case unexpectedArgument(String)

    case flagWithValue(String)

    /// A noun without a verb, or no command at all; then `choices` is empty.
    case missingSubcommand(of: String, choices: [String])

    /// Options that exclude each other; the command provides the message.
    case contradiction(String)

    /// Another mistake; the command provides the message.
    case custom(String)
  }

  package let kind: Kind

  /// How to correct it: a suggestion or a reference to help.
  package internal(set) var hint: String?

  /// The names of the commands read so far, without the program's.
  package internal(set) var commandPath: [String]

  /// Creates an error; the parser fills in the path, and the hint if there is none.
  package init(_ kind: Kind, hint: String? = nil, commandPath: [String] = []) {
    self.kind = kind
    self.hint = hint
    self.commandPath = commandPath
  }

  /// The mistake in one line, in lower case, without a full stop.
  package var message: String {
    switch kind {
    case .unknownOption(let option, nil):
      "unknown option \(option.quoted)"
    case .unknownOption(let option, let cluster?):
      "unknown option \(option.quoted) in \(cluster.quoted)"
    case .unknownCommand(let word):
      "unknown command \(word.quoted)"
    case .missingValue(let option, let placeholder):
      "\(option) needs a value (\(placeholder))"
    case .badValue(let argument, let value, let reason):
      "\(argument) \(reason), not \(value.quoted)"
    case .missingPositional(let placeholder):
      "\(placeholder) is missing"
    case .unexpectedArgument(let word):
      "unexpected argument \(word.quoted)"
    case .flagWithValue(let option):
      "\(option) takes no value"
    case .missingSubcommand(_, []):
      "no command given"
    case .missingSubcommand(let noun, let choices):
      "\(noun.quoted) needs a command: \(choices.alternatives)"
    case .contradiction(let message), .custom(let message):
      message
    }
  }
}

extension String {
  /// The text in single quotes: invisible characters are escaped, and at most 60 are shown.
  var quoted: String {
    let limit = 60
    let shown = count > limit ? prefix(limit - 1) + "…" : self[...]
    let scalars = shown.unicodeScalars.map { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
      default: String(scalar)
      }
    }
    return "'\(scalars.joined())'"
  }
}

extension [String] {
  /// The words as alternatives in a sentence: `a, b or c`.
  package var alternatives: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}

/// Suggests names for a mistyped word.
package enum Suggestions {
  /// Returns a hint that names the closest candidates; nil if none is close.
  static func hint(for word: String, among candidates: [String]) -> String? {
    hint(naming: closest(to: word, among: candidates))
  }

  /// Returns a hint that asks whether one of the names was meant; nil if there are none.
  package static func hint(naming names: [String]) -> String? {
    names.isEmpty ? nil : "did you mean \(names.map(\.quoted).alternatives)?"
  }

  /// Words by which programs name the same action.
  private static let synonyms: [Set<String>] = [
    ["delete", "remove", "rm", "del", "forget", "drop", "clear", "prune", "unset"],
    ["list", "ls", "all"],
    ["show", "get", "view", "cat", "info", "describe", "print"],
    ["add", "new", "create", "make"],
    ["edit", "set", "change", "update", "modify"],
    ["rename", "mv", "move"],
    ["enable", "resume", "on"],
    ["disable", "pause", "off"],
    ["run", "start", "trigger", "flush", "retry", "send"],
    ["test", "check", "ping"],
  ]

  /// Returns a hint for an unknown command: at most two names of the same action, or the closest.
  ///
  /// A word that names an action is not mistyped, and looks like names of other actions: 'remove'
  /// does not mean 'revoke'.
  static func hint(forCommand word: String, among names: [String]) -> String? {
    let action = synonyms.first { $0.contains(word.lowercased()) }
    guard let action else { return hint(for: word, among: names) }
    return hint(naming: Array(names.filter(action.contains).prefix(2)))
  }

  /// Returns at most two candidates at the smallest distance, in their given order.
  ///
  /// The limit is one mistake in a word of up to four letters, and one more for every three further
  /// letters. A prefix of a name counts as one mistake.
  package static func closest(to word: String, among candidates: [String]) -> [String] {
    let typed = Array(word.lowercased())
    let letters = typed.drop { $0 == "-" }.count
    guard letters > 0, letters <= 40 else { return [] }
    let limit = 1 + max(letters - 2, 0) / 3
    let ranked = candidates.map { candidate in
      let isBeginning = letters > 1 && candidate.hasPrefix(word)
      return (candidate, isBeginning ? 1 : distance(typed, Array(candidate.lowercased())))
    }
    guard let best = ranked.map(\.1).min(), best <= limit else { return [] }
    return ranked.filter { $0.1 == best }.prefix(2).map(\.0)
  }

  /// Returns the number of insertions, deletions, replacements and swaps of adjacent characters
  /// that turn one word into the other.
  ///
  /// This is the optimal string alignment variant of the Damerau-Levenshtein distance: no substring
  /// is edited twice.
  static func distance(_ a: [Character], _ b: [Character]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...b.count)
    for i in a.indices {
      var current = [i + 1]
      for j in b.indices {
        let isSame = a[i] == b[j]
        var best = min(previous[j + 1] + 1, current[j] + 1, previous[j] + (isSame ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforePrevious[j - 1] + 1)
        }
        current.append(best)
      }
      (beforePrevious, previous) = (previous, current)
    }
    return previous[b.count]
  }
}
