// SPDX-License-Identifier: MIT

import OppiModel

/// Unknown tools: the arguments and the end of the output.
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
