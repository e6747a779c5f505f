// SPDX-License-Identifier: MIT

/// A mistake on the command line.
public struct UsageError: Error, Equatable {
  /// The mistakes there are, each with the words it is about.
  public enum Kind: Sendable, Equatable {
    /// No such option here; `cluster` is the whole word when the option is one letter of several.
    case unknownOption(String, cluster: String? = nil)

    /// No such command or verb here.
    case unknownCommand(String)

    /// The line ended where the option's value should stand.
    case missingValue(option: String, placeholder: String)

    /// The word cannot be the argument's value.
    case badValue(argument: String, value: String, reason: String)

    /// A required positional argument is not there.
    case missingPositional(String)

    /// One word more than the command takes.
    case unexpectedArgument(String)

    /// A switch was given a value.
    case flagWithValue(String)

    /// A noun without a verb, or no command at all; `choices` is empty for the latter.
    case missingSubcommand(of: String, choices: [String])

    /// Options that exclude each other, in words of the command.
    case contradiction(String)

    /// Another mistake, in words of the command.
    case custom(String)
  }

  /// The mistake.
  public let kind: Kind

  /// What to do about it: a suggestion, or where help stands.
  public internal(set) var hint: String?

  /// The names of the commands that had been read, without the program's.
  public internal(set) var commandPath: [String]

  /// Creates an error; the parser fills in the path, and a hint where there is none.
  public init(_ kind: Kind, hint: String? = nil, commandPath: [String] = []) {
    self.kind = kind
    self.hint = hint
    self.commandPath = commandPath
  }
}

extension UsageError {
  /// The mistake on one line, in lower case, without a full stop.
  public var message: String {
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
