// SPDX-License-Identifier: MIT

/// An option or positional argument, as help, the manual and completion show it.
package struct ArgumentSpec: Sendable {
  package enum Role: Sendable, Equatable {
    /// A switch without a value.
    case flag

    case option

    /// An argument identified by its position.
    case positional(required: Bool)

    case help

    case version

    package var isPositional: Bool {
      if case .positional = self { true } else { false }
    }
  }

  package let role: Role

  /// The name without hyphens, in lower case.
  package let name: String

  /// The letter of the short form.
  package internal(set) var short: Character?

  /// The type of the value, which provides the defaults; `nil` for an argument without a value.
  var type: (any ArgumentValue.Type)?
  var givenPlaceholder: String?
  var givenCompletion: Completion?

  /// Whether all occurrences are used rather than the last one.
  package internal(set) var isRepeatable = false

  /// Whether help and completion omit the argument.
  package internal(set) var isHidden = false

  /// Whether a value after an equals sign is the next positional argument: `--again=3` is
  /// `--again 3`.
  var joinsPositional = false

  /// Why the option is an error, in one line; `nil` for any other argument.
  var refusal: String?

  /// One line of help, imperative, without a full stop.
  package let help: String

  // Lazy: most command lines do not need it.
  var makeDefaultText: @Sendable () -> String? = { nil }
}

// MARK: - Derived

extension ArgumentSpec {
  /// The name of the value in help; empty for a switch.
  package var placeholder: String {
    role.isPositional ? name.uppercased() : givenPlaceholder ?? type?.placeholder ?? ""
  }

  /// The advertised values; empty if any word is accepted.
  package var choices: [String] { type?.choices ?? [] }

  /// The completion of the value.
  package var completion: Completion {
    givenCompletion ?? (choices.isEmpty ? .none : .choices(choices))
  }

  /// Whether a value may begin with a hyphen.
  package var isIdentifier: Bool { type?.isIdentifier ?? false }

  /// The default for the help text.
  package var defaultText: String? { makeDefaultText() }

  /// The name in messages, unique within a command: `--limit` or `SESSION`.
  package var label: String { role.isPositional ? placeholder : "--\(name)" }

  /// Whether both labels are equal.
  ///
  /// Does not create them: each row is compared with each occurrence at every start.
  func hasLabel(of other: ArgumentSpec) -> Bool {
    role.isPositional == other.role.isPositional && name == other.name
  }

  /// Whether the command line must contain the argument.
  package var isRequired: Bool { role == .positional(required: true) }

  /// The line of help with notes: the choices, whether it is repeatable, the default.
  var meaning: String {
    var notes: [String] = []
    if !choices.isEmpty, choices.joined(separator: "|") != placeholder {
      notes.append(choices.alternatives)
    }
    if isRepeatable, !role.isPositional { notes.append("repeatable") }
    if let defaultText, !isRequired { notes.append("default: \(defaultText)") }
    return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
  }
}

// MARK: - Built in

extension ArgumentSpec {
  static let help = ArgumentSpec(
    role: .help,
    name: "help",
    short: "h",
    help: "Show help; -h shows a summary"
  )

  static let version = ArgumentSpec(role: .version, name: "version", help: "Show the version")
}
