// SPDX-License-Identifier: MIT

import OppiModel

struct ScriptedCall: Sendable {
  enum Effect: Sendable {
    case prints([String])
    /// Prints this many lines; only the last ones are sent.
    case printsLines(Int)
    /// Works until the run is stopped or a message is queued behind it.
    case works
    /// Like `works`, without output.
    case waits
    /// Asks the questions in its arguments.
    case asks
    /// Starts a child session with the message and name in its arguments.
    case spawns
  }

  let tool: String
  let arguments: JSONValue
  let effect: Effect
  /// The reason why the call needs approval; `nil` if it needs none.
  var approvalReason: String?
  /// Whether an extension asks before the call.
  var isGated = false

  /// The result of a call that was not allowed by an extension.
  static let blocked = "Blocked by user"

  static func bash(
    _ command: String,
    _ effect: Effect,
    approvalReason: String? = nil,
    isGated: Bool = false
  ) -> ScriptedCall {
    ScriptedCall(
      tool: "bash",
      arguments: ["command": .string(command)],
      effect: effect,
      approvalReason: approvalReason,
      isGated: isGated
    )
  }

  /// Creates a call that sets a to-do list; the first `done` items are completed.
  static func todo(_ items: [String], done: Int) -> ScriptedCall {
    let todos = items.enumerated().map { index, item -> JSONValue in
      let status = index < done ? "completed" : index == done ? "in_progress" : "pending"
      return ["content": .string(item), "status": .string(status)]
    }
    return ScriptedCall(
      tool: "todo",
      arguments: ["todos": .array(todos)],
      effect: .prints(["\(done) of \(items.count) done"])
    )
  }

  var summary: String { arguments["command"].string ?? "\(tool)(\(arguments.text().prefix(100)))" }

  /// The call as styled text, with the arguments known so far.
  func segments(_ arguments: JSONValue) -> JSONValue? {
    switch tool {
    case "bash":
      [
        ["text": "$ ", "style": "bold"],
        ["text": arguments["command"].string.map(JSONValue.string) ?? "", "style": "accent"],
      ]
    case "ask":
      arguments["questions"].array.map { questions in
        .array(questions.map { ["text": $0["question"], "style": "muted"] })
      }
    default: nil
    }
  }
}

struct ToolResult: Sendable {
  var output: String
  var isError = false
  var details: JSONValue?
}
