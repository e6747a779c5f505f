// SPDX-License-Identifier: MIT

/// Any JSON value.
///
/// The wire is read through this type and not through a `Codable` decoder, because the server cuts
/// text at UTF-16 units and so sends lone surrogates, which Foundation's decoders refuse as a
/// whole, and because an unknown field, type or enum value must never fail a message.
package enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  /// A number written without fraction or exponent that fits 64 bits.
  case integer(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// Returns a member of an object, and `.null` for a missing one or for any other kind of value.
  package subscript(_ key: String) -> JSONValue {
    guard case .object(let members) = self else { return .null }
    return members[key] ?? .null
  }

  /// The text of a string, `nil` for any other kind of value.
  package var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The truth value, `nil` for any other kind of value.
  package var bool: Bool? {
    guard case .bool(let flag) = self else { return nil }
    return flag
  }

  /// The integers that all programs understand alike (RFC 8259 section 6).
  ///
  /// Numbers from outside are counted, subtracted and turned into milliseconds: within this range
  /// that cannot overflow.
  private static let integers = -(1 << 53) + 1...(1 << 53) - 1

  /// The number as an integer where it is one that all programs understand alike, `nil` otherwise.
  package var int: Int? {
    let number: Int? =
      switch self {
      case .integer(let number): Int(exactly: number)
      case .double(let number): Int(exactly: number)
      default: nil
      }
    return number.flatMap { Self.integers.contains($0) ? $0 : nil }
  }

  /// The number as floating point, `nil` for any other kind of value.
  package var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  /// The elements of an array, `nil` for any other kind of value.
  package var array: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// The members of an object, `nil` for any other kind of value.
  package var object: JSONObject? {
    guard case .object(let members) = self else { return nil }
    return members
  }
}

// MARK: - Literals

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements.map { ($0, $1) }))
  }
}
