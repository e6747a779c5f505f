// SPDX-License-Identifier: MIT

import OppiModel

/// To-do lists: the number of completed items and the current item.
enum TodoRenderer: ToolRenderer {
  static let tools: Set = [
    "todo", "todos", "todo_read", "todo_write", "todoread", "todowrite", "TodoWrite",
  ]

  static func subject(of call: ToolCallActivity) -> String {
    guard let progress = TodoProgress(call) else { return call.arguments["action"].string ?? "" }
    return "\(progress.completed) of \(progress.total) done"
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    guard let progress = TodoProgress(call) else { return output(of: call) }
    let now = progress.current.map { [StyledText("now: \($0)")] } ?? []
    return now + failure(of: call)
  }
}
