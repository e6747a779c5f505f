// SPDX-License-Identifier: MIT

package import OppiText

/// A schema for an answer in JSON: a subset of JSON Schema (draft 2020-12).
///
/// A schema with a keyword outside the subset is refused, because it would not be checked.
package struct AnswerSchema: Sendable, Hashable {
  package struct Defect: Error, Equatable {
    /// A predicate, which follows the schema's name.
    package let words: String

    fileprivate init(_ words: String, at path: String = "") {
      self.words = path.isEmpty ? words : "\(words) at \(path.safeLine(limit: 120))"
    }
  }

  /// In bytes.
  package static let sizeLimit = 64 << 10
  private static let depthLimit = 32

  package let json: JSONValue

  /// - Throws: ``Defect`` if the schema is not within the subset.
  package init(_ json: JSONValue) throws(Defect) {
    try Self.check(json, at: "", depth: 0)
    self.json = json
  }

  /// The text that asks an agent for such an answer.
  package var instruction: String {
    "Answer with one JSON value and nothing else. It must match this JSON Schema:\n\(json.text())"
  }

  /// Returns the first defect of a value, in words with its place; `nil` if it matches.
  package func mismatch(of value: JSONValue) -> String? {
    Self.mismatch(of: value, with: json, at: "")
  }

  // MARK: - The schema itself

  private static let annotations: Set<String> = [
    "$schema", "$id", "$comment", "title", "description", "default", "examples",
  ]

  private static func check(_ schema: JSONValue, at path: String, depth: Int) throws(Defect) {
    guard depth < depthLimit else { throw Defect("has too many levels") }
    if schema.bool != nil { return }
    guard let members = schema.object else { throw Defect("is not an object", at: path) }
    for (name, value) in members where !annotations.contains(name) {
      let shown = name.safeLine(limit: 60)
      guard let keyword = Keyword(rawValue: name) else {
        throw Defect("has the keyword '\(shown)', which is not supported", at: path)
      }
      guard keyword.accepts(value) else {
        throw Defect("has an invalid value for '\(shown)'", at: path)
      }
      switch keyword {
      case .items: try check(value, at: path + "/items", depth: depth + 1)
      case .properties:
        for (property, inner) in value.object ?? [:] {
          try check(inner, at: "\(path)/properties/\(property)", depth: depth + 1)
        }
      default: break
      }
    }
  }

  // MARK: - Values

  private static func mismatch(
    of value: JSONValue,
    with schema: JSONValue,
    at path: String
  ) -> String? {
    if let allowed = schema.bool {
      return allowed ? nil : "\(place(path)) is not allowed"
    }
    for keyword in Keyword.allCases {
      let limit = schema[keyword.rawValue]
      guard limit != .null || keyword == .const && schema.object?[keyword.rawValue] != nil else {
        continue
      }
      if let words = keyword.mismatch(of: value, with: limit) { return "\(place(path)) \(words)" }
    }
    let properties = schema["properties"].object ?? [:]
    for (name, member) in value.object ?? [:] {
      let inner = "\(path)/\(name)"
      if let property = properties[name] {
        if let words = mismatch(of: member, with: property, at: inner) { return words }
      } else if schema["additionalProperties"] == false {
        return "\(place(inner)) is not allowed"
      }
    }
    let items = schema["items"]
    for (index, element) in (value.array ?? []).enumerated() where items != .null {
      let words = mismatch(of: element, with: items, at: "\(path)/\(index)")
      if let words { return words }
    }
    return nil
  }

  private static func place(_ path: String) -> String {
    path.isEmpty ? "the value" : path.safeLine(limit: 120)
  }
}

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

/// What an answer must fulfil for its turn to count as successful.
package struct AnswerChecks: Sendable, Hashable {
  /// The schema of the JSON value that the answer must be.
  package var schema: AnswerSchema?
  /// A command line that must succeed after the turn.
  package var command: String?
  /// How often the output of a failed command is sent to the agent.
  package var commandRetries = 0

  /// How often a mismatch with the schema is sent to the agent.
  package static let schemaRetries = 1
  /// The most retries of a command.
  package static let retryLimit = 10

  package init() {}

  package var isEmpty: Bool { schema == nil && command == nil }
}

/// The JSON value that an agent's answer consists of.
package struct JSONInAnswer: Sendable, Equatable {
  /// As the agent wrote it, without surrounding text.
  package let text: String
  package let value: JSONValue

  /// Reads an answer that is a JSON value, or that has exactly one fenced block, which is one.
  ///
  /// `nil` for any other answer.
  package init?(in answer: String) {
    let whole = answer.trimmed
    for text in [whole, Self.block(in: whole)].compactMap(\.self) {
      guard let value = try? JSONValue(parsing: Array(text.utf8)) else { continue }
      (self.text, self.value) = (text, value)
      return
    }
    return nil
  }

  /// The content of the only fenced block.
  private static func block(in answer: String) -> String? {
    var blocks: [[Substring]] = []
    var open: [Substring]?
    for line in answer.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let isFence = line.drop { $0 == " " }.hasPrefix("```")
      switch (open, isFence) {
      case (nil, true): open = []
      case (let lines?, true):
        blocks.append(lines)
        open = nil
      case (_?, false): open?.append(line)
      case (nil, false): break
      }
    }
    guard blocks.count == 1, open == nil else { return nil }
    return blocks[0].joined(separator: "\n").trimmed
  }
}
