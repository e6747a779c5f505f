// SPDX-License-Identifier: MIT

extension AnswerSchema {
  /// The keywords that are checked.
  enum Keyword: String, CaseIterable {
    case type
    case const
    case `enum`
    case minimum
    case maximum
    case minLength
    case maxLength
    case minItems
    case maxItems
    case required
    case properties
    case additionalProperties
    case items

    private static let types: Set<String> = [
      "null", "boolean", "integer", "number", "string", "array", "object",
    ]

    /// Whether the keyword can have this value in a schema.
    func accepts(_ value: JSONValue) -> Bool {
      switch self {
      case .type:
        let names = value.string.map { [$0] } ?? value.array?.map { $0.string ?? "" } ?? []
        return !names.isEmpty && names.allSatisfy(Self.types.contains)
      case .const: return true
      case .enum: return value.array?.isEmpty == false
      case .minimum, .maximum: return value.double != nil
      case .minLength, .maxLength, .minItems, .maxItems: return value.int.map { $0 >= 0 } ?? false
      case .required: return value.array?.allSatisfy { $0.string != nil } ?? false
      case .properties: return value.object != nil
      case .additionalProperties: return value.bool != nil
      case .items: return value.object != nil || value.bool != nil
      }
    }

    /// Returns why a value does not match the keyword's value; `nil` if it does.
    func mismatch(of value: JSONValue, with limit: JSONValue) -> String? {
      switch self {
      case .type:
        let names = limit.string.map { [$0] } ?? limit.array?.compactMap(\.string) ?? []
        return names.contains(where: value.isOf(type:))
          ? nil : "is not of type \(names.joined(separator: " or "))"
      case .const: return value.equals(limit) ? nil : "is not \(limit.text().safeLine(limit: 80))"
      case .enum:
        return limit.array?.contains(where: value.equals) == true
          ? nil : "is none of \(limit.text().safeLine(limit: 120))"
      case .minimum: return Self.compare(value.double, limit, <, "is less than")
      case .maximum: return Self.compare(value.double, limit, >, "is more than")
      case .minLength: return Self.compare(value.length, limit, <, "is shorter than")
      case .maxLength: return Self.compare(value.length, limit, >, "is longer than")
      case .minItems: return Self.compare(value.size, limit, <, "has fewer elements than")
      case .maxItems: return Self.compare(value.size, limit, >, "has more elements than")
      case .required:
        guard let members = value.object else { return nil }
        let missing = limit.array?.compactMap(\.string).first { members[$0] == nil }
        return missing.map { "has no member '\($0.safeLine(limit: 80))'" }
      case .properties, .additionalProperties, .items: return nil
      }
    }

    /// A value without this measure always matches.
    private static func compare(
      _ measure: Double?,
      _ limit: JSONValue,
      _ isBeyond: (Double, Double) -> Bool,
      _ words: String
    ) -> String? {
      guard let measure, let number = limit.double, isBeyond(measure, number) else { return nil }
      return "\(words) \(limit.text())"
    }
  }
}

extension JSONValue {
  fileprivate func isOf(type: String) -> Bool {
    switch (self, type) {
    case (.null, "null"), (.bool, "boolean"), (.string, "string"), (.array, "array"),
      (.object, "object"), (.integer, "number"), (.double, "number"), (.integer, "integer"):
      true
    case (.double(let number), "integer"): number.rounded() == number && number.isFinite
    default: false
    }
  }

  /// Numbers are equal if their values are, and objects if their members are, in any order.
  fileprivate func equals(_ other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let members), .object(let others)):
      members.count == others.count
        && members.allSatisfy { name, value in others[name].map(value.equals) ?? false }
    case (.array(let elements), .array(let others)):
      elements.count == others.count && zip(elements, others).allSatisfy { $0.equals($1) }
    case (.integer, .double), (.double, .integer): double == other.double
    default: self == other
    }
  }

  /// The number of characters (code points) of a string.
  fileprivate var length: Double? { string.map { Double($0.unicodeScalars.count) } }

  /// The number of elements of an array.
  fileprivate var size: Double? { array.map { Double($0.count) } }
}
