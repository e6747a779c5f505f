// SPDX-License-Identifier: MIT

/// One option or positional argument as help, man page and completion read it.
public struct ArgumentSpec: Sendable {
  /// What an argument is on the command line.
  public enum Role: Sendable, Equatable {
    /// A switch without a value; a negatable one also has `--no-name`.
    case flag(negatable: Bool)

    /// An option with a value.
    case option

    /// A word that stands for itself.
    case positional(required: Bool)

    /// The switch that asks for help.
    case help

    /// The switch that asks for the version.
    case version
  }

  /// What the argument is.
  public let role: Role

  /// The name without hyphens, in lower case.
  public let name: String

  /// The letter of the short form.
  public let short: Character?

  /// What stands for the value; empty for a switch.
  public let placeholder: String

  /// One line of help, imperative, without a full stop.
  public let help: String

  /// The advertised values; empty when any will do.
  public var choices: [String] { makeChoices() }

  /// What a shell offers for the value.
  public var completion: Completion {
    givenCompletion ?? (choices.isEmpty ? .none : .choices(choices))
  }

  /// Whether every occurrence counts, rather than the last one.
  public let isRepeatable: Bool

  /// Whether a value may begin with a hyphen.
  public let isIdentifier: Bool

  /// Whether help and completion leave the argument out.
  public let isHidden: Bool

  /// The default as help shows it.
  public var defaultText: String? { makeDefaultText() }

  // Made when they are asked for: most command lines need none of them.
  private let makeChoices: @Sendable () -> [String]
  private let givenCompletion: Completion?
  var makeDefaultText: @Sendable () -> String? = { nil }

  /// Describes a switch.
  init(
    _ role: Role,
    _ name: String,
    short: Character?,
    isHidden: Bool = false,
    help: String
  ) {
    self.role = role
    self.name = name
    self.short = short
    self.placeholder = ""
    self.help = help
    self.makeChoices = { [] }
    self.givenCompletion = Completion.none
    self.isRepeatable = false
    self.isIdentifier = false
    self.isHidden = isHidden
  }

  /// Describes an argument with a value, whose type fills in what the caller leaves out.
  init<Value: ArgumentValue>(
    _ role: Role,
    _ name: String,
    short: Character? = nil,
    of type: Value.Type,
    placeholder: String? = nil,
    completion: Completion?,
    isRepeatable: Bool = false,
    isHidden: Bool = false,
    help: String
  ) {
    self.role = role
    self.name = name
    self.short = short
    self.placeholder = role.isPositional ? name.uppercased() : placeholder ?? Value.placeholder
    self.help = help
    self.makeChoices = { Value.choices }
    self.givenCompletion = completion
    self.isRepeatable = isRepeatable
    self.isIdentifier = Value.isIdentifier
    self.isHidden = isHidden
  }
}

// MARK: - Derived

extension ArgumentSpec.Role {
  /// Whether the argument is a word that stands for itself.
  public var isPositional: Bool {
    if case .positional = self { true } else { false }
  }
}

extension ArgumentSpec {
  /// The name as messages show it, unique within a command: `--limit` or `SESSION`.
  public var label: String { role.isPositional ? placeholder : "--\(name)" }

  /// Whether both have the same label, without making the labels: each row is compared with each
  /// occurrence at every start.
  func hasLabel(of other: ArgumentSpec) -> Bool {
    guard role.isPositional == other.role.isPositional else { return false }
    return role.isPositional ? placeholder == other.placeholder : name == other.name
  }

  /// Whether the command line must contain the argument.
  public var isRequired: Bool { role == .positional(required: true) }

  /// The form that clears the switch, `--no-name`; nil where there is none.
  public var negatedLabel: String? { role == .flag(negatable: true) ? "--no-\(name)" : nil }

  /// What help adds to the line of help: the choices, the default, whether it may be repeated.
  var notes: [String] {
    var notes: [String] = []
    if !choices.isEmpty, choices.joined(separator: "|") != placeholder {
      notes.append(choices.alternatives)
    }
    if isRepeatable, !role.isPositional { notes.append("repeatable") }
    if let defaultText, !isRequired { notes.append("default: \(defaultText)") }
    return notes
  }
}

// MARK: - Built in

extension ArgumentSpec {
  /// The switch `-h`, `--help` that every command has.
  static let help = ArgumentSpec(.help, "help", short: "h", help: "Show help; -h is the short form")

  /// The switch `--version` that every command has.
  static let version = ArgumentSpec(.version, "version", short: nil, help: "Show the version")
}
