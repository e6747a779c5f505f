// SPDX-License-Identifier: MIT

/// A mistake on the command line.
public struct UsageError: Error, Equatable {
  /// The kinds of mistakes.
  public enum Kind: Sendable, Equatable {
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

  /// The mistake.
  public let kind: Kind

  /// How to correct it: a suggestion or a reference to help.
  public internal(set) var hint: String?

  /// The names of the commands read so far, without the program's.
  public internal(set) var commandPath: [String]

  /// Creates an error; the parser fills in the path, and the hint if there is none.
  public init(_ kind: Kind, hint: String? = nil, commandPath: [String] = []) {
    self.kind = kind
    self.hint = hint
    self.commandPath = commandPath
  }
}

extension UsageError {
  /// The mistake in one line, in lower case, without a full stop.
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
