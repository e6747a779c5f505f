// SPDX-License-Identifier: MIT

import OppiModel

/// A tool call that an agent makes.
struct ScriptedCall: Sendable {
  /// What the tool does.
  enum Effect: Sendable {
    case prints([String])
    /// Prints so many lines, of which only the last ones are sent.
    case printsLines(Int)
    /// Works until the run is stopped or something is queued behind it.
    case works
    /// Works in the same way, and prints nothing.
    case waits
    /// Asks the user the questions in its arguments.
    case asks
    /// Starts a session of its own with the message and the name in its arguments.
    case spawns
  }

  let tool: String
  let arguments: JSONValue
  let effect: Effect
  /// Why a human has to allow the call; `nil` where it just runs.
  var approvalReason: String?

  static func bash(
    _ command: String,
    _ effect: Effect,
    approvalReason: String? = nil
  ) -> ScriptedCall {
    ScriptedCall(
      tool: "bash",
      arguments: ["command": .string(command)],
      effect: effect,
      approvalReason: approvalReason
    )
  }

  /// A list of things to do, of which the first ones are done.
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

  /// What a human is shown.
  var summary: String { arguments["command"].string ?? "\(tool)(\(arguments.text().prefix(100)))" }

  /// The call as styled text, with as much of the arguments as is known.
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

/// What a tool call came to.
struct ToolResult: Sendable {
  var output: String
  var isError = false
  /// Whatever the tool reports beside its output.
  var details: JSONValue?
}
