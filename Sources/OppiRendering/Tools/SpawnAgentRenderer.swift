// SPDX-License-Identifier: MIT

import OppiModel

/// Spawned agents: the name and the task.
enum SpawnAgentRenderer: ToolRenderer {
  static let tools: Set = ["spawn_agent"]

  static func subject(of call: ToolCallActivity) -> String {
    call.arguments["name"].string ?? call.details["name"].string ?? ""
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    let task = call.arguments["message"].string ?? ""
    let isFailure = call.state == .failed
    return isFailure || task.isEmpty ? output(of: call) : [StyledText(task.head(bytes: 1024), .dim)]
  }
}
