// SPDX-License-Identifier: MIT

/// A schema for an answer in JSON: a subset of JSON Schema (draft 2020-12).
///
/// A schema with a keyword outside the subset is refused, because it would not be checked.
package struct AnswerSchema: Sendable, Hashable {
  package enum Defect: Error, Equatable {
    case notAnObject(at: String)
    case unsupported(keyword: String, at: String)
    case invalid(keyword: String, at: String)
    case tooDeep
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
    guard depth < depthLimit else { throw .tooDeep }
    if schema.bool != nil { return }
    guard let members = schema.object else { throw .notAnObject(at: path) }
    for (name, value) in members where !annotations.contains(name) {
      guard let keyword = Keyword(rawValue: name) else {
        throw .unsupported(keyword: name, at: path)
      }
      guard keyword.accepts(value) else { throw .invalid(keyword: name, at: path) }
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
    return mismatch(ofMembers: value, with: schema, at: path)
      ?? mismatch(ofElements: value, with: schema, at: path)
  }

  private static func mismatch(
    ofMembers value: JSONValue,
    with schema: JSONValue,
    at path: String
  ) -> String? {
    guard let members = value.object else { return nil }
    let properties = schema["properties"].object ?? [:]
    for (name, member) in members {
      let inner = "\(path)/\(name)"
      if let property = properties[name] {
        if let words = mismatch(of: member, with: property, at: inner) { return words }
      } else if schema["additionalProperties"] == false {
        return "\(place(inner)) is not allowed"
      }
    }
    return nil
  }

  private static func mismatch(
    ofElements value: JSONValue,
    with schema: JSONValue,
    at path: String
  ) -> String? {
    guard let elements = value.array, schema["items"] != .null else { return nil }
    for (index, element) in elements.enumerated() {
      let words = mismatch(of: element, with: schema["items"], at: "\(path)/\(index)")
      if let words { return words }
    }
    return nil
  }

  private static func place(_ path: String) -> String {
    path.isEmpty ? "the value" : path.safeLine(limit: 120)
  }
}
