// SPDX-License-Identifier: MIT

import OppiModel

/// Editing a file: its path and how many lines come and go.
enum EditRenderer: ToolRenderer {
  static let tools: Set = ["edit"]

  static func subject(of call: ToolCallActivity) -> String {
    let path = call.arguments["path"].string ?? ""
    return call.lineChange.map { "\(path) (+\($0.added) -\($0.removed))" } ?? path
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    failure(of: call)
  }
}
