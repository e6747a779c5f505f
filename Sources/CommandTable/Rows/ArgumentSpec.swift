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
  package let short: Character?

  /// The name of the value in help; empty for a switch.
  package let placeholder: String

  /// One line of help, imperative, without a full stop.
  package let help: String

  /// The advertised values; empty if any word is accepted.
  package var choices: [String] { valueType?.choices ?? [] }

  /// The completion of the value.
  package var completion: Completion {
    givenCompletion ?? (choices.isEmpty ? .none : .choices(choices))
  }

  /// Whether all occurrences are used rather than the last one.
  package let isRepeatable: Bool

  /// Whether a value may begin with a hyphen.
  package var isIdentifier: Bool { valueType?.isIdentifier ?? false }

  /// Whether help and completion omit the argument.
  package let isHidden: Bool

  /// Why the option is an error, in one line; `nil` for any other argument.
  let refusal: String?

  /// The default for the help text.
  package var defaultText: String? { makeDefaultText() }

  /// `nil` for an argument without a value.
  private let valueType: (any ArgumentValue.Type)?
  private let givenCompletion: Completion?
  // Lazy: most command lines do not need it.
  var makeDefaultText: @Sendable () -> String? = { nil }

  /// Creates an argument; the type of its value, if it has one, provides the defaults.
  init(
    _ role: Role,
    _ name: String,
    short: Character? = nil,
    of type: (any ArgumentValue.Type)? = nil,
    placeholder: String? = nil,
    completion: Completion? = nil,
    isRepeatable: Bool = false,
    isHidden: Bool = false,
    refusal: String? = nil,
    help: String
  ) {
    self.role = role
    self.name = name
    self.short = short
    self.placeholder =
      role.isPositional ? name.uppercased() : placeholder ?? type?.placeholder ?? ""
    self.help = help
    self.isRepeatable = isRepeatable
    self.isHidden = isHidden
    self.refusal = refusal
    valueType = type
    givenCompletion = completion
  }
}

// MARK: - Derived

extension ArgumentSpec {
  /// The name in messages, unique within a command: `--limit` or `SESSION`.
  package var label: String { role.isPositional ? placeholder : "--\(name)" }

  /// Whether both labels are equal.
  ///
  /// Does not create them: each row is compared with each occurrence at every start.
  func hasLabel(of other: ArgumentSpec) -> Bool {
    guard role.isPositional == other.role.isPositional else { return false }
    return role.isPositional ? placeholder == other.placeholder : name == other.name
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
  static let help = ArgumentSpec(.help, "help", short: "h", help: "Show help; -h shows a summary")

  static let version = ArgumentSpec(.version, "version", help: "Show the version")
}
