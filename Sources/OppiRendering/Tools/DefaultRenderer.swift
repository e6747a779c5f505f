// SPDX-License-Identifier: MIT

import OppiModel

/// A tool that nothing is known of: its arguments and the end of its output.
enum DefaultRenderer: ToolRenderer {
  static let tools: Set<String> = []

  static func subject(of call: ToolCallActivity) -> String {
    switch call.arguments {
    case .null, [:]: ""
    case .string(let text): text
    default: call.arguments.text()
    }
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    output(of: call)
  }
}
