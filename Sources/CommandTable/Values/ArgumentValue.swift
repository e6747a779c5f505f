// SPDX-License-Identifier: MIT

/// A value that is parsed from one word of the command line.
///
/// A `String` enumeration that is `CaseIterable` needs no implementation: its raw values are its
/// choices.
public protocol ArgumentValue: ArgumentStorage where Parsed == Self {
  /// The name of the value in help, such as `DURATION`; never empty.
  static var placeholder: String { get }

  /// The advertised words; empty if any word is accepted.
  static var choices: [String] { get }

  /// Whether values are identifiers, which may begin with a hyphen like base64url text.
  static var isIdentifier: Bool { get }

  /// Parses one word, byte for byte as the shell passed it.
  init(argument: String) throws(ArgumentValueError)

  /// The default in the help text; nil omits it.
  var argumentText: String? { get }
}

extension ArgumentValue {
  /// Any word is accepted.
  public static var choices: [String] { [] }

  /// A word that begins with a hyphen is an option.
  public static var isIdentifier: Bool { false }

  /// Help shows no default.
  public var argumentText: String? { nil }
}

extension ArgumentValue where Self: RawRepresentable<String> & CaseIterable {
  /// The choices, as in `auto|always|never`.
  public static var placeholder: String { choices.joined(separator: "|") }

  /// The raw values in the order of the cases.
  public static var choices: [String] { allCases.map(\.rawValue) }

  /// Accepts every raw value, including those omitted from `choices`.
  public init(argument: String) throws(ArgumentValueError) {
    guard let value = Self(rawValue: argument) else {
      throw ArgumentValueError("expects \(Self.choices.alternatives)")
    }
    self = value
  }

  /// The raw value.
  public var argumentText: String? { rawValue }
}

/// The reason why a word is not a valid value.
public struct ArgumentValueError: Error, Equatable {
  /// The expectation, as a continuation of the option's name: `expects a whole number`.
  public let message: String

  /// Creates an error whose message begins with a verb and ends without a full stop.
  public init(_ message: String) {
    self.message = message
  }
}
