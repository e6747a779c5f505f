// SPDX-License-Identifier: MIT

/// Any JSON value.
///
/// The protocol is parsed with this type instead of `Codable`, because the server cuts text at
/// UTF-16 units and so sends lone surrogates, which Foundation's decoders reject entirely, and
/// because an unknown field, type or enum value must never invalidate a message.
package enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  /// A number without fraction or exponent that fits 64 bits.
  case integer(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// Returns a member of an object; `.null` if it is missing or for any other kind of value.
  package subscript(_ key: String) -> JSONValue {
    guard case .object(let members) = self else { return .null }
    return members[key] ?? .null
  }

  package var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  package var bool: Bool? {
    guard case .bool(let flag) = self else { return nil }
    return flag
  }

  /// The interoperable integers (RFC 8259, section 6).
  ///
  /// External numbers are counted, subtracted and converted to milliseconds: within this range,
  /// none of that overflows.
  private static let integers = -(1 << 53) + 1...(1 << 53) - 1

  /// The number if it is an interoperable integer, `nil` otherwise.
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

  package var array: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

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
