// SPDX-License-Identifier: MIT

/// A question or a dialog of the agent as the server wrote it, cut at a limit.
package struct UserQuestion: Sendable, Equatable {
  private static let bodyLimit = 1 << 20

  package var id: String
  /// `ask`, `select`, `confirm`, `input`, `editor`, or a newer value.
  package var method: String
  package let body: JSONValue

  package init(id: String, method: String, body: JSONValue) {
    self.id = id
    self.method = method
    self.body = body.bounded(bytes: Self.bodyLimit)
  }

  package var placeholder: String? { body["placeholder"].text(.sentence)?.head(bytes: 4096) }

  package var prefill: String? { body["prefill"].text(.content)?.head(bytes: 64 * 1024) }
}

package enum QuestionAnswer: Sendable, Hashable {
  /// A choice, or typed text.
  case value(String)
  case confirmed(Bool)
  /// Answers to several questions, by question id.
  case answers([String: String])
  case cancelled

  var members: JSONObject {
    switch self {
    case .value(let text): ["value": .string(text)]
    case .confirmed(let yes): ["confirmed": .bool(yes)]
    // The server expects the answers as the text of a JSON object.
    case .answers(let answers):
      ["value": .string(JSONValue.object(JSONObject(answers.mapValues(JSONValue.string))).text())]
    case .cancelled: ["cancelled": true]
    }
  }
}
