// SPDX-License-Identifier: MIT

package enum QuestionAnswer: Sendable, Hashable {
  /// A choice, or typed text.
  case value(String)
  case confirmed(Bool)
  /// Texts by question id, for servers that look them up among the choices.
  case answers([String: String])
  /// Values of choices and texts by question id, for servers that pass them on unchanged.
  case choices([String: PartAnswer])
  case cancelled

  var members: JSONObject {
    switch self {
    case .value(let text): ["value": .string(text)]
    case .confirmed(let yes): ["confirmed": .bool(yes)]
    case .answers(let answers): Self.members(of: answers.mapValues(JSONValue.string))
    case .choices(let answers): Self.members(of: answers.mapValues(\.json))
    case .cancelled: ["cancelled": true]
    }
  }

  /// The server expects the answers as the text of a JSON object.
  private static func members(of answers: [String: JSONValue]) -> JSONObject {
    ["value": .string(JSONValue.object(JSONObject(answers)).text())]
  }

  /// Whether the agent gets no choice, no text and no consent.
  package var isRefusal: Bool { self == .cancelled || self == .confirmed(false) }
}

/// The answer to one question of an `ask`.
package enum PartAnswer: Sendable, Hashable {
  case text(String)
  /// For a question that allows several choices.
  case list([String])

  var json: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .list(let values): .array(values.map(JSONValue.string))
    }
  }
}
