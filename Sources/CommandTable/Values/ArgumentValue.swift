// SPDX-License-Identifier: MIT

/// A value that is parsed from one word of the command line.
///
/// A `String` enumeration that is `CaseIterable` needs no implementation: its raw values are its
/// choices.
package protocol ArgumentValue: ArgumentStorage where Parsed == Self {
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
  package static var choices: [String] { [] }

  /// A word that begins with a hyphen is an option.
  package static var isIdentifier: Bool { false }

  package var argumentText: String? { nil }
}

extension ArgumentValue where Self: RawRepresentable<String> & CaseIterable {
  /// The choices, as in `auto|always|never`.
  package static var placeholder: String { choices.joined(separator: "|") }

  package static var choices: [String] { allCases.map(\.rawValue) }

  /// Accepts every raw value, including those omitted from `choices`.
  package init(argument: String) throws(ArgumentValueError) {
    guard let value = Self(rawValue: argument) else {
      throw ArgumentValueError("expects \(Self.choices.alternatives)")
    }
    self = value
  }

  package var argumentText: String? { rawValue }
}

/// The reason why a word is not a valid value.
package struct ArgumentValueError: Error, Equatable {
  /// The expectation, as a continuation of the option's name: `expects a whole number`.
  package let message: String

  /// Creates an error whose message begins with a verb and ends without a full stop.
  package init(_ message: String) {
    self.message = message
  }
}

extension Duration: ArgumentValue {
  package static var placeholder: String { "DURATION" }

  /// The units in descending order, with their length in milliseconds.
  private static let units: [(suffix: String, milliseconds: Int64)] = [
    ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// The units that are accepted; days are written as hours.
  private static let acceptedUnits: [(suffix: String, milliseconds: Int64)] =
    [("d", 86_400_000)] + units

  /// The longest accepted duration: one year, in milliseconds.
  private static let longest = 365 * 24 * 3_600_000.0

  /// Parses `500ms`, `5s`, `10m`, `2h`, `7d` or a number of seconds, rounded to milliseconds.
  ///
  /// The number may have a decimal point. Negative numbers and more than a year are rejected.
  package init(argument: String) throws(ArgumentValueError) {
    let digits = argument.prefix { "0123456789.".contains($0) }
    let suffix = argument.dropFirst(digits.count)
    guard let number = Double(digits),
      let unit = Self.acceptedUnits.first(where: { $0.suffix == (suffix.isEmpty ? "s" : suffix) })
    else {
      throw ArgumentValueError("expects a duration such as 500ms, 5s, 10m, 2h or 7d")
    }
    let milliseconds = (number * Double(unit.milliseconds)).rounded()
    guard milliseconds <= Self.longest else {
      throw ArgumentValueError("expects at most 8760h")
    }
    self = .milliseconds(Int64(milliseconds))
  }

  /// Joins a number and a separate unit, such as `5m` for `5 minutes`.
  ///
  /// Nil if the word is not a unit or the number already has one.
  static func joined(_ number: String, _ word: String) -> String? {
    guard !number.isEmpty, number.allSatisfy({ "0123456789.".contains($0) }) else { return nil }
    switch word.lowercased() {
    case "ms", "msec", "msecs", "millisecond", "milliseconds": return "\(number)ms"
    case "s", "sec", "secs", "second", "seconds": return "\(number)s"
    case "m", "min", "mins", "minute", "minutes": return "\(number)m"
    case "h", "hr", "hrs", "hour", "hours": return "\(number)h"
    case "d", "day", "days":
      return Int(number).map { $0.multipliedReportingOverflow(by: 24) }
        .flatMap { $0.overflow ? nil : "\($0.partialValue)h" }
    default: return nil
    }
  }

  /// The duration in the longest unit that gives a whole number.
  package var argumentText: String? {
    let (seconds, attoseconds) = components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    guard milliseconds != 0 else { return "0s" }
    return Self.units.first { milliseconds.isMultiple(of: $0.milliseconds) }
      .map { "\(milliseconds / $0.milliseconds)\($0.suffix)" }
  }
}

extension Int: ArgumentValue {
  package static var placeholder: String { "N" }

  package init(argument: String) throws(ArgumentValueError) {
    guard let number = Int(argument) else {
      throw ArgumentValueError("expects a whole number")
    }
    self = number
  }

  package var argumentText: String? { String(self) }
}

extension String: ArgumentValue {
  package static var placeholder: String { "TEXT" }

  /// Accepts any word, including an empty one.
  package init(argument: String) {
    self = argument
  }

  /// The text; nil if empty.
  package var argumentText: String? { isEmpty ? nil : self }
}
