// SPDX-License-Identifier: MIT

/// A field that holds an argument's value: the value itself, an optional or an array.
public protocol ArgumentStorage: Sendable {
  /// The type that parses a word of the command line.
  associatedtype Parsed: ArgumentValue

  /// Whether all occurrences are used rather than the last one.
  static var keepsEveryOccurrence: Bool { get }

  /// The text of a default in help; nil omits it.
  var textAsDefault: String? { get }

  /// Stores the next occurrence; the first one replaces the default.
  mutating func store(_ value: Parsed, isFirst: Bool)
}

extension ArgumentValue {
  /// The last occurrence counts.
  public static var keepsEveryOccurrence: Bool { false }

  /// The text of the value.
  public var textAsDefault: String? { argumentText }

  /// Replaces the value.
  public mutating func store(_ value: Self, isFirst: Bool) {
    self = value
  }
}

extension Optional: ArgumentStorage where Wrapped: ArgumentValue {
  /// The last occurrence counts.
  public static var keepsEveryOccurrence: Bool { false }

  /// The text of the value, if there is one.
  public var textAsDefault: String? { self?.argumentText }

  /// Replaces the value.
  public mutating func store(_ value: Wrapped, isFirst: Bool) {
    self = value
  }
}

extension Array: ArgumentStorage where Element: ArgumentValue {
  /// Every occurrence counts.
  public static var keepsEveryOccurrence: Bool { true }

  /// The texts of the values, separated by spaces.
  public var textAsDefault: String? {
    let texts = compactMap(\.argumentText)
    return texts.isEmpty ? nil : texts.joined(separator: " ")
  }

  /// Adds the value.
  public mutating func store(_ value: Element, isFirst: Bool) {
    if isFirst { self = [] }
    append(value)
  }
}
