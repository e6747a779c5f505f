// SPDX-License-Identifier: MIT

/// How one word of a command line becomes a value.
///
/// A `String` enumeration that is `CaseIterable` needs no members of its own: its raw values are
/// its choices.
public protocol ArgumentValue: Sendable {
  /// What stands for the value in help, such as `DURATION`; never empty.
  static var placeholder: String { get }

  /// The words that help and completion advertise; empty when any word will do.
  static var choices: [String] { get }

  /// Whether values are identifiers, which may begin with a hyphen as base64url text does.
  static var isIdentifier: Bool { get }

  /// Reads the value from one word, byte for byte as the shell passed it.
  init(argument: String) throws(ArgumentValueError)

  /// The word that help shows as the default; nil keeps it out of help.
  var argumentText: String? { get }
}

extension ArgumentValue {
  /// Any word will do.
  public static var choices: [String] { [] }

  /// A word that begins with a hyphen is an option.
  public static var isIdentifier: Bool { false }

  /// Help shows no default.
  public var argumentText: String? { nil }
}

extension ArgumentValue where Self: RawRepresentable<String> & CaseIterable {
  /// The choices themselves, as in `auto|always|never`.
  public static var placeholder: String { choices.joined(separator: "|") }

  /// The raw values in the order of the cases.
  public static var choices: [String] { allCases.map(\.rawValue) }

  /// Accepts every raw value, also one that a type leaves out of `choices`.
  public init(argument: String) throws(ArgumentValueError) {
    guard let value = Self(rawValue: argument) else {
      throw ArgumentValueError("expects \(Self.choices.alternatives)")
    }
    self = value
  }

  /// The raw value.
  public var argumentText: String? { rawValue }
}

/// Why a word cannot be the value of an option or a positional argument.
public struct ArgumentValueError: Error, Equatable {
  /// What would have been right, in words that follow the option's name: `expects a whole number`.
  public let message: String

  /// Creates an error whose message begins with a verb and ends without a full stop.
  public init(_ message: String) {
    self.message = message
  }
}
