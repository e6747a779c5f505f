// SPDX-License-Identifier: MIT

import OppiModel

/// Writing a file: its path and how many lines it gets.
enum WriteRenderer: ToolRenderer {
  static let tools: Set = ["write"]

  static func subject(of call: ToolCallActivity) -> String {
    let path = call.arguments["path"].string ?? ""
    return call.lineChange.map { "\(path) (+\($0.added))" } ?? path
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    failure(of: call)
  }

  static func request(_ input: JSONValue) -> [RequestPart] {
    RequestPart.all(of: input, leading: ["path", "content"])
  }
}
